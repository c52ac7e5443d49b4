/** What a server keeps of the statements of a session. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { bookingTransaction } from '../../../src/store/bookings.ts';
import { openPostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makeDatabase } from './database.ts';
import { isSwitchedOff } from './server.ts';

describe.skipIf(isSwitchedOff())('what a write transaction reads', () => {
  it('is planned once in a session, for any values', async () => {
    await using database = await makeDatabase();
    const engine = await openPostgresEngine({ url: database.url, location: 'a test' });
    try {
      await sql`create table bookings (egress text, domain text, at bigint)`.execute(engine.db);
      const kept = await engine.write(async (tx) => {
        const bookings = bookingTransaction(tx, 'here', 'a boot');
        for (const n of [1, 7, 900]) expect(await bookings.nthLatest(n)).toBeNull();
        return tx.rows({
          compile: () => sql`select statement from pg_prepared_statements order by 1`.compile(tx.db),
        });
      });
      expect(kept.map(([text]) => String(text).match(/from \w+/)?.[0])).toEqual([
        'from bookings',
        'from pg_prepared_statements',
      ]);
    } finally {
      await engine.close();
    }
  });
});

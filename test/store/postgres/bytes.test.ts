/** Columns of bytes in statements of many rows: their cells travel in one piece. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/store/cells.ts';
import { openPostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makeDatabase } from './database.ts';
import { isSwitchedOff } from './server.ts';

const hex = (cell: unknown) => (cell === null ? null : Buffer.from(cell as Uint8Array).toString('hex'));

describe.skipIf(isSwitchedOff())('cells of bytes', () => {
  it('come back as they were given, null and empty ones too, in more rows than one statement takes', async () => {
    await using database = await makeDatabase();
    const engine = await openPostgresEngine({ url: database.url, location: 'a test' });
    try {
      await sql`create table tracking_conflicts (record_key bigint, token bytea, key_id text, token_fingerprint bytea)`.execute(
        engine.db,
      );
      const bytes = (n: number) => Uint8Array.from({ length: n % 7 }, (_, at) => (n * 31 + at) % 256);
      const rows: Row[] = Array.from({ length: 4_100 }, (_, n) => [
        n,
        n % 3 === 0 ? null : bytes(n),
        `\\x${n}`,
        n % 5 === 0 ? null : bytes(n + 1),
      ]);
      const kept = await engine.write(async (tx) => {
        await tx.insertMany('tracking_conflicts', ['record_key', 'token', 'key_id', 'token_fingerprint'], rows);
        const changed = rows.slice(0, 50).map(([id, one, , other]) => [id, other, one]) as Row[];
        await tx.updateMany('tracking_conflicts', ['record_key'], ['token', 'token_fingerprint'], changed);
        return tx.rows({
          compile: () =>
            sql`select record_key, token, key_id, token_fingerprint from tracking_conflicts order by 1`.compile(tx.db),
        });
      });
      const wanted = rows.map(([id, one, word, other]) =>
        Number(id) < 50 ? [id, hex(other), word, hex(one)] : [id, hex(one), word, hex(other)],
      );
      expect(kept.map(([id, one, word, other]) => [id, hex(one), word, hex(other)])).toEqual(wanted);
    } finally {
      await engine.close();
    }
  });
});

/** Columns of bytes in statements of many rows: their cells travel in one piece. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/store/cells.ts';
import type { WriteTransaction } from '../../../src/store/engine.ts';
import { openPostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makeDatabase } from './database.ts';
import { isSwitchedOff } from './server.ts';

/** As no table of the schema has two columns of bytes that may be null. */
type Tx = Pick<WriteTransaction, 'rows'> & {
  insertMany(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>;
  updateMany(table: string, keys: readonly string[], columns: readonly string[], rows: readonly Row[]): Promise<void>;
};

const hex = (cell: unknown) => (cell === null ? null : Buffer.from(cell as Uint8Array).toString('hex'));

describe.skipIf(isSwitchedOff())('cells of bytes', () => {
  it('come back as they were given, null and empty ones too, in more rows than one statement takes', async () => {
    await using database = await makeDatabase();
    const engine = await openPostgresEngine({ url: database.url, location: 'a test' });
    try {
      await sql`create table pieces (id bigint, one bytea, word text, other bytea)`.execute(engine.db);
      const bytes = (n: number) => Uint8Array.from({ length: n % 7 }, (_, at) => (n * 31 + at) % 256);
      const rows: Row[] = Array.from({ length: 4_100 }, (_, n) => [
        n,
        n % 3 === 0 ? null : bytes(n),
        `\\x${n}`,
        n % 5 === 0 ? null : bytes(n + 1),
      ]);
      const kept = await engine.write(async (written) => {
        const tx = written as unknown as Tx;
        await tx.insertMany('pieces', ['id', 'one', 'word', 'other'], rows);
        const changed = rows.slice(0, 50).map(([id, one, , other]) => [id, other, one]) as Row[];
        await tx.updateMany('pieces', ['id'], ['one', 'other'], changed);
        return tx.rows({
          compile: () => sql`select id, one, word, other from pieces order by id`.compile(written.db),
        });
      });
      const wanted = rows.map(([id, one, word, other]) =>
        Number(id) < 50 ? [id, hex(other), word, hex(one)] : [id, hex(one), word, hex(other)],
      );
      expect(kept.map(([id, one, word, other]) => [id, hex(one), word, hex(other)])).toEqual(wanted);
    } finally {
      await engine.close();
    }
  }, 60_000);
});

/** The write transaction of PostgreSQL: statements are sent without waiting for the previous answer. */

import type { Compilable } from 'kysely';
import type { Row } from '../cells.ts';
import type { WriteTransaction } from '../engine.ts';
import { type BulkSql, chunksOf, insertSql, updateSql } from './bulk.ts';
import type { PostgresConnection } from './connection.ts';

/** Checks that generated keys are in the order of the rows: otherwise a record would get another record's evidence. */
function checkedKeys(rows: readonly Row[], wanted: number): number[] {
  const keys = rows.map((row) => row[0] as number);
  const rising = keys.every((key, index) => index === 0 || key > (keys[index - 1] ?? key));
  if (keys.length !== wanted || !rising) throw new Error('the server returned generated keys out of order');
  return keys;
}

/** @param connection of the transaction: with Kysely, each statement would wait for the previous answer. */
export function writeTransaction(
  db: WriteTransaction['db'],
  connection: PostgresConnection,
): Omit<WriteTransaction, 'sealer' | 'inList'> {
  const ask = ({ sql, parameters }: BulkSql) => connection.arrays(sql, parameters);
  const rowsOf = (query: Compilable) => ask(query.compile());
  /** In chunks, which are sent at once. */
  const all = <R>(rows: readonly Row[], send: (chunk: readonly Row[]) => Promise<R>) =>
    Promise.all([...chunksOf(rows)].map(send));
  return {
    db,
    rows: rowsOf,
    each: async (query, turn) => (await rowsOf(query)).map(turn),
    insertMany: async (table, columns, rows, given) => {
      const options = { skipKnown: given?.skipKnown ?? false, returning: null };
      await all(rows, (chunk) => ask(insertSql(table, columns, chunk, options)));
    },
    insertForKeys: async (table, key, columns, rows) => {
      const keys = await all(rows, async (chunk) => {
        const statement = insertSql(table, columns, chunk, { skipKnown: false, returning: key });
        return checkedKeys(await ask(statement), chunk.length);
      });
      return keys.flat();
    },
    reserveKeys: async (table, key, count) => {
      const text = 'select nextval(pg_get_serial_sequence($1, $2)) from generate_series(1, $3::bigint) as n order by n';
      return checkedKeys(await connection.arrays(text, [table, key, count]), count);
    },
    run: async (statement) => {
      await rowsOf(statement);
    },
    lockRows: async (table, key, keys) => {
      const type = typeof keys[0] === 'string' ? 'text' : 'bigint';
      const text = `select 1 from "${table}" where "${key}" = any($1::${type}[]) order by "${key}" for no key update`;
      await connection.arrays(text, [keys]);
    },
    send: (statements) => connection.send(statements),
    updateMany: async (table, keys, columns, rows) => {
      await all(rows, (chunk) => ask(updateSql(table, keys, columns, chunk)));
    },
  };
}

/** The write transaction of PostgreSQL: statements are sent without waiting for the previous answer. */

import type { Compilable } from 'kysely';
import type { Row } from '../cells.ts';
import type { WriteTransaction } from '../engine.ts';
import { type BulkSql, type ColumnCatalogue, chunksOf, insertSql, updateSql } from './bulk.ts';
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
  catalogue: ColumnCatalogue,
): Omit<WriteTransaction, 'sealer' | 'inList'> & { settled(): Promise<unknown> } {
  // While column types are read, no statement may overtake those that wait for them. Errors go to the caller.
  let reading: Promise<unknown> | null = null;
  const inOrder = <R>(send: () => Promise<R>): Promise<R> => {
    if (reading === null) return send();
    const mine = reading.then(send);
    reading = mine.catch(() => undefined);
    return mine;
  };
  const readNow = (text: string, parameters: readonly unknown[]) => connection.arrays(text, parameters);
  const read = (text: string, parameters: readonly unknown[]) => inOrder(() => connection.prepared(text, parameters));
  // Inserts have one plan for any number of rows. That of an update would be made for ten of them, so updates are not prepared.
  const insert = ({ sql: text, parameters }: BulkSql) => connection.prepared(text, parameters);
  const update = ({ sql: text, parameters }: BulkSql) => readNow(text, parameters);
  const rowsOf = (query: Compilable) => {
    const compiled = query.compile();
    return read(compiled.sql, compiled.parameters);
  };
  const withTypes = <R>(table: string, columns: readonly string[], use: (types: readonly string[]) => Promise<R>) => {
    if (catalogue.known(table, columns) === null) reading ??= Promise.resolve();
    return inOrder(async () => use(catalogue.known(table, columns) ?? (await catalogue.read(table, columns, readNow))));
  };
  return {
    db,
    settled: async () => reading,
    rows: rowsOf,
    each: async (query, turn) => (await rowsOf(query)).map(turn),
    insertMany: async (table, columns, rows, given) => {
      if (rows.length === 0) return;
      const options = { skipKnown: given?.skipKnown ?? false, returning: null };
      await withTypes(table, columns, (types) =>
        Promise.all([...chunksOf(rows)].map((chunk) => insert(insertSql(table, columns, types, chunk, options)))),
      );
    },
    insertForKeys: async (table, key, columns, rows) => {
      if (rows.length === 0) return [];
      const keysOf = async (types: readonly string[], chunk: readonly Row[]) => {
        const statement = insertSql(table, columns, types, chunk, { skipKnown: false, returning: key });
        return checkedKeys(await insert(statement), chunk.length);
      };
      return withTypes(table, columns, async (types) =>
        (await Promise.all([...chunksOf(rows)].map((chunk) => keysOf(types, chunk)))).flat(),
      );
    },
    reserveKeys: async (table, key, count) => {
      const rows = await read(
        'select nextval(pg_get_serial_sequence($1, $2)) from generate_series(1, $3::bigint) as n order by n',
        [table, key, count],
      );
      return checkedKeys(rows, count);
    },
    run: async (statement) => {
      await rowsOf(statement);
    },
    lockRows: async (table, key, keys) => {
      const type = typeof keys[0] === 'string' ? 'text' : 'bigint';
      const text = `select 1 from "${table}" where "${key}" = any($1::${type}[]) order by "${key}" for no key update`;
      await read(text, [keys]);
    },
    send: (statements) => connection.send(statements),
    updateMany: async (table, keys, columns, rows) => {
      if (rows.length === 0) return;
      await withTypes(table, [...keys, ...columns], (types) =>
        Promise.all([...chunksOf(rows)].map((chunk) => update(updateSql(table, keys, columns, types, chunk)))),
      );
    },
  };
}

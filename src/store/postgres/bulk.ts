/**
 * Writes many rows in one statement: each column is one array parameter, so the number of parameters does not grow with
 * the rows (the protocol allows 65,535) and the server plans one short statement for a batch of any size.
 */
import type { Row } from '../cells.ts';
import { TABLES, type TableName } from '../schema/tables.ts';

/** Rows in one statement: enough to make the round trip negligible, few enough to bound the size of a message. */
const CHUNK = 2_000;

export interface BulkSql {
  sql: string;
  parameters: readonly unknown[];
}

export function* chunksOf(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += CHUNK) yield rows.slice(start, start + CHUNK);
}

/** Types of parameters: a collation is the column's own. */
const TYPES = {
  key: 'bigint',
  risingKey: 'bigint',
  id: 'text',
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  bytes: 'bytea',
};

/** @throws RangeError for a column that the table does not have */
function typeOf(table: string, column: string): string {
  const declared = TABLES[table as TableName]?.columns[column];
  if (declared === undefined) throw new RangeError(`table ${table} has no column ${column}`);
  return TYPES[declared.is.type];
}

const names = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ');

/**
 * The rows as a source of a statement: what to select from, the expression of each column, and the parameters of both.
 *
 * One array parameter per column. Bytes are the exception: within an array they would travel as hexadecimal digits, so those of
 * a column travel in one piece, and the arrays say where each cell begins and ends.
 */
function givenRows(table: string, columns: readonly string[], rows: readonly Row[]) {
  const parameters: unknown[] = [];
  const arrays: string[] = [];
  const fields: string[] = [];
  const add = (field: string, type: string, values: unknown[]): void => {
    parameters.push(values);
    arrays.push(`$${parameters.length}::${type}[]`);
    fields.push(field);
  };
  const cells = columns.map((name, column) => {
    const values = rows.map((row) => row[column] ?? null);
    const type = typeOf(table, name);
    if (type !== 'bytea') {
      add(name, type, values);
      return `given."${name}"`;
    }
    const { bytes, starts, lengths } = inOnePiece(values as (Uint8Array | null)[]);
    add(`${name} start`, 'integer', starts);
    add(`${name} length`, 'integer', lengths);
    parameters.push(bytes);
    return `substring($${parameters.length}::bytea from given."${name} start" for given."${name} length")`;
  });
  // Without `with ordinality` the order of the rows would not be defined.
  const source = `unnest(${arrays.join(', ')}) with ordinality as given (${names(fields)}, "row number")`;
  return { source, cells, parameters };
}

/** As `substring` counts: the first byte is 1; the start and length of a null are null. */
function inOnePiece(cells: readonly (Uint8Array | null)[]) {
  let end = 1;
  const starts: (number | null)[] = [];
  const lengths: (number | null)[] = [];
  for (const cell of cells) {
    starts.push(cell === null ? null : end);
    lengths.push(cell === null ? null : cell.length);
    end += cell === null ? 0 : cell.length;
  }
  return { bytes: Buffer.concat(cells.filter((cell) => cell !== null)), starts, lengths };
}

/** Inserts in the order of the rows, so that generated keys rise with them. `returning` names the key. */
export function insertSql(
  table: string,
  columns: readonly string[],
  rows: readonly Row[],
  options: { skipKnown: boolean; returning: string | null },
): BulkSql {
  const { source, cells, parameters } = givenRows(table, columns, rows);
  const sql =
    `insert into "${table}" (${names(columns)}) select ${cells.join(', ')} from ${source} order by given."row number"` +
    (options.skipKnown ? ' on conflict do nothing' : '') +
    (options.returning === null ? '' : ` returning "${options.returning}"`);
  return { sql, parameters };
}

/** Each row has the cells of `keys` first, then those of `columns`. */
export function updateSql(
  table: string,
  keys: readonly string[],
  columns: readonly string[],
  rows: readonly Row[],
): BulkSql {
  const { source, cells, parameters } = givenRows(table, [...keys, ...columns], rows);
  const sets = columns.map((column, at) => `"${column}" = ${cells[keys.length + at]}`).join(', ');
  const same = keys.map((key, at) => `target."${key}" = ${cells[at]}`).join(' and ');
  return { sql: `update "${table}" as target set ${sets} from ${source} where ${same}`, parameters };
}

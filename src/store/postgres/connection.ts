/** One connection of the pool in the form in which Kysely takes one, and rows as arrays besides. */

import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import pg from 'pg';
import type { Row } from '../cells.ts';
import { translateError } from './translate-error.ts';

/** OIDs of the built-in types that the store uses. */
const TYPE = {
  bool: 16,
  bytes: 17,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  real: 700,
  double: 701,
  varchar: 1043,
};

type Parser = (text: string) => unknown;

/** Keys, instants and counts stay far below 2^53; one that does not is not rounded in silence. */
function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('an integer in the database is too large');
  return value;
}

const readBytes = pg.types.getTypeParser(TYPE.bytes) as Parser;
const asText: Parser = (text) => text;
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [TYPE.bool, (text) => (text === 't' ? 1 : 0)],
  [TYPE.bytes, readBytes],
  [TYPE.bigint, readInteger],
  [TYPE.smallint, readInteger],
  [TYPE.integer, readInteger],
  [TYPE.text, decodeText],
  [TYPE.varchar, decodeText],
  [TYPE.real, Number],
  [TYPE.double, Number],
]);

/** Cells as the store knows them: see `Cell` in engine.ts. What the store has no type for stays text. */
export const CELL_TYPES: pg.CustomTypesConfig = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? asText };

/** Statements that change rows, whose number Kysely wants to know. */
const CHANGES: readonly string[] = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'];

export class PostgresConnection implements DatabaseConnection {
  /** The lock that the next transaction on this connection begins with; null is that of all writers. */
  nextLock: string | null = null;
  readonly #client: pg.PoolClient;
  readonly #location: string;
  /** Set where the server's side is in an unknown state: such a connection must not go back to the pool. */
  #broken = false;

  constructor(client: pg.PoolClient, location: string) {
    this.#client = client;
    this.#location = location;
  }

  /** Several statements without parameters, in one exchange. */
  async run(statements: string): Promise<void> {
    await this.#guard(() => this.#client.query(statements));
  }

  /** The server answers COMMIT with ROLLBACK where an earlier statement had failed: nothing may take that for saved. */
  async commit(): Promise<void> {
    const { command } = await this.#guard(() => this.#client.query('commit'));
    if (command === 'ROLLBACK') throw new Error('a statement had failed, so the transaction was rolled back');
  }

  async rollback(): Promise<void> {
    // A connection that is not kept needs none, and one that does not answer would be waited for once more.
    if (this.#broken) return;
    try {
      await this.#client.query('rollback');
    } catch {
      // The cause is already on its way to the caller; a lost connection has rolled back by itself.
      this.#broken = true;
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const values = parameters.map(encodeParameter);
    const result = await this.#guard(() => this.#client.query(sql, values));
    const rows = result.rows as R[];
    return CHANGES.includes(result.command) ? { rows, numAffectedRows: BigInt(result.rowCount ?? 0) } : { rows };
  }

  async arrays(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    const values = parameters.map(encodeParameter);
    const query = { text: sql, values, rowMode: 'array' as const };
    return (await this.#guard(() => this.#client.query(query))).rows as unknown as Row[];
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the store reads in pages, not in streams');
  }

  release(): void {
    this.nextLock = null;
    this.#client.release(this.#broken);
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const translated = translateError(error, this.#location);
      if (translated !== error) this.#broken = true;
      throw translated;
    }
  }
}

/** SUBSTITUTE: a control character that nothing here has a use for. It introduces the two characters below. */
const ESCAPE = '\u001a';
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these two are what this file is about.
const SPECIAL = /[\u0000\u001a]/g;

function encodeText(text: string): string {
  return text.includes('\u0000') || text.includes(ESCAPE)
    ? text.replace(SPECIAL, (character) => (character === '\u0000' ? `${ESCAPE}0` : `${ESCAPE}1`))
    : text;
}

/** The text as it was given to `encodeParameter`. */
export function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, '\u0000').replaceAll(`${ESCAPE}1`, ESCAPE);
}

/** A parameter of a statement; texts in lists too. Equal texts stay equal, so comparisons in SQL go on working. */
export function encodeParameter(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value);
  return Array.isArray(value) ? value.map(encodeParameter) : value;
}

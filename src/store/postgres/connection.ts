/** One connection of the pool with Kysely's interface, which also gives rows as arrays. */
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

/** Keys, instants and counts are far below 2^53; a larger integer is an error, never rounded. */
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

/** Converts values to `Cell`s (cells.ts); a type that the store does not use stays text. */
export const CELL_TYPES: pg.CustomTypesConfig = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? asText };

/** Commands for which Kysely expects the number of rows changed. */
const CHANGES: readonly string[] = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'];

/** SQLSTATE of a statement in a transaction in which another one has failed. */
const ABORTED = '25P02';

/** How the next transaction on a connection begins. */
export interface Beginning {
  lock: string;
  /** Beside other holders that share the lock. */
  isShared: boolean;
}

/**
 * Statements are pipelined: each is sent when it is called for, without waiting for the answers of those before it, and the
 * server takes them one after another. A transaction costs a round trip for each time that it waits for an answer.
 */
export class PostgresConnection implements DatabaseConnection {
  /** The lock that the next transaction on this connection takes; null is the lock of all writers. */
  next: Beginning | null = null;
  readonly #client: pg.PoolClient;
  readonly #location: string;
  /** True where the state of the server's session is unknown: such a connection must not go back to the pool. */
  #broken = false;
  #sent: Promise<unknown>[] = [];
  /** The first error of the transaction. The server refuses all later statements with an error that names no cause. */
  #failure: unknown;

  constructor(client: pg.PoolClient, location: string) {
    this.#client = client;
    this.#location = location;
  }

  /** Several statements without parameters, in one exchange. */
  async run(statements: string): Promise<void> {
    await this.#guard(() => this.#client.query(statements));
  }

  /**
   * Sends the beginning of a transaction, without waiting for its answer: where its lock cannot be had, the server refuses every
   * statement behind it. BEGIN itself fails on a standby only, which refuses every write as well, so nothing is ever written
   * outside of the transaction.
   */
  begin(statements: string): void {
    this.#failure = undefined;
    this.send([this.run(statements)]);
  }

  /** Sent statements whose failure is reported by the commit. */
  send(statements: readonly Promise<unknown>[]): void {
    for (const statement of statements) statement.catch(() => undefined);
    this.#sent.push(...statements);
  }

  /** The server answers COMMIT with ROLLBACK where an earlier statement failed: that must not count as committed. */
  async commit(): Promise<void> {
    const answers = [...this.#sent, this.#guard(() => this.#client.query('commit'))];
    this.#sent = [];
    const ends = await Promise.allSettled(answers);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const [last] = ends.slice(-1);
    const { command } = (last as PromiseFulfilledResult<pg.QueryResult>).value;
    if (command === 'ROLLBACK') throw new Error('a statement had failed, so the transaction was rolled back');
  }

  async rollback(): Promise<void> {
    // A broken connection is closed, which rolls back; a server that does not answer must not be awaited again.
    await Promise.allSettled(this.#sent);
    this.#sent = [];
    if (this.#broken) return;
    try {
      await this.#client.query('rollback');
    } catch {
      // The caller gets the original error; the server rolls a lost connection back.
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
    const query = { text: sql, values: parameters.map(encodeParameter), rowMode: 'array' };
    return (await this.#guard(() => this.#client.query(query))).rows;
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the store reads in pages, not in streams');
  }

  release(): void {
    this.next = null;
    this.#client.release(this.#broken);
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code === ABORTED && this.#failure !== undefined) throw this.#failure;
      const translated = translateError(error, this.#location);
      this.#failure ??= translated;
      if (translated !== error) this.#broken = true;
      throw translated;
    }
  }
}

/**
 * PostgreSQL stores every character but U+0000, which a body of the Service may contain. U+0000 is written as this
 * character, SUBSTITUTE, and `0`; SUBSTITUTE itself is written as SUBSTITUTE and `1`.
 */
const ESCAPE = '\u001a';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the two characters to escape.
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

/**
 * A parameter of a statement, with its texts encoded, also within lists. Equal texts stay equal, so SQL can compare
 * them.
 */
export function encodeParameter(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value);
  return Array.isArray(value) ? value.map(encodeParameter) : value;
}

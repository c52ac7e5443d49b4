/**
 * The process of `sqlite-rows.ts`: reads a SQLite file, page by page as it is asked. A query that computes for long blocks its thread, and
 * nothing but the end of a process stops it.
 */
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';

const PAGE = 1_000;

/** The first order opens the file; each later one asks for a page. */
export type SqliteOrder = { path: string; query: string } | 'page';

export type SqliteReply =
  | { columns: readonly string[] }
  | { rows: readonly Readonly<Record<string, unknown>>[]; isLast: boolean }
  /** `code`: SQLite's own; `isUse`: the driver's own refusal of the text of a query. */
  | { failed: string; code: string; isUse: boolean; isOpening: boolean }
  | 'returns nothing';

let database: Database.Database | null = null;
let statement: Database.Statement | null = null;
let rows: IterableIterator<unknown> | null = null;

function answerTo(order: SqliteOrder): SqliteReply {
  if (order !== 'page') {
    database = new Database(order.path, { readonly: true, fileMustExist: true });
    statement = database.prepare(order.query);
    if (!statement.reader) return 'returns nothing';
    // Ids may be whole numbers beyond what JavaScript's own numbers hold.
    statement.safeIntegers(true);
    return { columns: statement.columns().map(({ name }) => name) };
  }
  // The query starts with the first page.
  rows ??= statement?.iterate() ?? [][Symbol.iterator]();
  const page: Record<string, unknown>[] = [];
  while (page.length < PAGE) {
    const { done, value } = rows.next();
    if (done) return { rows: page, isLast: true };
    page.push(value as Record<string, unknown>);
  }
  return { rows: page, isLast: false };
}

process.on('message', (order: SqliteOrder) => {
  let answer: SqliteReply;
  try {
    answer = answerTo(order);
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    answer = {
      failed: error instanceof Error ? error.message : String(error),
      code: typeof code === 'string' && code.startsWith('SQLITE_') ? code : '',
      isUse: error instanceof RangeError || error instanceof TypeError,
      isOpening: database === null,
    };
  }
  process.send?.(answer);
});
// A signal for the whole group is for the program that asks: it ends this process when it is done.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
// The parent may be killed while this thread is in a query that never ends.
new Worker(
  `setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL'); }, 1000);`,
  { eval: true },
).unref();

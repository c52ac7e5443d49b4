/** Rows of a SQLite file, opened for reading only. */
import Database from 'better-sqlite3';
import type { SqlIntakeSource, SqlRows } from './contract.ts';
import { SourceQueryError, SourceUnavailableError } from './errors.ts';

const PAGE = 1_000;

const CANNOT_OPEN = ['cannot be opened', 'check that the file is there and may be read by this user'] as const;
const TROUBLE: Readonly<Record<string, readonly [why: string, remedy?: string]>> = {
  SQLITE_CANTOPEN: CANNOT_OPEN,
  SQLITE_NOTADB: ['is not a SQLite database'],
  SQLITE_BUSY: ['is locked by another program', 'run again later'],
};

/** @throws SourceUnavailableError, SourceQueryError */
export async function sqliteRows(source: SqlIntakeSource): Promise<SqlRows & AsyncDisposable> {
  const path = source.url.slice('sqlite:'.length);
  const database = open(source.name, path);
  try {
    const statement = database.prepare(source.query);
    if (!statement.reader)
      throw new SourceQueryError(source.name, 'its query returns nothing', { remedy: 'write a select' });
    // Ids may be whole numbers beyond what JavaScript's own numbers hold.
    statement.safeIntegers(true);
    return {
      columns: statement.columns().map(({ name }) => name),
      pages: pagesOf(() => statement.iterate(), source.name, path),
      [Symbol.asyncDispose]: async () => {
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw asQueryError(error, source.name, path);
  }
}

function open(name: string, path: string): Database.Database {
  try {
    return new Database(path, { readonly: true, fileMustExist: true });
  } catch (error) {
    // A missing folder is reported without a code.
    const [why, remedy] = TROUBLE[codeOf(error)] ?? CANNOT_OPEN;
    throw new SourceUnavailableError(name, path, why, { remedy, cause: error });
  }
}

/** The query starts with the first page: a query under way would keep the file from being closed. */
async function* pagesOf(
  start: () => IterableIterator<unknown>,
  name: string,
  path: string,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  try {
    let page: Record<string, unknown>[] = [];
    for (const row of start()) {
      page.push(row as Record<string, unknown>);
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  } catch (error) {
    throw asQueryError(error, name, path);
  }
}

function asQueryError(error: unknown, name: string, path: string): unknown {
  const code = codeOf(error);
  // The driver's own refusal of a text that is not one statement, or of one with parameters.
  if (error instanceof RangeError || error instanceof TypeError) {
    return new SourceQueryError(name, `its query fails: ${error.message}`, {
      remedy: 'write one select without parameters',
      cause: error,
    });
  }
  if (code === '') return error;
  const known = TROUBLE[code];
  if (known !== undefined) return new SourceUnavailableError(name, path, known[0], { remedy: known[1], cause: error });
  // SQLite names what it does not know (`no such column: toke`); it has not seen any row's values at that point.
  const why = error instanceof Error ? error.message : code;
  return new SourceQueryError(name, `its query fails: ${why}`, { cause: error });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : '';
}

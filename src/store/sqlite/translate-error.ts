/** Turns what better-sqlite3 throws into the store's own errors. */
import Database from 'better-sqlite3';
import { DatabaseUnavailableError, type UnavailableReason } from '../../ports/store/errors.ts';

/** By the beginning of SQLite's result code, so that extended codes (SQLITE_IOERR_FSYNC) are covered. */
const REASONS: readonly (readonly [string, UnavailableReason])[] = [
  ['SQLITE_CANTOPEN', 'cannot-open'],
  ['SQLITE_PERM', 'cannot-open'],
  ['SQLITE_AUTH', 'cannot-open'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_NOTADB', 'not-a-database'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_FULL', 'full'],
  // The shared-memory file beside the database could not be made large enough: on a full disk that is what fails first.
  ['SQLITE_IOERR_SHMSIZE', 'full'],
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_IOERR', 'io'],
  ['SQLITE_PROTOCOL', 'io'],
];

export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Errors that speak of the program (a constraint, a wrong statement) are returned as they are: hiding them helps nobody. */
export function translateError(error: unknown, location: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const reason = REASONS.find(([code]) => error.code.startsWith(code))?.[1];
  return reason === undefined ? error : new DatabaseUnavailableError(location, reason, error);
}

import { DatabaseSync } from 'node:sqlite';

/**
 * A SQLite file that another process may be writing at this moment: a lock is waited for, as Tieout itself does. Node's default
 * is to fail at once with "database is locked".
 */
export const openSqliteFile = (path: string, options: { readOnly?: boolean } = {}): DatabaseSync =>
  new DatabaseSync(path, { ...options, timeout: 30_000 });

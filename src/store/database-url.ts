/** Reads `database.url`. */
import { DatabaseUrlError } from './errors.ts';

/** Where the database is. */
export interface DatabaseAddress {
  engine: 'sqlite';
  /** A path, relative to the working directory where it is relative, or `:memory:`. */
  file: string;
}

/**
 * `sqlite:var/tieout.db`, `sqlite:/srv/tieout.db`, `sqlite::memory:`.
 * @throws DatabaseUrlError; the message never repeats an address that may carry a password.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  if (/^postgres(?:ql)?:/.test(url)) {
    throw new DatabaseUrlError('PostgreSQL is not built in yet: set database.url to `sqlite:PATH`');
  }
  if (!url.startsWith('sqlite:')) throw new DatabaseUrlError('database.url must be `sqlite:PATH` or `sqlite::memory:`');
  const file = url.slice('sqlite:'.length);
  if (file.trim() === '') throw new DatabaseUrlError('database.url names no file: write `sqlite:PATH`');
  if (file.startsWith('//')) {
    throw new DatabaseUrlError('database.url takes a plain path after `sqlite:`, without `//`: `sqlite:var/tieout.db`');
  }
  return { engine: 'sqlite', file };
}

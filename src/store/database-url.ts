/** Reads `database.url`. */
import { DatabaseUrlError } from '../ports/store/errors.ts';

type DatabaseAddress =
  | {
      engine: 'sqlite';
      /** A path, relative to the working directory where it is relative, or `:memory:`. */
      file: string;
      /** Where its sealing key is, unless the settings have one. */
      keyFile: string;
    }
  | {
      engine: 'postgres';
      /** May contain the password: must not be shown. */
      url: string;
      /** For messages: host, port and database, without user and password. */
      location: string;
      /** A key file on each machine would differ from the others, and would be lost with its container. */
      keyFile: null;
    };

/** `var/tieout.db` has its key in `var/tieout.db.key`. */
export function keyFileBeside(databaseFile: string): string {
  return `${databaseFile}.key`;
}

function readSqlite(url: string): DatabaseAddress {
  const file = url.slice('sqlite:'.length);
  if (file.trim() === '') throw new DatabaseUrlError('database.url names no file', { remedy: 'write `sqlite:PATH`' });
  if (file.startsWith('//')) {
    throw new DatabaseUrlError('database.url has `//` after `sqlite:`', {
      remedy: 'write a plain path, as `sqlite:var/tieout.db`',
    });
  }
  return { engine: 'sqlite', file, keyFile: keyFileBeside(file) };
}

function readPostgres(url: string): DatabaseAddress {
  // The error of `new URL` would quote its input with the password.
  const parsed = URL.parse(url);
  if (parsed === null) {
    throw new DatabaseUrlError('database.url cannot be read', {
      remedy:
        'write `postgres://user@host:5432/name`, with `@`, `/`, `#` and `%` in the password percent-encoded, or give the ' +
        'password in PGPASSWORD',
    });
  }
  const { hostname, port, pathname, searchParams } = parsed;
  if (pathname.length < 2) {
    throw new DatabaseUrlError('database.url names no database', {
      remedy: 'write `postgres://user@host:5432/name`',
    });
  }
  const host = searchParams.get('host') ?? (hostname || 'localhost');
  return { engine: 'postgres', url, location: `${host}:${port || '5432'}${pathname}`, keyFile: null };
}

/**
 * `sqlite:var/tieout.db`, `sqlite:/srv/tieout.db`, `sqlite::memory:`, `postgres://user@host:5432/name`.
 * @throws DatabaseUrlError; the message never repeats an address that may carry a password.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  if (/^postgres(?:ql)?:\/\//.test(url)) return readPostgres(url);
  if (url.startsWith('sqlite:')) return readSqlite(url);
  throw new DatabaseUrlError('database.url names no engine that is built in', {
    remedy: 'write `sqlite:PATH`, `sqlite::memory:` or `postgres://user@host:5432/name`',
  });
}

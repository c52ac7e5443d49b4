/** What can stop the store: one class per cause, each with the remedy in its text. None ever carries a token or a key. */
import { EXIT, TieoutError } from '../../domain/errors.ts';

/** Why a database cannot be used; the message says it in words. */
export type UnavailableReason =
  | 'missing'
  | 'cannot-open'
  | 'read-only'
  | 'not-a-database'
  | 'foreign'
  | 'damaged'
  | 'full'
  | 'busy'
  | 'io'
  // A server's:
  | 'unreachable'
  | 'tls'
  | 'login-refused'
  | 'no-such-database'
  | 'not-allowed'
  | 'no-connection-left'
  | 'connection-lost'
  | 'silent'
  | 'took-too-long'
  | 'standby'
  | 'damaged-pages'
  | 'too-old'
  | 'not-utf8';

const REMEDY: Readonly<Record<UnavailableReason, string>> = {
  missing: 'there is no database there; `tieout db migrate` makes one',
  'cannot-open': 'it cannot be opened; check that the folder exists and belongs to this user',
  'read-only':
    'it cannot be written to; check the permissions of the file and of its folder, and that the disk is writable',
  'not-a-database': 'the file is not a SQLite database; check `database.url`, or move the file away',
  foreign: 'the database belongs to another program; give Tieout one of its own in `database.url`',
  damaged: 'the file is damaged; stop every process that uses it and restore the last `tieout db backup`',
  full: 'the disk is full; free some space and run again, nothing was half written',
  busy: 'another process has been writing for too long; see what it is doing, then run again',
  io: 'the disk reported an error; check it before running again',
  unreachable: 'the server does not answer; check that it runs, and the host and the port in `database.url`',
  tls: 'no secure connection can be made; check `sslmode` in `database.url` and the certificate of the server',
  'login-refused':
    'the server refuses this user or password; check `database.url` (or PGPASSWORD) and pg_hba.conf of the server',
  'no-such-database': 'the server has no such database; make it with `createdb`, then run `tieout db migrate`',
  'not-allowed': 'this user may not do that there; docs/deploy/postgresql/roles.sql grants each role what it needs',
  'no-connection-left': 'the server has no connection left; raise its max_connections, or run again later',
  'connection-lost':
    'the connection was lost; look into the log of the server, then run again, nothing was half written',
  silent:
    'the server stopped answering in the middle; check the network between here and it, then run again, nothing was half written',
  'took-too-long': 'the server ended a statement or a transaction that took too long; look at its load, then run again',
  standby:
    'the server only takes reads (a standby, or default_transaction_read_only); point `database.url` at the primary',
  'damaged-pages': 'the server reports damaged data; stop every process that uses it and restore the last backup',
  'too-old': 'the server is older than PostgreSQL 14; use a newer one',
  'not-utf8': 'the database is not encoded in UTF-8; make one with `createdb --encoding=UTF8 --template=template0`',
};

/** The database cannot be opened, read or written (exit code 4). */
export class DatabaseUnavailableError extends TieoutError {
  override readonly name = 'DatabaseUnavailableError';
  override readonly exitCode = EXIT.unavailable;
  readonly reason: UnavailableReason;
  constructor(location: string, reason: UnavailableReason, cause?: unknown) {
    super(`database ${location}: ${REMEDY[reason]}`, { cause });
    this.reason = reason;
  }
}

/** `database.url` names no engine that is built in, or has no path. */
export class DatabaseUrlError extends TieoutError {
  override readonly name = 'DatabaseUrlError';
  override readonly exitCode = EXIT.usage;
}

/** The database lacks migrations that this program needs. */
export class SchemaOutdatedError extends TieoutError {
  override readonly name = 'SchemaOutdatedError';
  override readonly exitCode = EXIT.unavailable;
  readonly pending: readonly string[];
  constructor(location: string, pending: readonly string[]) {
    super(`database ${location} lacks ${pending.join(', ')}: run \`tieout db migrate\` (after a \`tieout db backup\`)`);
    this.pending = pending;
  }
}

/** A newer program has migrated the database; this one could misread it. */
export class SchemaNewerError extends TieoutError {
  override readonly name = 'SchemaNewerError';
  override readonly exitCode = EXIT.unavailable;
  readonly unknown: readonly string[];
  constructor(location: string, unknown: readonly string[]) {
    super(`database ${location} was changed by a newer Tieout (${unknown.join(', ')}): upgrade this installation`);
    this.unknown = unknown;
  }
}

/** Another process has taken the lease over; whatever this one was about to write was not written. */
export class LeaseLostError extends TieoutError {
  override readonly name = 'LeaseLostError';
  override readonly exitCode = EXIT.locked;
  constructor(lease: string) {
    super(
      `the lease \`${lease}\` has passed to another process, so nothing more was written; ` +
        'wait for that one to end, then run again with --resume',
    );
  }
}

export class UnknownRunError extends TieoutError {
  override readonly name = 'UnknownRunError';
  override readonly exitCode = EXIT.usage;
  constructor(runId: string) {
    super(`there is no run ${runId}; \`tieout runs list\` shows the ones there are`);
  }
}

/** A run was asked for a step that its state does not allow. */
export class RunStateError extends TieoutError {
  override readonly name = 'RunStateError';
  override readonly exitCode = EXIT.usage;
  constructor(runId: string, state: string, wanted: string) {
    super(`run ${runId} is ${state} and cannot ${wanted}; \`tieout runs show ${runId}\` tells what it did`);
  }
}

/** An observation names a record that is not in the run, or a state that is another record's. A mistake of the caller. */
export class ForeignItemError extends Error {
  override readonly name = 'ForeignItemError';
  constructor(what: string) {
    super(`refused to store ${what}: it does not belong there`);
  }
}

export class UnknownBreakError extends TieoutError {
  override readonly name = 'UnknownBreakError';
  override readonly exitCode = EXIT.usage;
  constructor(breakId: string) {
    super(`there is no break ${breakId}; \`tieout breaks list\` shows the ones there are`);
  }
}

/** Somebody, or a run, has changed the break since it was looked at. */
export class BreakMovedOnError extends TieoutError {
  override readonly name = 'BreakMovedOnError';
  override readonly exitCode = EXIT.usage;
  constructor(breakId: string) {
    super(
      `break ${breakId.slice(0, 12)} has changed since it was read: look at it again with \`tieout breaks show\`, then decide`,
    );
  }
}

export class AmbiguousBreakIdError extends TieoutError {
  override readonly name = 'AmbiguousBreakIdError';
  override readonly exitCode = EXIT.usage;
  constructor(prefix: string) {
    super(`several breaks begin with ${prefix}: give more characters of the id`);
  }
}

/** `tieout db backup` copies a file; a server has tools of its own. */
export class BackupElsewhereError extends TieoutError {
  override readonly name = 'BackupElsewhereError';
  override readonly exitCode = EXIT.usage;
  constructor(location: string) {
    super(
      `database ${location} is on a PostgreSQL server: back it up with \`pg_dump --format=custom\`, or with the continuous ` +
        'archiving of the server; `tieout db copy` makes a SQLite file of it',
    );
  }
}

/** The target of a backup is there already; a backup never overwrites. */
export class BackupExistsError extends TieoutError {
  override readonly name = 'BackupExistsError';
  override readonly exitCode = EXIT.usage;
  constructor(path: string) {
    super(`${path} exists: choose another name for the backup, or move that file away`);
  }
}

/** A statement about a month was asked for a step that its state does not allow: somebody else was faster. */
export class PeriodStateError extends TieoutError {
  override readonly name = 'PeriodStateError';
  override readonly exitCode = EXIT.locked;
  constructor(period: string, state: string, wanted: string) {
    super(`${period} is ${state} and cannot ${wanted}; \`tieout period status ${period}\` tells who did what`);
  }
}

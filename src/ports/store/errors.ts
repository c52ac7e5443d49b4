/** Errors of the store: one class per cause, with its remedy. No message carries a token or a key. */
import { EXIT, TieoutError, UnavailableError, UsageError } from '../../domain/errors.ts';
import type { Kind } from '../../domain/record.ts';

/** Why a database cannot be used, and what to do about it. */
const UNAVAILABLE = {
  missing: ['there is no database there', 'make one with `tieout db migrate`'],
  replaced: [
    'the file was removed or replaced while it was in use, so nothing more was written',
    'check that its volume is mounted, put the right file back, then run again',
  ],
  'cannot-open': [
    'it cannot be opened',
    'check that it is a file, and that its folder exists and belongs to this user',
  ],
  'read-only': [
    'it cannot be written to',
    'check the permissions of the file and of its folder, and that the disk is writable',
  ],
  'not-a-database': ['the file is not a SQLite database', 'check `database.url`, or move the file away'],
  foreign: ['the database belongs to another program', 'give Tieout one of its own in `database.url`'],
  damaged: [
    'the file is damaged',
    'stop every process that uses it and restore the last backup made by `tieout db backup`',
  ],
  full: ['the disk is full', 'free some space and run again; the last transaction was rolled back'],
  busy: ['another process has been writing for too long', 'wait until it ends, or stop it, then run again'],
  io: ['the disk reported an error', 'check it before running again'],
  // Of a server:
  unreachable: ['the server does not answer', 'check that it runs, and the host and the port in `database.url`'],
  tls: ['no secure connection can be made', 'check `sslmode` in `database.url` and the certificate of the server'],
  'login-refused': [
    'the server refuses this user or password',
    'check `database.url` (or PGPASSWORD) and pg_hba.conf of the server',
  ],
  'no-such-database': ['the server has no such database', 'make it with `createdb`, then run `tieout db migrate`'],
  'not-allowed': [
    'this user lacks a permission',
    'connect as a user of the role for this command, and after a migration run docs/deploy/postgresql/roles.sql again: it grants what each role needs',
  ],
  'no-connection-left': ['the server has no connection left', 'raise its max_connections, or run again later'],
  'connection-lost': [
    'the connection was lost; the last transaction was rolled back',
    'look into the log of the server, then run again',
  ],
  silent: [
    'the server stopped answering; the last transaction was rolled back',
    'check the network between here and it, then run again',
  ],
  'took-too-long': [
    'the server ended a statement or a transaction that took too long',
    'look at its load, then run again',
  ],
  standby: [
    'the server is read-only (a standby, or default_transaction_read_only)',
    'point `database.url` at the primary',
  ],
  'damaged-pages': ['the server reports damaged data', 'stop every process that uses it and restore the last backup'],
  'too-old': ['the server is older than PostgreSQL 14', 'use a newer one'],
  'not-utf8': ['the database is not encoded in UTF-8', 'make one with `createdb --encoding=UTF8 --template=template0`'],
  incomplete: [
    'a table is missing, or is none of this schema',
    'see which by `tieout db check`; restore a backup, or put `search_path` back',
  ],
} as const satisfies Record<string, readonly [what: string, remedy: string]>;

export type UnavailableReason = keyof typeof UNAVAILABLE;

/** The database cannot be opened, read or written. */
export class DatabaseUnavailableError extends UnavailableError {
  readonly reason: UnavailableReason;
  constructor(location: string, reason: UnavailableReason, cause?: unknown) {
    const [what, remedy] = UNAVAILABLE[reason];
    // The server names the table, and nothing of a row.
    const said = reason === 'not-allowed' && cause instanceof Error ? ` (${cause.message})` : '';
    super(`database ${location}: ${what}${said}`, { remedy, cause });
    this.reason = reason;
  }
}

/** `database.url` names no engine that is built in, or no path. */
export class DatabaseUrlError extends UsageError {}

/** The database lacks migrations that this program needs. */
export class SchemaOutdatedError extends UnavailableError {
  constructor(location: string, pending: readonly string[]) {
    super(`database ${location} is of an earlier version than ${pending.join(', ')}`, {
      remedy: 'run `tieout db migrate` (after a `tieout db backup`)',
    });
  }
}

/** The database is of a version between two that landed, which nothing upgrades. */
export class SchemaBetweenVersionsError extends UnavailableError {
  constructor(location: string, last: string) {
    super(`database ${location} was made by a version of Tieout that was never released (its last change is ${last})`, {
      remedy: 'open it with the version that made it and copy its records into a new database, or restore a backup',
    });
  }
}

/** A newer program has migrated the database; this one could misread it. */
export class SchemaNewerError extends UnavailableError {
  constructor(location: string, unknown: readonly string[]) {
    super(`database ${location} was changed by a newer Tieout (${unknown.join(', ')})`, {
      remedy: 'upgrade this installation',
    });
  }
}

/** Another process has acquired the lease; the transaction that found this out was rolled back. */
export class LeaseLostError extends TieoutError {
  override readonly exitCode = EXIT.locked;
  constructor(lease: string) {
    super(`the lease \`${lease}\` has passed to another process, so nothing more was written`, {
      remedy: 'wait for that process to end, then run again with --resume',
    });
  }
}

export class UnknownRunError extends UsageError {
  constructor(runId: string) {
    super(`there is no run ${runId}`, { remedy: 'list the runs with `tieout runs list`' });
  }
}

/** A run was asked for a step that its state does not allow. */
export class RunStateError extends UsageError {
  constructor(runId: string, state: string, wanted: string) {
    super(`run ${runId} is ${state} and cannot ${wanted}`, {
      remedy: `see what it did with \`tieout runs show ${runId}\``,
    });
  }
}

/** A defect of the caller: an observation of a record that is not in the run, or a state of another record. */
export class ForeignItemError extends Error {
  override readonly name = 'ForeignItemError';
  constructor(what: string) {
    super(`refused to store ${what}: it does not belong there`);
  }
}

export class UnknownBreakError extends UsageError {
  constructor(breakId: string) {
    super(`there is no break ${breakId}`, { remedy: 'list the breaks with `tieout breaks list`' });
  }
}

/** Optimistic locking of a break: it has had further events since the caller read it. */
export class BreakMovedOnError extends UsageError {
  constructor(breakId: string) {
    super(`break ${breakId.slice(0, 12)} has changed since it was read`, {
      remedy: 'read it again with `tieout breaks show`, then decide',
    });
  }
}

/** Optimistic locking of a claim, as of a break. */
export class ClaimMovedOnError extends UsageError {
  constructor(claimId: string) {
    super(`${claimId} has changed since it was read`, {
      remedy: `read it again with \`tieout claims show ${claimId}\`, then decide`,
    });
  }
}

export class AmbiguousBreakIdError extends UsageError {
  constructor(prefix: string) {
    super(`several breaks begin with ${prefix}`, { remedy: 'give more characters of the id' });
  }
}

/** The target of a backup exists; a backup never overwrites a file. */
export class BackupExistsError extends UsageError {
  constructor(path: string) {
    super(`${path} exists`, { remedy: 'choose another name for the backup, or move that file away' });
  }
}

/** A statement about a month was asked for a step that its state does not allow; another process may have taken it. */
export class PeriodStateError extends TieoutError {
  override readonly exitCode = EXIT.locked;
  constructor(period: string, state: string, wanted: string) {
    super(`${period} is ${state} and cannot ${wanted}`, {
      remedy: `see who did what with \`tieout period status ${period}\``,
    });
  }
}

/** Thrown where a record is not tracked as that kind. */
export class UnknownRecordError extends UsageError {
  constructor(kind: Kind, id: string) {
    super(`${kind} ${id} is not tracked`, { remedy: '`tieout import` adds ids with their tokens' });
  }
}

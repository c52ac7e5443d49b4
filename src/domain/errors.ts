/**
 * The root of every error that Tieout throws on purpose. Such an error says what happened, how to mend it, and with which
 * exit code a command ends because of it; anything else that is thrown is a defect of the program.
 */

/** The exit codes of every command. */
export const EXIT = {
  clean: 0,
  /** Breaks, as `--fail-on` has it. */
  breaks: 1,
  /** Usage or configuration error. */
  usage: 2,
  /** Something due was not verified, or something that came in was not read. */
  incomplete: 3,
  /** The Service or the database is unavailable, the disk is full, or a defect of the program: nothing was judged. */
  unavailable: 4,
  /** Another run holds the lock. */
  locked: 5,
  /** SIGINT, and SIGTERM: stopped, state saved. */
  interrupted: 130,
  terminated: 143,
} as const;
/** Of the process; cron lines and dashboards depend on them. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface ErrorOptions {
  /** How to mend it, as an imperative sentence without a full stop; printed after the message. */
  remedy?: string | undefined;
  cause?: unknown;
}

export abstract class TieoutError extends Error {
  /** What a command ends with when this error reaches it. */
  abstract readonly exitCode: ExitCode;
  /** True where the error concerns a single request or record, so that a batch continues with the next one. */
  readonly aboutOneRequest: boolean = false;
  /** Null where the message itself says what to do. */
  readonly remedy: string | null;

  constructor(what: string, { remedy, cause }: ErrorOptions = {}) {
    super(remedy === undefined ? what : `${what}; ${remedy}`, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.remedy = remedy ?? null;
  }
}

/** Invalid input to a command, a function or a setting. */
export class UsageError extends TieoutError {
  override readonly exitCode = EXIT.usage;
}

/** The Service, the database, the disk or the network cannot be used. */
export class UnavailableError extends TieoutError {
  override readonly exitCode = EXIT.unavailable;
}

/** The exit code of anything thrown: an error that is not a TieoutError is `unavailable`, never clean and never breaks. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof TieoutError ? error.exitCode : EXIT.unavailable;
}

/**
 * The system's or the library's code of an error; null where it has none. A host with several addresses fails with one
 * error for all of them: the first speaks for them.
 */
export function codeOf(error: unknown): string | null {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : null;
}

/** What the disk or the system lacks, by the code of a failed system call. */
export const SYSTEM_FAULTS: Readonly<Record<string, { reason: string; remedy: string }>> = {
  ENOSPC: { reason: 'the disk is full', remedy: 'free some space' },
  EDQUOT: { reason: 'the disk quota is used up', remedy: 'free some space' },
  EIO: { reason: 'the disk reported an input/output error', remedy: 'check it' },
  EMFILE: { reason: 'too many open files', remedy: 'raise the limit (ulimit -n)' },
};

/** The same in words, wherever a command met it; null for an error of any other kind. */
export function systemFault(error: unknown): string | null {
  const code = codeOf(error) ?? '';
  const fault = SYSTEM_FAULTS[code];
  return fault === undefined ? null : `${fault.reason} (${code}); ${fault.remedy}, then run the command again`;
}

/** True for a failure that concerns one request alone: the work continues with the next one. */
export function isAboutOneRequest(error: unknown): error is TieoutError {
  return error instanceof TieoutError && error.aboutOneRequest;
}

/** True where a signal or a deadline ended the work. */
export function isAbort(error: unknown): error is Error {
  return error instanceof Error && error.name === 'AbortError';
}

/** The exit codes of the contract, and the one place where errors become one of them. */

export const EXIT = {
  clean: 0,
  /** Breaks, as `--fail-on` has it. */
  breaks: 1,
  /** Usage or configuration error. */
  usage: 2,
  /** Something due was not verified. */
  incomplete: 3,
  /** The Service or the database unavailable, the disk full, or a defect of ours: nothing was judged. */
  unavailable: 4,
  /** Another run holds the lock. */
  locked: 5,
  /** SIGINT, and SIGTERM: stopped, state saved. */
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the caller can mend by calling differently, or by other settings. */
const USAGE = [
  'ConfigError',
  'UsageError',
  'UnreadableFileError',
  'SourceQueryError',
  'DatabaseUrlError',
  'KeyFormatError',
  'MissingKeyError',
  'WrongKeyError',
  'KeyFileError',
  'UnknownRunError',
  'RunStateError',
  'NothingToResumeError',
  'UnknownBreakError',
  'AmbiguousBreakIdError',
  'BreakMovedOnError',
  'DecisionRefusedError',
  'BackupExistsError',
  'BackupElsewhereError',
  'CopyTargetNotEmptyError',
  'UnknownRuleError',
  'UnknownDefectError',
  'SandboxOptionError',
  'SigningKeyError',
  'ServiceNotConfiguredError',
  'WebhookKeyError',
  'WebhookKeysMissingError',
  'ListenError',
  'HostApiKeyMissingError',
  'UnknownEndpointError',
  'InvalidRequestError',
  'ChartLibraryMissingError',
  'PeriodNameError',
  'PeriodNotOverError',
  'PeriodClosedError',
  'PeriodNotClosedError',
  'PeriodReviewedError',
  'PeriodOrderError',
  'SamePersonError',
  'NameMissingError',
  'NothingDiffersError',
  'ManifestKeyError',
  'KeyExistsError',
  'WorkersNeedPostgresError',
  'WidgetUrlError',
  'WidgetValueError',
];

/** A close that is refused for the reason a run would exit with it. */
const BREAKS = ['PeriodBreaksOpenError', 'PeriodDamagedError'];
const INCOMPLETE = ['PeriodUnverifiedError'];

const LOCKED = ['LockHeldError', 'LeaseLostError', 'DateFinishedError', 'PeriodStateError'];

/** Known to be about the world, not about us: their message says all that is needed. */
const UNAVAILABLE = [
  'DatabaseUnavailableError',
  'DatabaseFileGoneError',
  'DatabaseSilentError',
  'SchemaOutdatedError',
  'SchemaNewerError',
  'BrokenSealError',
  'CopyDiffersError',
  'SourceUnavailableError',
  'ServiceUnavailableError',
  'WorkersFailedError',
  'CircuitOpenError',
  'BookingTooSlowError',
  'EgressSharedError',
  'PublicationError',
  'ArchiveTooLargeError',
  'ChainDamagedError',
  'RequestRejectedError',
  'ServerFailureError',
  'NotJsonError',
  'RedirectedError',
  'AnswerDriftError',
  'DnsError',
  'ConnectionRefusedError',
  'ConnectionLostError',
  'TruncatedBodyError',
  'DeadlineError',
  'TlsError',
  'BodyTooLargeError',
  'NotHttpError',
  'UnexpectedStatusError',
  'UnreadableAnswerError',
  'RequestBudgetError',
  'ReleaseError',
  'NotSentError',
];

/**
 * By class name rather than by class: importing every room's errors would load the database drivers and the HTTP client
 * for `tieout --help`. A test compares these lists with the classes that exist.
 */
const CODES: ReadonlyMap<string, ExitCode> = new Map<string, ExitCode>([
  ...USAGE.map((name) => [name, EXIT.usage] as const),
  ...BREAKS.map((name) => [name, EXIT.breaks] as const),
  ...INCOMPLETE.map((name) => [name, EXIT.incomplete] as const),
  ...LOCKED.map((name) => [name, EXIT.locked] as const),
  ...UNAVAILABLE.map((name) => [name, EXIT.unavailable] as const),
]);

/** Thrown when a command is called in a way that it cannot do; the message says how to call it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** True where the error explains itself: no stack, no "unexpected". */
export function isKnown(error: unknown): boolean {
  return error instanceof Error && CODES.has(error.name);
}

/** The code of whatever was thrown; what nobody foresaw is `unavailable`, never clean and never breaks. */
export function exitCodeOf(error: unknown): ExitCode {
  return (error instanceof Error ? CODES.get(error.name) : undefined) ?? EXIT.unavailable;
}

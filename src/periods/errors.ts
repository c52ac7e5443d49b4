/** Why a month cannot be closed, reviewed or restated: one class per cause. */
import { EXIT, TieoutError, UsageError } from '../domain/errors.ts';
import type { PeriodFigures } from '../ports/period.ts';

/** Not a month. Exit code 2. */
export class PeriodNameError extends UsageError {
  constructor(text: string) {
    super(`${text}: not a month`, { remedy: 'write it as 2026-10' });
  }
}

/** The month has not ended yet in the business time zone. Exit code 2. */
export class PeriodNotOverError extends UsageError {
  constructor(period: string, ends: string, timezone: string) {
    super(`${period} is not over: its last day is ${ends} (${timezone})`, { remedy: 'close it after that' });
  }
}

/** A month is closed once; what is found later is a delta, or goes into the next month. Exit code 2. */
export class PeriodClosedError extends UsageError {
  constructor(period: string, by: string, on: string) {
    super(`${period} was closed by ${by} on ${on} and is never closed again`, {
      remedy: `state the differences since with \`tieout period delta ${period} --by NAME\``,
    });
  }
}

/** Only a closed month can be reviewed or have a delta. Exit code 2. */
export class PeriodNotClosedError extends UsageError {
  constructor(period: string) {
    super(`${period} is not closed`, { remedy: `\`tieout period close ${period} --by NAME\` closes it` });
  }
}

/** Exit code 2. */
export class PeriodReviewedError extends UsageError {
  constructor(period: string, by: string, on: string) {
    super(`${period} was reviewed by ${by} on ${on} already; a month is reviewed once`);
  }
}

/** Months are closed in order: a gap would leave findings that no set carries. Exit code 2. */
export class PeriodOrderError extends UsageError {
  constructor(period: string, next: string) {
    super(`${period} cannot be closed now: months are closed in order`, { remedy: `close ${next} first` });
  }
}

/** Four-eyes principle: a month is not reviewed by the person who closed it. Exit code 2. */
export class SamePersonError extends UsageError {
  constructor(period: string, name: string) {
    super(`${name} closed ${period}`, { remedy: 'another person must review it (--by)' });
  }
}

/** A name is needed, for the record. Exit code 2. */
export class NameMissingError extends UsageError {
  constructor(what: string) {
    super(`${what} is blank`, { remedy: 'give one; it is kept for ever' });
  }
}

/** An empty delta is not written. Exit code 2. */
export class NothingDiffersError extends UsageError {
  constructor(period: string, since: string) {
    super(`nothing in ${period} differs from ${since}; no delta was written`);
  }
}

const ACCEPT = 'or close it as it is with --accept-open REASON';

/**
 * Records of the month are unverified, quarantined or pending. Exit code 3, as for a run that did not verify every record that
 * was due.
 */
export class PeriodUnverifiedError extends TieoutError {
  override readonly exitCode = EXIT.incomplete;
  constructor(period: string, { verdicts, neverVerified, deferred, breaks }: PeriodFigures) {
    const parts = [
      `${verdicts.unverified} unverified (${neverVerified} never verified, ${deferred} deferred)`,
      `${verdicts.quarantined} quarantined`,
      `${verdicts.pending} pending`,
    ];
    super(`${period} is not complete: ${parts.join(', ')}; ${breaks.open} breaks are open`, {
      remedy: `see them with \`tieout period status ${period}\`; run \`tieout audit\` over the month, ${ACCEPT}`,
    });
  }
}

/** Everything was verified, and breaks are open. Exit code 1, as for a run that ended so. */
export class PeriodBreaksOpenError extends TieoutError {
  override readonly exitCode = EXIT.breaks;
  constructor(period: string, { breaks, rules }: PeriodFigures) {
    const byRule = rules.map(({ rule, open }) => `${open} ${rule}`).join(', ');
    super(`${period} has ${breaks.open} open breaks: ${byRule}`, {
      remedy: `resolve or waive them (\`tieout breaks list\`), ${ACCEPT}`,
    });
  }
}

/** The sealed set was changed or removed. Exit code 1, as for `tieout verify`. */
export class PeriodDamagedError extends TieoutError {
  override readonly exitCode = EXIT.breaks;
  constructor(period: string, problem: string) {
    super(`the sealed set of ${period} fails verification: ${problem}`, {
      remedy: 'restore its folder from a backup',
    });
  }
}

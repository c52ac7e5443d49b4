/** Why a month cannot be closed, or rests on a set that does not hold; a refused request is a `UsageError` (month.ts). */

import { EXIT, TieoutError } from '../domain/errors.ts';
import type { PeriodFigures } from '../ports/period.ts';
import { counted } from '../text/counts.ts';

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
    super(`${period} is not complete: ${parts.join(', ')}; ${counted(breaks.open, 'break is', 'breaks are')} open`, {
      remedy: `see them with \`tieout period status ${period}\`; run \`tieout audit\` over the month, ${ACCEPT}`,
    });
  }
}

/** Everything was verified, and breaks are open. Exit code 1, as for a run that ended so. */
export class PeriodBreaksOpenError extends TieoutError {
  override readonly exitCode = EXIT.breaks;
  constructor(period: string, { breaks, rules }: PeriodFigures) {
    const byRule = rules.map(({ rule, open }) => `${open} ${rule}`).join(', ');
    super(`${period} has ${counted(breaks.open, 'open break')}: ${byRule}`, {
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

/** Why a month is not closed, reviewed or added to, in the words of the command line. */
import { describe, expect, it } from 'vitest';
import { PeriodBreaksOpenError, PeriodDamagedError, PeriodUnverifiedError } from '../../src/periods/errors.ts';
import type { PeriodFigures } from '../../src/ports/period.ts';
import { NOTHING } from './support/a-standing.ts';

const FIGURES: PeriodFigures = {
  ...NOTHING,
  population: 40,
  verdicts: { matched: 20, pending: 3, break: 5, unverified: 10, quarantined: 2, waived: 0 },
  deferred: 4,
  unreachable: 5,
  neverVerified: 6,
  neverLookedAt: 1,
  breaks: { open: 7, waived: 8 },
  rules: [
    { rule: 'RESTATED', severity: 'high', open: 5, differences: {} },
    { rule: 'RATE_OUT_OF_LINE', severity: 'medium', open: 2, differences: {} },
  ],
};

describe('a refusal names its cause and the remedy', () => {
  it.each<[name: string, refuse: () => Error, message: string]>([
    [
      'PeriodUnverifiedError',
      () => new PeriodUnverifiedError('2026-10', FIGURES),
      '2026-10 is not complete: 10 unverified (6 never verified, 4 deferred), 2 quarantined, 3 pending; 7 breaks are open; ' +
        'see them with `tieout period status 2026-10`; run `tieout audit` over the month, or close it as it is with --accept-open REASON',
    ],
    [
      'PeriodBreaksOpenError',
      () => new PeriodBreaksOpenError('2026-10', FIGURES),
      '2026-10 has 7 open breaks: 5 RESTATED, 2 RATE_OUT_OF_LINE; ' +
        'resolve or waive them (`tieout breaks list`), or close it as it is with --accept-open REASON',
    ],
    [
      'PeriodDamagedError',
      () => new PeriodDamagedError('2026-10', 'records.csv has another hash'),
      'the sealed set of 2026-10 fails verification: records.csv has another hash; restore its folder from a backup',
    ],
  ])('%s', (name, refuse, message) => {
    const error = refuse();
    expect([error.name, error.message]).toEqual([name, message]);
  });
});

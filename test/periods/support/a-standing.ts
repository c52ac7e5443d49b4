/** A record as it stands in its month, and the figures of a month without records. */
import type { PeriodRecord } from '../../../src/periods/standing.ts';
import type { PeriodFigures } from '../../../src/ports/period.ts';
import { aCase, aPurchase } from '../../support/builders.ts';

/** A verified, matched purchase, dated by its body. */
export function aStanding(
  record: Partial<PeriodRecord['record']> = {},
  rest: Partial<Omit<PeriodRecord, 'record'>> = {},
): PeriodRecord {
  const state = aPurchase();
  return {
    record: {
      recordKey: 1,
      kind: 'purchase',
      recordId: state.recordId,
      lookRun: 1,
      verifiedRun: 1,
      contentKey: 1,
      verdict: 'matched',
      present: true,
      changes: [],
      ...record,
    },
    datedBy: 'body',
    hostReference: null,
    observation: aCase().observation,
    verified: null,
    lookDate: '2026-10-31',
    state,
    breaks: [],
    ...rest,
  };
}

export const NOTHING: PeriodFigures = {
  population: 0,
  verdicts: { matched: 0, pending: 0, break: 0, unverified: 0, quarantined: 0, waived: 0 },
  stake: { recordsAtRisk: 0, open: [], waived: [] },
  deferred: 0,
  unreachable: 0,
  neverVerified: 0,
  neverLookedAt: 0,
  datedByTold: 0,
  datedByTracking: 0,
  retracted: null,
  breaks: { open: 0, waived: 0 },
  rules: [],
  currencies: [],
  earlier: null,
};

/** One verdict per record per run; the five counts add up to the population, always. */
import type { Observation } from '../domain/case.ts';
import type { Verdict } from '../domain/finding.ts';
import type { Kind } from '../domain/record.ts';
import { isTerminal, type StatusModel } from '../domain/status.ts';

export function verdictOf(kind: Kind, observation: Observation, openBreaks: number, statuses: StatusModel): Verdict {
  switch (observation.outcome) {
    case 'quarantined':
      return 'quarantined';
    case 'unreachable':
    case 'deferred':
      return 'unverified';
    case 'verified': {
      if (openBreaks > 0) return 'break';
      const { status } = observation.snapshot.state;
      // A sale body without a status is judged by its amounts alone (spec §2.8).
      if (status === null && kind === 'sale') return 'matched';
      return isTerminal(statuses, kind, status) ? 'matched' : 'pending';
    }
  }
}

/** True where nothing was learned of a due record. A 404 or 403 is an answer: a break, not incompleteness. */
export function isNotReached(observation: Observation): boolean {
  return (
    observation.outcome === 'deferred' ||
    (observation.outcome === 'unreachable' &&
      observation.reason !== 'RECORD_MISSING' &&
      observation.reason !== 'ACCESS_DENIED')
  );
}

/** One verdict per record per run; the counts of the six verdicts add up to the population, always. */
import { type Break, isOpen } from '../domain/break.ts';
import type { Observation } from '../domain/case.ts';
import type { Verdict } from '../domain/finding.ts';
import type { Kind } from '../domain/record.ts';
import { isTerminal, type StatusModel } from '../domain/status.ts';

/**
 * `waived` is a record that was verified, with at least one standing break, all of them waived: never `matched`.
 * @param breaks of the record; resolved ones do not count.
 */
export function verdictOf(
  kind: Kind,
  observation: Observation,
  breaks: readonly Pick<Break, 'state'>[],
  statuses: StatusModel,
): Verdict {
  switch (observation.outcome) {
    case 'quarantined':
      return 'quarantined';
    case 'unreachable':
    case 'deferred':
      return 'unverified';
    case 'verified': {
      if (breaks.some(({ state }) => isOpen(state))) return 'break';
      if (breaks.some(({ state }) => state === 'waived')) return 'waived';
      const { status } = observation.snapshot.state;
      // A sale body without a status is judged by its amounts alone (spec §2.8).
      if (status === null && kind === 'sale') return 'matched';
      return isTerminal(statuses, kind, status) ? 'matched' : 'pending';
    }
  }
}

/** True where a due record was not observed. A 404 or 403 is an answer: a break, not incompleteness. */
export function isNotReached(observation: Observation): boolean {
  return (
    observation.outcome === 'deferred' ||
    (observation.outcome === 'unreachable' &&
      observation.reason !== 'RECORD_MISSING' &&
      observation.reason !== 'ACCESS_DENIED')
  );
}

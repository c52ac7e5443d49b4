import type { History } from '../domain/case.ts';
import { type Instant, showInstant } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { StatusDefinition } from '../domain/status.ts';
import type { Rule } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';
import { showDuration } from './wording/time.ts';

export const statusStuck: Rule = {
  code: 'STATUS_STUCK',
  severity: 'medium',
  title: 'Longer in a status than the model allows',
  why: "The user's money or crypto is on its way for too long; somebody should ask the Service before the user does.",
  check(input) {
    const state = verifiedState(input);
    if (state === null || state.status === null) return 'not-applicable';
    const definition = input.terms.statuses[state.kind].get(state.status);
    if (definition === undefined) return 'not-applicable';
    if (definition.stuckAfter === null) return NOTHING_FOUND;
    const since = inStatusSince(state, definition, input.history);
    if (since === null) return 'not-applicable';
    const elapsed = input.terms.asOf - since;
    if (elapsed <= definition.stuckAfter) return NOTHING_FOUND;
    return [
      {
        // No difference: it grows every night, and a growing difference would end every waiver.
        field: 'status',
        expected: null,
        actual: state.status,
        explanation:
          `In ${state.status} since ${showInstant(since)} (${showDuration(elapsed)}); ` +
          `allowed ${showDuration(definition.stuckAfter)}.`,
      },
    ];
  },
};

/**
 * The earliest moment from which the record is known to be in its status. We may have looked late (then `updatedAt` is
 * earlier), or the record may have been touched without moving (then our own first sight is).
 */
export function inStatusSince(state: RecordState, definition: StatusDefinition, history: History): Instant | null {
  const { statusSince } = history;
  const { updatedAt } = state;
  if (statusSince !== null && updatedAt !== null) return Math.min(statusSince, updatedAt);
  return statusSince ?? updatedAt ?? (definition.stage === 0 ? state.createdAt : null);
}

import type { Rule } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';

/** The specification lists no statuses (§3), so new ones are to be expected; they are a finding, never a failure. */
export const statusUnknown: Rule = {
  code: 'STATUS_UNKNOWN',
  severity: 'medium',
  title: 'A status outside the model',
  why: 'Nobody can say whether such a record is finished, stuck or lost until the status is given a place in the model.',
  check(input) {
    const state = verifiedState(input);
    if (state === null) return 'not-applicable';
    const { status } = state;
    if (status === null)
      return state.kind === 'sale' ? NOTHING_FOUND : [finding(null, 'The purchase has no status, so')];
    if (input.terms.statuses[state.kind].has(status)) return NOTHING_FOUND;
    return [
      finding(
        status,
        `The ${state.kind} is in ${status}, which the status model does not know: add it to statuses.${state.kind} with its stage; until then`,
      ),
    ];
  },
};

function finding(status: string | null, sentence: string) {
  return {
    field: 'status',
    expected: null,
    actual: status,
    explanation: `${sentence} it is not known whether it is finished.`,
  };
}

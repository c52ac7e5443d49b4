import { NOTHING_FOUND, type Rule, type RuleInput, verifiedState } from './rule.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** The specification lists no statuses (§3), so new ones are to be expected; they are a finding, never a failure. */
export const statusUnknown: Rule = {
  code: 'STATUS_UNKNOWN',
  severity: 'medium',
  title: 'A status outside the model',
  why: 'It is not known whether such a record is finished, stuck or lost until the status is given a place in the model.',
  action: 'Ask the Service what the status means and give it a place in the status model of the settings.',
  settledBy: 'The status is added to the status model, or the record moves on to a status in it.',
  example:
    'The purchase is in ON_HOLD, which the status model does not know: add it to statuses.purchase with its stage; until then it is not known whether it is finished.',
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
  working,
};

function finding(status: string | null, sentence: string) {
  return {
    field: 'status',
    expected: null,
    actual: status,
    explanation: `${sentence} it is not known whether it is finished.`,
  };
}

function working(input: RuleInput): Workings | null {
  const state = verifiedState(input);
  if (state === null) return null;
  const known = [...input.terms.statuses[state.kind].keys()];
  const isKnown = state.status !== null && known.includes(state.status);
  return wordsOnly([
    fact('status', state.status ?? 'none'),
    fact(`statuses of a ${state.kind}`, known.join(', ')),
    plainOutcome(isKnown ? 'among them' : 'not among them', !isKnown),
  ]);
}

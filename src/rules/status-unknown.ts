import type { RecordState } from '../domain/snapshot.ts';
import { NOTHING_FOUND, plainFinding, type Rule, type RuleFinding, type RuleInput, verifiedState } from './rule.ts';
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
    if (input.terms.statuses[state.kind].has(status)) return unknownParts(state, input);
    return [
      finding(
        status,
        `The ${state.kind} is in ${status}, which the status model does not know: add it to statuses.${state.kind} with its stage; until then`,
      ),
    ];
  },
  working,
};

/** How the transfer and the payout of a sale stand: remarks, as the sale itself has a status that is known. */
function unknownParts({ kind, cryptoStatus, payoutStatus }: RecordState, { terms }: RuleInput): readonly RuleFinding[] {
  if (cryptoStatus === undefined && payoutStatus === undefined) return NOTHING_FOUND;
  const parts = { crypto_status: cryptoStatus, payout_status: payoutStatus };
  const found = Object.entries(parts).flatMap(([field, value]): RuleFinding[] => {
    if (value === undefined || terms.statuses[kind].has(value)) return [];
    const part = field === 'crypto_status' ? 'transfer of its crypto' : 'payout';
    const explanation = `The ${part} is in ${value}, which the status model does not know: nothing is concluded from it.`;
    return [{ ...plainFinding(field, value, explanation), severity: 'info' }];
  });
  return found.length === 0 ? NOTHING_FOUND : found;
}

function finding(status: string | null, sentence: string) {
  return {
    field: 'status',
    expected: null,
    actual: status,
    explanation: `${sentence} it is not known whether it is finished.`,
  };
}

function working(input: RuleInput, field: string): Workings | null {
  const state = verifiedState(input);
  if (state === null) return null;
  const { status, cryptoStatus, payoutStatus } = state;
  const value = field === 'status' ? status : ((field === 'crypto_status' ? cryptoStatus : payoutStatus) ?? null);
  const known = [...input.terms.statuses[state.kind].keys()];
  const isKnown = value !== null && known.includes(value);
  return wordsOnly([
    fact('status', value ?? 'none'),
    fact(`statuses of a ${state.kind}`, known.join(', ')),
    plainOutcome(isKnown ? 'among them' : 'not among them', !isKnown),
  ]);
}

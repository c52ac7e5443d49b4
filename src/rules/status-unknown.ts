import type { RecordState } from '../domain/snapshot.ts';
import { bodyRule, NOTHING_FOUND, plainFinding, type RuleFinding, type RuleInput } from './rule.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** The specification lists no statuses (§3), so new ones are to be expected; they are a finding, never a failure. */
export const statusUnknown = bodyRule({
  code: 'STATUS_UNKNOWN',
  severity: 'medium',
  title: 'A status outside the model',
  why: 'It is not known whether such a record is finished, stuck or lost until the status is given a place in the model.',
  action: 'Ask the Service what the status means and give it a place in the status model of the settings.',
  settledBy: 'The status is added to the status model, or the record moves on to a status in it.',
  example:
    'The purchase is in ON_HOLD, which the status model does not know: add it to statuses.purchase with its stage; until then it is not known whether it is finished.',
  check(state, input) {
    const { kind, status } = state;
    if (status === null && kind === 'sale') return null;
    if (status !== null && input.terms.statuses[kind].has(status)) return unknownParts(state, input);
    const unknown =
      status === null
        ? 'The purchase has no status, so'
        : `The ${kind} is in ${status}, which the status model does not know: add it to statuses.${kind} with its stage; until then`;
    return plainFinding('status', status, `${unknown} it is not known whether it is finished.`);
  },
  working,
});

/** How the transfer and the payout of a sale stand: remarks, as the sale itself has a status that is known. */
function unknownParts({ kind, cryptoStatus, payoutStatus }: RecordState, { terms }: RuleInput) {
  if (cryptoStatus === undefined && payoutStatus === undefined) return NOTHING_FOUND;
  const parts = { crypto_status: cryptoStatus, payout_status: payoutStatus };
  return Object.entries(parts).map(([field, value]): RuleFinding | null => {
    if (value === undefined || terms.statuses[kind].has(value)) return null;
    const part = field === 'crypto_status' ? 'transfer of its crypto' : 'payout';
    const explanation = `The ${part} is in ${value}, which the status model does not know: nothing is concluded from it.`;
    return { ...plainFinding(field, value, explanation), severity: 'info' };
  });
}

function working(state: RecordState, input: RuleInput, field: string): Workings {
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

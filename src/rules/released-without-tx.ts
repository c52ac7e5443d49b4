import { showInstant } from '../domain/record.ts';
import { NOTHING_FOUND, plainFinding, type Rule, type RuleInput, verifiedState } from './rule.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** Purchases only: a sale pays out fiat, which has no transaction hash. */
export const releasedWithoutTx: Rule = {
  code: 'RELEASED_WITHOUT_TX',
  severity: 'high',
  title: 'Released, and no transaction hash',
  why: 'The user believes that the crypto was sent, and nothing on the chain proves it.',
  action: 'Ask the Service for the transaction hash, and look at the receiver address on the chain.',
  settledBy: 'A night on which the record has a transaction hash.',
  example:
    'The purchase is RELEASED (last changed 2026-11-15 16:24 UTC) but has no transaction hash: ask the Service for the transaction.',
  check(input) {
    const state = verifiedState(input);
    if (state === null || state.kind !== 'purchase') return 'not-applicable';
    if (state.status !== 'RELEASED' || (state.finalTxHash !== null && state.finalTxHash !== '')) return NOTHING_FOUND;
    const when = state.updatedAt === null ? '' : ` (last changed ${showInstant(state.updatedAt)})`;
    const explanation = `The purchase is RELEASED${when} but has no transaction hash: ask the Service for the transaction.`;
    return [plainFinding('final_tx_hash', null, explanation)];
  },
  working,
};

function working(input: RuleInput): Workings | null {
  const state = verifiedState(input);
  if (state === null) return null;
  const hash = state.finalTxHash;
  return wordsOnly([
    fact('status', state.status ?? 'none'),
    fact('last changed', state.updatedAt === null ? 'not known' : showInstant(state.updatedAt)),
    fact('transaction hash', hash === null || hash === '' ? 'none' : hash),
    plainOutcome('released, and nothing on the chain to show', hash === null || hash === ''),
  ]);
}

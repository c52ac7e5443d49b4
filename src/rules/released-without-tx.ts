import { showInstant } from '../domain/record.ts';
import type { Rule } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';

/** Purchases only: a sale pays out fiat, which has no transaction hash. */
export const releasedWithoutTx: Rule = {
  code: 'RELEASED_WITHOUT_TX',
  severity: 'high',
  title: 'Released, and no transaction hash',
  why: 'The user was told that the crypto was sent, and there is nothing on the chain to prove it with.',
  check(input) {
    const state = verifiedState(input);
    if (state === null || state.kind !== 'purchase') return 'not-applicable';
    if (state.status !== 'RELEASED' || (state.finalTxHash !== null && state.finalTxHash !== '')) return NOTHING_FOUND;
    const when = state.updatedAt === null ? '' : ` (last changed ${showInstant(state.updatedAt)})`;
    return [
      {
        field: 'final_tx_hash',
        expected: null,
        actual: null,
        explanation: `The purchase is RELEASED${when} but has no transaction hash: ask the Service for the transaction.`,
      },
    ];
  },
};

import { showInstant } from '../domain/record.ts';
import { bodyRule, plainFinding } from './rule.ts';
import { fact, plainOutcome, wordsOnly } from './working.ts';

/** Purchases only: a sale pays out fiat, which has no transaction hash. */
export const releasedWithoutTx = bodyRule({
  code: 'RELEASED_WITHOUT_TX',
  severity: 'high',
  title: 'Released, and no transaction hash',
  why: 'The user believes that the crypto was sent, and nothing on the chain proves it.',
  action: 'Ask the Service for the transaction hash, and look at the receiver address on the chain.',
  settledBy: 'A night on which the record has a transaction hash.',
  example:
    'The purchase is RELEASED (last changed 2026-11-15 16:24 UTC) but has no transaction hash: ask the Service for the transaction.',
  check({ kind, status, finalTxHash, updatedAt }) {
    if (kind !== 'purchase') return 'not-applicable';
    if (status !== 'RELEASED' || (finalTxHash !== null && finalTxHash !== '')) return null;
    const when = updatedAt === null ? '' : ` (last changed ${showInstant(updatedAt)})`;
    const explanation = `The purchase is RELEASED${when} but has no transaction hash: ask the Service for the transaction.`;
    return plainFinding('final_tx_hash', null, explanation);
  },
  working: ({ status, finalTxHash, updatedAt }) =>
    wordsOnly([
      fact('status', status ?? 'none'),
      fact('last changed', updatedAt === null ? 'not known' : showInstant(updatedAt)),
      fact('transaction hash', finalTxHash === null || finalTxHash === '' ? 'none' : finalTxHash),
      plainOutcome('released, and nothing on the chain to show', finalTxHash === null || finalTxHash === ''),
    ]),
});

import { assetIdentifier } from '../domain/asset.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { nameOfTx } from '../domain/survey.ts';
import { bodyRule, plainFinding, RIGHTED, type RuleInput } from './rule.ts';
import { fact, plainOutcome, wordsOnly } from './working.ts';

/** One transaction may pay several purchases of several users; one user is not paid twice by it. Chains prove more, where configured. */
export const txReused = bodyRule({
  code: 'TX_REUSED',
  severity: 'high',
  title: 'Another record names the same transaction for the same receiver and asset',
  why: 'One delivery cannot be two: one of the two users may have received nothing.',
  action:
    'Look at the transaction on the chain: does it deliver both amounts? Ask the Service for the other transaction.',
  settledBy: RIGHTED,
  example:
    'The purchase names the transaction 0x5f0c…, and so does purchase sqs6a428mqjtzbv, for the same receiver and asset (ETH_ETH).',
  check(state, input) {
    if (state.finalTxHash === null || state.receiverAddress === null) return 'not-applicable';
    const others = othersOf(state, input);
    const [other] = others;
    if (other === undefined) return null;
    const more = others.length === 1 ? '' : ` and ${others.length - 1} more`;
    const explanation =
      `The ${state.kind} names the transaction ${state.finalTxHash}, and so does ${other}${more}, for the same receiver ` +
      `and asset (${assetIdentifier(state.asset)}).`;
    return plainFinding('final_tx_hash', state.finalTxHash, explanation);
  },
  working(state, input) {
    const others = othersOf(state, input);
    return wordsOnly([
      fact('transaction', state.finalTxHash ?? 'none'),
      fact('receiver', state.receiverAddress ?? 'none'),
      fact('asset', assetIdentifier(state.asset)),
      fact('other records with all three', others.length === 0 ? 'none' : others.join(', ')),
      plainOutcome(others.length === 0 ? 'its own' : 'not its own alone', others.length > 0),
    ]);
  },
});

function othersOf(state: RecordState, { kind, recordId, terms: { reusedTx } }: RuleInput): readonly string[] {
  if (reusedTx.size === 0) return [];
  return reusedTx.get(nameOfTx(state) ?? '')?.filter((claim) => claim !== `${kind} ${recordId}`) ?? [];
}

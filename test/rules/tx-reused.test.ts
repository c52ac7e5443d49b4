import { expect, it } from 'vitest';
import { nameOfTx } from '../../src/domain/survey.ts';
import { findingOf, workOut } from '../../src/explain/recompute.ts';
import { txReused } from '../../src/rules/tx-reused.ts';
import { AS_OF } from '../explain/work-out.ts';
import { someRunTerms } from '../reconcile/support/judging.ts';
import { aCase, aPurchase, someTerms } from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

const state = aPurchase();
const reusedBy = (...others: readonly string[]) =>
  someTerms({ reusedTx: new Map([[nameOfTx(state) ?? '', [`purchase ${state.recordId}`, ...others]]]) });

it('names the other record of the same transaction, receiver and asset', () => {
  expect(ask(txReused, aCase(), reusedBy('purchase other1'))).toEqual([
    {
      field: 'final_tx_hash',
      expected: null,
      actual: state.finalTxHash,
      explanation:
        `The purchase names the transaction ${state.finalTxHash}, and so does purchase other1, for the same receiver and asset ` +
        '(ETH_ETH).',
    },
  ]);
  const [found] = ask(txReused, aCase(), reusedBy('purchase other1', 'sale other2'));
  expect(found).toMatchObject({ explanation: expect.stringContaining('so does purchase other1 and 1 more') });
});

it('says nothing of its own claim, of another transaction, or of one for another receiver', () => {
  expect(ask(txReused, aCase(), reusedBy())).toEqual(NOTHING);
  expect(ask(txReused, aCase())).toEqual(NOTHING);
  const elsewhere = aPurchase({ receiverAddress: '0x000000000000000000000000000000000000dEaD' });
  expect(fieldsOf(txReused, aCase({ state: elsewhere }), reusedBy('purchase other1'))).toEqual([]);
});

it.each([{ finalTxHash: null }, { receiverAddress: null }])('needs a transaction and a receiver: %o', (without) => {
  expect(ask(txReused, aCase({ state: aPurchase(without) }), reusedBy('purchase other1'))).toEqual(NOT_APPLICABLE);
});

it('its arithmetic, by the counts of the run', () => {
  const tx = nameOfTx(state) ?? '';
  const quotes = { onramp: { records: 2, quoted: 2 }, offramp: { records: 0, quoted: 0 } };
  const survey = {
    of: 'run',
    quotes,
    reusedTx: [{ tx, records: [`purchase ${state.recordId}`, 'purchase other1'] }],
  } as const;
  const named = { rule: 'TX_REUSED', field: 'final_tx_hash' };
  expect(findingOf(aCase(), named, someRunTerms(), AS_OF, survey)).toMatchObject(named);
  const workings = workOut(aCase(), named, someRunTerms(), AS_OF, survey);
  expect(workings?.lines.map(({ label, result }) => `${label}: ${result}`)).toEqual([
    `transaction: ${state.finalTxHash}`,
    `receiver: ${state.receiverAddress}`,
    'asset: ETH_ETH',
    'other records with all three: purchase other1',
    'outcome: a break',
  ]);
});

import { expect, test } from 'vitest';
import { releasedWithoutTx } from '../../src/rules/released-without-tx.ts';
import { aCase, anUnreachable, aPurchase, aSale } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

test.each([null, ''])('released with the hash %j is a finding', (finalTxHash) => {
  expect(ask(releasedWithoutTx, aCase({ state: aPurchase({ finalTxHash }) }))).toEqual([
    {
      field: 'final_tx_hash',
      expected: null,
      actual: null,
      explanation:
        'The purchase is RELEASED (last changed 2026-11-01 10:20 UTC) but has no transaction hash: ' +
        'ask the Service for the transaction.',
    },
  ]);
});

test('when it last changed may be unknown', () => {
  expect(ask(releasedWithoutTx, aCase({ state: aPurchase({ finalTxHash: null, updatedAt: null }) }))).toMatchObject([
    { explanation: 'The purchase is RELEASED but has no transaction hash: ask the Service for the transaction.' },
  ]);
});

test('a released purchase with its hash, and one that is not released yet, are fine', () => {
  expect(ask(releasedWithoutTx, aCase())).toEqual(NOTHING);
  expect(ask(releasedWithoutTx, aCase({ state: aPurchase({ status: 'RELEASING', finalTxHash: null }) }))).toEqual(
    NOTHING,
  );
});

test('a sale pays out fiat and has no hash; without a body nothing is known', () => {
  expect(ask(releasedWithoutTx, aCase({ state: aSale({ status: 'RELEASED' }) }))).toEqual(NOT_APPLICABLE);
  expect(ask(releasedWithoutTx, aCase({ observation: anUnreachable() }))).toEqual(NOT_APPLICABLE);
});

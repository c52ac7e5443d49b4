import { expect, test } from 'vitest';
import { statusUnknown } from '../../src/rules/status-unknown.ts';
import { aCase, anUnreachable, aPurchase, aSale } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

test('a status outside the model is a finding', () => {
  expect(ask(statusUnknown, aCase({ state: aPurchase({ status: 'FIAT_PENDING' }) }))).toEqual([
    {
      field: 'status',
      expected: null,
      actual: 'FIAT_PENDING',
      explanation:
        'The purchase is in FIAT_PENDING, which the status model does not know: add it to statuses.purchase with its ' +
        'stage; until then it is not known whether it is finished.',
    },
  ]);
});

test('each kind has its own model: a purchase status means nothing for a sale', () => {
  expect(ask(statusUnknown, aCase({ state: aSale({ status: 'FIAT_SENT' }) }))).toMatchObject([
    { field: 'status', actual: 'FIAT_SENT' },
  ]);
});

test('a purchase without any status is a finding; a sale has none in the specification', () => {
  expect(ask(statusUnknown, aCase({ state: aPurchase({ status: null }) }))).toEqual([
    {
      field: 'status',
      expected: null,
      actual: null,
      explanation: 'The purchase has no status, so it is not known whether it is finished.',
    },
  ]);
  expect(ask(statusUnknown, aCase({ state: aSale({ status: null }) }))).toEqual(NOTHING);
});

test('words for a part of a sale that the model does not know are remarks', () => {
  const parts = { cryptoStatus: 'vaporised', payoutStatus: 'resting' };
  expect(ask(statusUnknown, aCase({ state: { ...aSale({ status: 'RELEASED' }), ...parts } }))).toMatchObject([
    { field: 'crypto_status', actual: 'vaporised', severity: 'info' },
    { field: 'payout_status', actual: 'resting', severity: 'info' },
  ]);
  const known = { cryptoStatus: 'completed', payoutStatus: 'initiated' };
  expect(ask(statusUnknown, aCase({ state: { ...aSale({ status: 'RELEASED' }), ...known } }))).toEqual(NOTHING);
});

test('known statuses are fine', () => {
  expect(ask(statusUnknown, aCase({ state: aPurchase({ status: 'PAYMENT_FAILED' }) }))).toEqual(NOTHING);
  expect(ask(statusUnknown, aCase({ state: aSale({ status: 'EXPIRED' }) }))).toEqual(NOTHING);
});

test('without a body there is no status to know', () => {
  expect(ask(statusUnknown, aCase({ observation: anUnreachable() }))).toEqual(NOT_APPLICABLE);
});

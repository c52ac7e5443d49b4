import { expect, test } from 'vitest';
import { methodUnsupported } from '../../src/rules/method-unsupported.ts';
import { aCase, anUnreachable, aPurchase, someMethods, someReference } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

const by = (paymentMethod: string | null) => aPurchase({ paymentMethod });

test('a method that was not listed then', () => {
  expect(ask(methodUnsupported, aCase({ state: by('CHEQUE') }))).toEqual([
    {
      field: 'payment_method',
      expected: null,
      actual: 'CHEQUE',
      explanation: 'The purchase was made by CHEQUE, which the Service did not list among its methods then.',
    },
  ]);
});

test('an old name, which no list has, is a remark: which of the listed methods it is now is not known', () => {
  for (const old of ['SOFORT', 'BANK_TRANSFER'])
    expect(ask(methodUnsupported, aCase({ state: by(old) }))).toMatchObject([{ actual: old, severity: 'info' }]);
});

test('a method that did not support the currency', () => {
  expect(ask(methodUnsupported, aCase({ state: by('PIX') }))).toEqual([
    {
      field: 'fiat_currency',
      expected: 'BRL',
      actual: 'EUR',
      explanation: 'The purchase was made by Pix in EUR, but that method supported only BRL then.',
    },
  ]);
  const reference = someReference({ methods: someMethods({ PIX: [] }) });
  expect(ask(methodUnsupported, aCase({ state: by('PIX'), reference }))).toMatchObject([
    {
      expected: null,
      explanation: 'The purchase was made by Pix in EUR, but that method supported no currency at all then.',
    },
  ]);
});

test('every currency that the method did support is named', () => {
  const reference = someReference({ methods: someMethods({ CARD_PAYMENT: ['GBP', 'USD'] }) });
  expect(ask(methodUnsupported, aCase({ reference }))).toMatchObject([
    {
      expected: 'GBP USD',
      explanation: 'The purchase was made by card in EUR, but that method supported only GBP, USD then.',
    },
  ]);
});

test('a supported method is fine', () => {
  expect(ask(methodUnsupported, aCase())).toEqual(NOTHING);
});

test.each([
  ['methods were not captured before then', aCase({ reference: someReference({ methods: null }) })],
  ['the list of methods is empty', aCase({ reference: someReference({ methods: someMethods({}) }) })],
  ['the record has no method', aCase({ state: by(null) })],
  ['there is no body', aCase({ observation: anUnreachable() })],
])('not applicable where %s', (_, subject) => {
  expect(ask(methodUnsupported, subject)).toEqual(NOT_APPLICABLE);
});

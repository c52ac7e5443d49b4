import { expect, test } from 'vitest';
import { quoteMissing } from '../../src/rules/quote-missing.ts';
import { aCase, aMatchedQuote, anUnreachable, aPurchase, aQuarantined } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

test('no quote at all', () => {
  expect(ask(quoteMissing, aCase({ quote: null }))).toEqual([
    {
      field: 'quote',
      expected: null,
      actual: null,
      explanation:
        'No quote belongs to this purchase (created 2026-11-01 10:00 UTC): none was linked to it and none was captured ' +
        'near its creation.',
    },
  ]);
});

test('a quote that was linked but never stored is named', () => {
  const subject = aCase({ quote: null, tracked: { quoteId: 'q-404' }, state: aPurchase({ createdAt: null }) });
  expect(ask(quoteMissing, subject)).toEqual([
    {
      field: 'quote',
      expected: 'q-404',
      actual: null,
      explanation: 'The application linked quote q-404 to this purchase, but that quote was never stored here.',
    },
  ]);
});

test.each(['linked', 'captured', 'requoted'] as const)('a %s quote is a quote', (basis) => {
  expect(ask(quoteMissing, aCase({ quote: aMatchedQuote({ basis }) }))).toEqual(NOTHING);
});

test.each([
  ['unreachable', anUnreachable()],
  ['quarantined', aQuarantined()],
])('nothing is missed for a record that is %s', (_, observation) => {
  expect(ask(quoteMissing, aCase({ quote: null, observation }))).toEqual(NOT_APPLICABLE);
});

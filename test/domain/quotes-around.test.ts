import { expect, test } from 'vitest';
import { quotesAround } from '../../src/domain/quotes-around.ts';
import { aPurchase, aQuote, aQuotedMethod } from '../support/builders.ts';

const state = aPurchase();
const quoted = (quoteId: string, fiatValue: string, appliedFee = '4.76') =>
  aQuote({ quoteId, methods: [aQuotedMethod({ fiatValue, appliedFee })] });
const own = {
  basis: 'linked',
  quote: quoted('own', '150'),
  method: aQuotedMethod({ fiatValue: '150' }),
  ageSeconds: 60,
} as const;
const idsOf = (found: ReturnType<typeof quotesAround>) => found && [found.below.quoteId, found.above.quoteId];

test('the nearest quotes on both sides tell the fees between them', () => {
  expect(idsOf(quotesAround(state, own, [quoted('near', '100'), quoted('far', '90')]))).toEqual(['near', 'own']);
});

test('a campaign of another user tells nothing, the one of the record does', () => {
  expect(idsOf(quotesAround(state, own, [quoted('campaign', '100', '2.81'), quoted('far', '90')]))).toEqual([
    'far',
    'own',
  ]);
  expect(quotesAround(state, own, [quoted('campaign', '100', '2.81')])).toBeNull();
  const method = aQuotedMethod({ fiatValue: '150', appliedFee: '2.81' });
  expect(idsOf(quotesAround(state, { ...own, method }, [quoted('near', '100')]))).toEqual(['near', 'own']);
});

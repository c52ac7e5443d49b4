import { describe, expect, it } from 'vitest';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aQuotedMethod,
  type CaseOverrides,
  someMethods,
  someReference,
} from '../../support/builders.ts';
import { arithmeticOf, workedOut } from '../work-out.ts';

describe('there is nothing to work with', () => {
  const unread = anUnreachable();
  it.each<[rule: string, field: string, where: string, subject: CaseOverrides]>([
    ['QUOTE_MISSING', 'quote', 'the record was not read', { observation: unread }],
    ['QUOTE_TERMS_DIFFER', 'asset', 'the record was not read', { observation: unread }],
    ['QUOTE_TERMS_DIFFER', 'asset', 'no quote belongs to it', { quote: null }],
    ['QUOTE_TERMS_DIFFER', 'colour', 'a quote has no such field', {}],
    ['METHOD_UNSUPPORTED', 'payment_method', 'the record was not read', { observation: unread }],
    [
      'METHOD_UNSUPPORTED',
      'payment_method',
      'no methods were captured',
      { reference: someReference({ methods: null }) },
    ],
    ['METHOD_UNSUPPORTED', 'payment_method', 'it names no method', { state: aPurchase({ paymentMethod: null }) }],
  ])('for %s of %s where %s', (rule, field, _where, subject) => {
    expect(arithmeticOf(aCase(subject), rule, field)).toBeNull();
  });
});

describe('a quote that is missing', () => {
  const missing = (subject: CaseOverrides) => workedOut(aCase({ quote: null, ...subject }), 'QUOTE_MISSING', 'quote');

  it('is not searched for where one is linked', () => {
    expect(missing({ tracked: { quoteId: 'q-9' } })).toEqual([
      'linked quote: q-9, never stored here',
      'outcome: found none: a break',
    ]);
  });

  it('was not searched for where the record has no creation time', () => {
    expect(missing({ state: aPurchase({ createdAt: null }) })).toEqual([
      'linked quote: none',
      'captured quotes: not looked for: the creation time is not known',
      'outcome: found none: a break',
    ]);
  });

  it('was searched for without a method where the record names none', () => {
    expect(missing({ state: aPurchase({ paymentMethod: null }) })[1]).toBe(
      'looked for: a captured quote for ETH_ETH, EUR and this amount',
    );
  });

  it('is no break where it was imported since', () => {
    expect(arithmeticOf(aCase(), 'QUOTE_MISSING', 'quote')?.at(-1)).toBe('outcome: found none: no break');
  });
});

describe('the terms of a linked quote', () => {
  it('have all the methods that were offered', () => {
    const methods = [aQuotedMethod({ method: 'PIX' }), aQuotedMethod({ method: 'BANK_TRANSFER' })];
    const subject = aCase({ quote: aMatchedQuote({ method: null, quote: { methods } }) });
    expect(workedOut(subject, 'QUOTE_TERMS_DIFFER', 'payment_method')).toEqual([
      'linked quote: q-17',
      'quoted: PIX, BANK_TRANSFER',
      'actual: CARD_PAYMENT',
      'outcome: not the same: a break',
    ]);
  });

  it.each([
    ['asset', 'ETH_ETH'],
    ['fiat_currency', 'EUR'],
    ['payment_method', 'CARD_PAYMENT'],
  ])('that are those of the record are no break: %s', (field, both) => {
    expect(arithmeticOf(aCase(), 'QUOTE_TERMS_DIFFER', field)).toEqual([
      'linked quote: q-17',
      `quoted: ${both}`,
      `actual: ${both}`,
      'outcome: the same: no break',
    ]);
  });

  it('have no method where the record names none', () => {
    const subject = aCase({ state: aPurchase({ paymentMethod: null }), quote: aMatchedQuote({ method: null }) });
    expect(arithmeticOf(subject, 'QUOTE_TERMS_DIFFER', 'payment_method')?.[2]).toBe('actual: none');
  });
});

describe('a method', () => {
  const used = (paymentMethod: string, methods = someMethods()) =>
    arithmeticOf(
      aCase({ state: aPurchase({ paymentMethod }), reference: someReference({ methods }) }),
      'METHOD_UNSUPPORTED',
      'payment_method',
    );

  it('that was not listed is compared with the listed ones', () => {
    expect(used('SOFORT')).toEqual([
      'method: SOFORT',
      'methods then: CARD_PAYMENT, PIX',
      'outcome: not among them: a break',
    ]);
  });

  it('that supports the currency is not a break', () => {
    expect(used('CARD_PAYMENT')).toEqual([
      'method: CARD_PAYMENT',
      'currency: EUR',
      'its currencies then: EUR, GBP, USD',
      'outcome: among them: no break',
    ]);
  });

  it('that supports no currency is shown as such', () => {
    expect(used('PIX', someMethods({ PIX: [] }))?.slice(2)).toEqual([
      'its currencies then: none',
      'outcome: not among them: a break',
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { quoteTermsDiffer } from '../../src/rules/quote-terms-differ.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aQuotedMethod,
  aSnapshot,
  at,
  type StateOverrides,
} from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

test('the linked quote is for another asset', () => {
  const quote = aMatchedQuote({ quote: { asset: { chain: 'MATIC', symbol: 'USDC', decimals: 6 } } });
  expect(ask(quoteTermsDiffer, aCase({ quote }))).toEqual([
    {
      field: 'asset',
      expected: 'MATIC_USDC',
      actual: 'ETH_ETH',
      explanation: 'The purchase is for ETH_ETH, but its linked quote q-17 (card, 4 min before) was for MATIC_USDC.',
    },
  ]);
});

test('the linked quote is in another currency', () => {
  const quote = aMatchedQuote({ quote: { fiatCurrency: 'GBP' }, ageSeconds: -30 });
  expect(ask(quoteTermsDiffer, aCase({ quote }))).toEqual([
    {
      field: 'fiat_currency',
      expected: 'GBP',
      actual: 'EUR',
      explanation: 'The purchase is in EUR, but its linked quote q-17 (card, 30 s after) was in GBP.',
    },
  ]);
});

test('the linked quote does not offer the method', () => {
  const offers = [aQuotedMethod({ method: 'PIX' }), aQuotedMethod({ method: 'APPLE_PAY' })];
  const quote = aMatchedQuote({ method: null, quote: { methods: offers } });
  expect(ask(quoteTermsDiffer, aCase({ quote }))).toEqual([
    {
      field: 'payment_method',
      expected: 'PIX APPLE_PAY',
      actual: 'CARD_PAYMENT',
      explanation:
        'The purchase was made by CARD_PAYMENT, which its linked quote q-17 (4 min before) did not offer, only PIX, APPLE_PAY.',
    },
  ]);
});

test('which methods it offers instead may not be known', () => {
  const quote = aMatchedQuote({ method: null, ageSeconds: null });
  expect(ask(quoteTermsDiffer, aCase({ quote }))).toMatchObject([
    {
      expected: null,
      explanation: 'The purchase was made by CARD_PAYMENT, which its linked quote q-17 did not offer.',
    },
  ]);
});

test('every differing term is reported', () => {
  const quote = aMatchedQuote({
    method: null,
    quote: { fiatCurrency: 'USD', asset: { chain: 'BTC', symbol: 'BTC', decimals: 8 } },
  });
  expect(ask(quoteTermsDiffer, aCase({ quote }))).toMatchObject([
    { field: 'asset' },
    { field: 'fiat_currency' },
    { field: 'payment_method' },
  ]);
});

test.each([
  ['ERC20', 'NATIVE', true],
  ['ERC20', 'ETH', true],
  ['NATIVE', 'BEP20', true],
  ['NATIVE', 'ETH', false],
  ['ERC20', 'BASE_ERC20', false],
  ['ERC20', 'TRC20', false],
  ['ERC20', undefined, false],
  ['Something', 'NATIVE', false],
])('a quote for %s and a record for %s are a coin and a token: %s', (quoted, recorded, differs) => {
  const coin = { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null };
  const typed = (type: string | undefined) => ({ ...coin, ...(type === undefined ? {} : { type }) });
  const quote = aMatchedQuote({ basis: 'captured', quote: { asset: typed(quoted) } });
  const found = ask(quoteTermsDiffer, aCase({ quote, state: aPurchase({ asset: typed(recorded) }) }));
  if (differs) expect(found).toMatchObject([{ field: 'asset_type', severity: 'medium', expected: quoted }]);
  else expect(found).toEqual(NOTHING);
});

test('the same terms are fine, and a record without a method contradicts none', () => {
  expect(ask(quoteTermsDiffer, aCase())).toEqual(NOTHING);
  const quote = aMatchedQuote({ method: null });
  expect(ask(quoteTermsDiffer, aCase({ quote, state: aPurchase({ paymentMethod: null }) }))).toEqual(NOTHING);
});

test.each([
  ['requoted', aCase({ quote: aMatchedQuote({ basis: 'requoted', quote: { fiatCurrency: 'GBP' } }) })],
  ['missing', aCase({ quote: null })],
  ['of a record that could not be read', aCase({ observation: anUnreachable() })],
])('not applicable to a quote that is %s', (_, subject) => {
  expect(ask(quoteTermsDiffer, subject)).toEqual(NOT_APPLICABLE);
});

test('a coin that was quoted as a token is another asset: v1 names a contract, and no type', () => {
  const asset = { ...aPurchase().asset, address: `0x${'fa'.repeat(20)}` };
  const { type: _none, ...untyped } = asset;
  const quote = aMatchedQuote({ quote: { asset: untyped } });
  const coin = aPurchase({ asset: { ...aPurchase().asset, type: 'NATIVE' } });
  expect(ask(quoteTermsDiffer, aCase({ state: coin, quote }))).toMatchObject([
    { field: 'asset_type', expected: 'token', actual: 'NATIVE', severity: 'medium' },
  ]);
});

describe("the host's share", () => {
  const share = (
    quoted: string,
    is: string | null,
    more: StateOverrides = {},
    basis: 'linked' | 'captured' = 'linked',
  ) => {
    const state = aPurchase({ hostFeeCut: is, ...more });
    return ask(quoteTermsDiffer, aCase({ state, quote: aMatchedQuote({ basis, method: { hostFeeCut: quoted } }) }));
  };

  test('that is less than its linked quote promised, of the fee that the user paid all the same, is a break', () => {
    expect(share('1.00', '0.40')).toMatchObject([
      {
        field: 'host_fee_cut',
        expected: '1',
        actual: '0.4',
        difference: '-0.6',
        currency: 'EUR',
        explanation:
          "The host's share of the fee is 0.40 EUR; quote q-17 (card, 4 min before) promised 1.00 EUR: 0.60 EUR less.",
      },
    ]);
    expect(share('1.00', '0.40')).not.toMatchObject([{ severity: 'info' }]);
  });

  test('that is less because the user was spared so much is a remark', () => {
    const spared = { appliedFee: '4.16', cryptoUnits: 40_240_000_000_000_000n };
    expect(share('1.00', '0.40', spared)).toMatchObject([{ severity: 'info' }]);
  });

  test('is no break to the minor unit, where it is more, or not stated, or of another amount or quote', () => {
    expect(share('1.00', '0.99')).toEqual(NOTHING);
    expect(share('1.00', '1.50')).toEqual(NOTHING);
    expect(share('1.00', null)).toEqual(NOTHING);
    expect(share('1.00', '0.40', { fiatValue: '60', cryptoUnits: 22_000_000_000_000_000n })).toEqual(NOTHING);
    expect(share('1.00', '0.40', {}, 'captured')).toEqual(NOTHING);
  });

  test('that was stated otherwise when the record ended is restated, and told once', () => {
    const firstTerminal = aSnapshot(aPurchase({ hostFeeCut: '1.00' }), at('2026-11-01 10:30'));
    const state = aPurchase({ hostFeeCut: '0.40' });
    const quote = aMatchedQuote({ method: { hostFeeCut: '1.00' } });
    expect(ask(quoteTermsDiffer, aCase({ state, quote, history: { firstTerminal } }))).toEqual(NOTHING);
  });
});

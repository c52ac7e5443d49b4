import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import {
  capturedWanted,
  capturedWantedFor,
  matchCaptured,
  matchLinked,
  matchRequoted,
} from '../../src/domain/match-quote.ts';
import type { Quote } from '../../src/domain/quote.ts';
import { type AmountBounds, isOnlyNear, quotedAmountsFor, sameAmount } from '../../src/domain/quoted-amount.ts';
import { aLinkedQuote, aStoredCase } from '../reconcile/support/judging.ts';
import {
  anUnreachable,
  aPurchase,
  aQuote,
  aQuotedMethod,
  aSale,
  at,
  MINUTES,
  someTolerances,
  USDC,
} from '../support/builders.ts';

const TOLERANCES = someTolerances();
const WINDOW = { before: 30 * MINUTES, after: 10 * MINUTES };

describe('the search among captured quotes', () => {
  it('is the record’s own direction, asset, currency and method, around its creation', () => {
    expect(capturedWantedFor(aPurchase({ createdAt: at('2026-11-01 10:00') }), WINDOW, TOLERANCES)).toEqual({
      direction: 'onramp',
      asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null },
      fiatCurrency: 'EUR',
      method: 'CARD_PAYMENT',
      from: at('2026-11-01 09:30'),
      to: at('2026-11-01 10:10'),
      amounts: { fiat: [expect.any(Decimal), expect.any(Decimal)], units: [expect.any(Decimal), expect.any(Decimal)] },
    });
    expect(capturedWantedFor(aSale({ asset: USDC, fiatCurrency: 'GBP' }), WINDOW, TOLERANCES)).toMatchObject({
      direction: 'offramp',
      asset: USDC,
      fiatCurrency: 'GBP',
      method: null,
      amounts: expect.anything(),
    });
  });

  it('has bounds that no quote for its amount is outside of, at any tolerance', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const share = fc.integer({ min: 0, max: 2000 });
    fc.assert(
      fc.property(amount, amount, share, amount, amount, (actual, away, permille, units, unitsAway) => {
        const relative = Decimal.of(BigInt(permille), 3);
        const tolerances = {
          ...TOLERANCES,
          fiat: { absolute: Decimal.of(away % 1000n, 2), relative },
          crypto: { relative },
        };
        // The quote is near as often as it is far: the bounds are only wrong at their edge.
        const quoted = (actual * 1000n) / (1000n + BigInt(permille)) + (away % 3n);
        const record = aPurchase({ fiatValue: Decimal.of(actual, 2).toString(), cryptoUnits: units });
        for (const [fiat, crypto] of [
          [quoted, unitsAway],
          [away, (units * 1000n) / (1000n + BigInt(permille))],
        ] as const) {
          const method = aQuotedMethod({ fiatValue: Decimal.of(fiat, 2).toString(), cryptoUnits: crypto });
          if (!sameAmount(record, method, tolerances)) continue;
          const { fiat: fiatBounds, units: unitBounds } = quotedAmountsFor(record, tolerances);
          const [value, ofAsset] = [Decimal.of(fiat, 2), Decimal.of(crypto)];
          const within = (figure: Decimal, [least, most]: AmountBounds) =>
            !figure.lessThan(least) && (most === null || !figure.greaterThan(most));
          expect(within(value, fiatBounds) || within(ofAsset, unitBounds)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is nothing where the creation time is not known', () => {
    expect(capturedWantedFor(aPurchase({ createdAt: null }), WINDOW, TOLERANCES)).toBeNull();
  });

  it('is nothing for a record with a linked quote, or without a body', () => {
    expect(capturedWanted(aStoredCase({ linked: null }), WINDOW, TOLERANCES)).toMatchObject({
      from: at('2026-11-01 09:30'),
    });
    expect(capturedWanted(aStoredCase({ linked: aLinkedQuote() }), WINDOW, TOLERANCES)).toBeNull();
    expect(capturedWanted(aStoredCase({ linked: null, observation: anUnreachable() }), WINDOW, TOLERANCES)).toBeNull();
  });
});

describe('the captured quote of a record', () => {
  const other = aQuotedMethod({ fiatValue: '250', cryptoUnits: 98_000_000_000_000_000n });
  const later = aQuote({ quoteId: 'later', capturedAt: at('2026-11-01 09:58'), methods: [other] });
  const fitting = aQuote({ quoteId: 'fitting', capturedAt: at('2026-11-01 09:56') });
  const earlier = aQuote({ quoteId: 'earlier', capturedAt: at('2026-11-01 09:40') });

  it('is the latest that is for its amount', () => {
    expect(matchCaptured(aPurchase(), [later, fitting, earlier], someTolerances())).toEqual({
      basis: 'captured',
      quote: fitting,
      method: aQuotedMethod(),
      ageSeconds: 240,
    });
  });

  it('is the one for just its amount, though a later one is nearly for it', () => {
    const neighbour = aQuote({
      quoteId: 'neighbour',
      capturedAt: at('2026-11-01 09:58'),
      methods: [aQuotedMethod({ fiatValue: '104.80', cryptoUnits: 39_990_000_000_000_000n })],
    });
    const exact = someTolerances({ fiat: { absolute: 'minor-unit', relative: Decimal.ZERO } });
    expect(matchCaptured(aPurchase(), [neighbour, fitting], exact)?.quote).toBe(fitting);
    // Where nobody asked for just its amount it is recognised all the same.
    expect(matchCaptured(aPurchase(), [neighbour], exact)?.quote).toBe(neighbour);
  });

  it('is the one with both its amounts where prices are locked, though others asked for the same total since', () => {
    const since = aQuote({
      quoteId: 'since',
      capturedAt: at('2026-11-01 09:58'),
      methods: [aQuotedMethod({ cryptoUnits: 40_050_000_000_000_000n })],
    });
    const matched = (price: 'locked' | 'indicative', ...quotes: Quote[]) =>
      matchCaptured(aPurchase(), quotes, someTolerances(), price)?.quote.quoteId;
    expect(matched('locked', since, fitting, earlier)).toBe('fitting');
    expect(matched('indicative', since, fitting, earlier)).toBe('since');
    // Nobody was quoted its tokens: the latest promise is broken.
    expect(matched('locked', since, { ...since, quoteId: 'before' })).toBe('since');
  });

  it('is one with its fee, where several users asked for its amount and a campaign took a part of the fee off', () => {
    const fee = (quoteId: string, appliedFee: string) =>
      aQuote({ quoteId, methods: [aQuotedMethod({ appliedFee, cryptoUnits: 41_000_000_000_000_000n })] });
    const matched = (...quotes: Quote[]) => matchCaptured(aPurchase(), quotes, someTolerances())?.quote.quoteId;
    expect(matched(fee('of another user', '2.81'), fitting)).toBe('fitting');
    // The network fee may have moved, and a share of the value goes by the value.
    const moved = aQuotedMethod({ appliedFee: '5.16', networkFee: '1.26', cryptoUnits: 39_800_000_000_000_000n });
    expect(matched(fee('of another user', '2.81'), aQuote({ quoteId: 'moved', methods: [moved] }))).toBe('moved');
    // Nobody was promised its fee: the latest promise is broken.
    expect(matched(fee('latest', '2.81'), fee('earlier', '3.81'))).toBe('latest');
    // The one that was taken for this very record is its own.
    expect(matched({ ...fee('', '2.81'), quoteId: 'created-purchase-sqs6a428mqjtzbv' }, fitting)).toMatch(/^created/);
  });

  it.each([
    ['fiat value', { fiatValue: '104.76', cryptoUnits: 1n }, 'q-17'],
    ['crypto amount', { fiatValue: '1', cryptoUnits: 40_000_000_000_000_000n }, 'q-17'],
    ['fiat value within tolerance', { fiatValue: '104.80', cryptoUnits: 1n }, 'q-17'],
    ['neither', { fiatValue: '107', cryptoUnits: 40_000_100_000_000_000n }, undefined],
  ] as const)('may be for its %s', (_, method, quoteId) => {
    const quote = aQuote({ methods: [aQuotedMethod(method)] });
    expect(matchCaptured(aPurchase(), [quote], someTolerances())?.quote.quoteId).toBe(quoteId);
  });

  it('of tokens that were asked for may be for nearly its total, where none is for its amount', () => {
    const asked = (quoteId: string, fiatValue: string) =>
      aQuote({ quoteId, methods: [aQuotedMethod({ fiatValue, cryptoUnits: 1n })] });
    const matched = (...quotes: Quote[]) => matchCaptured(aPurchase(), quotes, someTolerances())?.quote.quoteId;
    // Asked for by its total it would have two digits; a price may have moved by 1.5 %.
    expect(matched(asked('near', '103.2169'))).toBe('near');
    expect(matched(asked('far', '103.2118'))).toBeUndefined();
    // What was asked for decides, which is not known here.
    const payable = matchCaptured(
      aPurchase(),
      [asked('payable', '103.22'), asked('near', '103.2169')],
      someTolerances(),
    );
    expect(payable?.quote.quoteId).toBe('near');
    const perhaps = matchCaptured(aPurchase(), [asked('payable', '103.22')], someTolerances());
    expect(perhaps && isOnlyNear(aPurchase(), perhaps, someTolerances())).toBe(true);
    expect(matched(asked('near', '103.2169'), fitting)).toBe('fitting');
  });

  it('of tokens that were asked for may have a total with the fee that a campaign waived', () => {
    const matched = (cryptoUnits: bigint) => {
      const record = aPurchase({ fiatValue: '100.86', appliedFee: '0.86', cryptoUnits });
      const quote = aQuote({ methods: [aQuotedMethod({ fiatValue: '104.7612' })] });
      const { units } = quotedAmountsFor(record, someTolerances());
      const isRead = !Decimal.of(quote.methods[0]?.cryptoUnits ?? 0n).lessThan(units[0]);
      return isRead && matchCaptured(record, [quote], someTolerances()) !== null;
    };
    expect(matched(40_400_000_000_000_000n)).toBe(true);
    expect(matched(40_800_000_000_000_000n)).toBe(false);
    const dearer = aPurchase({ fiatValue: '108', appliedFee: '8', cryptoUnits: 40_400_000_000_000_000n });
    const discounted = aQuote({ methods: [aQuotedMethod({ fiatValue: '104.7612' })] });
    expect(matchCaptured(dearer, [discounted], someTolerances())).toBeNull();
  });

  it('offers the record’s own method', () => {
    const quote = aQuote({ methods: [aQuotedMethod({ method: 'PIX' })] });
    expect(matchCaptured(aPurchase(), [quote], someTolerances())).toBeNull();
    expect(matchCaptured(aPurchase(), [], someTolerances())).toBeNull();
  });

  it('may be younger than the record, where it was taken on the webhook of its creation', () => {
    const { recordId } = aPurchase();
    const quote = aQuote({ quoteId: `created-purchase-${recordId}`, capturedAt: at('2026-11-01 10:01') });
    expect(matchCaptured(aPurchase(), [quote], someTolerances())?.ageSeconds).toBe(-60);
  });

  it('is not the one of the user’s next purchase for the same amount', () => {
    const atOnce = aQuote({ quoteId: 'at once', capturedAt: at('2026-11-01 10:00') });
    const next = aQuote({ quoteId: 'next', capturedAt: at('2026-11-01 10:00') + 1 });
    const ofAnother = aQuote({ quoteId: 'created-purchase-another', capturedAt: at('2026-11-01 10:02') });
    expect(matchCaptured(aPurchase(), [ofAnother, next], someTolerances())).toBeNull();
    expect(matchCaptured(aPurchase(), [ofAnother, next, atOnce], someTolerances())?.quote.quoteId).toBe('at once');
  });
});

describe('the method that was promised', () => {
  const { cryptoUnits } = aSale();
  const payout = (method: string, fiatValue: string, units = cryptoUnits) =>
    aQuotedMethod({ method, fiatValue, cryptoUnits: units });
  const offered = (...methods: ReturnType<typeof payout>[]) => aQuote({ direction: 'offramp', methods });
  const promisedBy = (state: ReturnType<typeof aSale>, quote: ReturnType<typeof offered>) =>
    matchRequoted(state, quote).method?.method ?? null;

  it.each([
    ['CARD_PAYMENT', 'CARD_PAYMENT'],
    ['SEPA', 'SEPA'],
    ['PIX', null],
  ])('is the one that the body names: %s', (paymentMethod, promised) => {
    const quote = aQuote({ methods: [payout('SEPA', '104.76'), payout('CARD_PAYMENT', '104.76')] });
    expect(promisedBy(aPurchase({ paymentMethod }), quote)).toBe(promised);
  });

  it.each([
    ['one that agrees', [payout('CARD', '190'), payout('SEPA', '200'), payout('PIX', '201')], 'SEPA'],
    ['the first', [payout('CARD', '200.50'), payout('SEPA', '204')], 'CARD'],
    ['the last', [payout('CARD', '190'), payout('SEPA', '204')], 'SEPA'],
    ['one that promised less', [payout('CARD', '210'), payout('SEPA', '198')], 'SEPA'],
    ['the first of two that are as near', [payout('CARD', '199'), payout('SEPA', '201')], 'CARD'],
    [
      'by what a token brings, of another amount',
      [payout('CARD', '191', 95n * (cryptoUnits / 100n)), payout('SEPA', '200', 95n * (cryptoUnits / 100n))],
      'CARD',
    ],
    ['none, of an empty quote', [], null],
  ])('is the one nearest to what was paid where a sale names none: %s', (_, methods, promised) => {
    expect(promisedBy(aSale({ fiatValue: '200', paymentMethod: null }), offered(...methods))).toBe(promised);
  });

  it('is the one with its fee, where the price moved its payout to that of another method', () => {
    const method = (name: string, fiatValue: string, appliedFee: string) =>
      aQuotedMethod({ method: name, fiatValue, appliedFee, cryptoUnits: aSale().cryptoUnits });
    const quote = offered(method('SEPA', '99', '1'), method('CARD', '97.8', '2.2'));
    const sold = (fiatValue: string, appliedFee: string | null) =>
      aSale({ fiatValue, appliedFee, paymentMethod: null });
    expect(promisedBy(sold('98.78', '2.22'), quote)).toBe('CARD');
    expect(promisedBy(sold('98.78', null), quote)).toBe('SEPA');
    // Twice as much was sold.
    expect(promisedBy(sold('197.56', '4.44'), quote)).toBe('CARD');
    expect(promisedBy(sold('98.5', '1.5'), quote)).toBe('SEPA');
  });

  it('is the one that takes that much crypto, where all promise the same payout', () => {
    const sale = aSale({ fiatValue: '200', paymentMethod: null });
    const taking = (method: string, cryptoUnits: bigint) => aQuotedMethod({ method, fiatValue: '200', cryptoUnits });
    const quote = offered(taking('CARD', (sale.cryptoUnits * 103n) / 100n), taking('SEPA', sale.cryptoUnits));
    expect(promisedBy(sale, quote)).toBe('SEPA');
  });
});

describe('a fresh quote', () => {
  it('says that it is one, and how much older the record is', () => {
    const quote = aQuote({ capturedAt: at('2026-11-20 10:00:00') });
    expect(matchRequoted(aPurchase({ createdAt: at('2026-11-20 09:00:00.400') }), quote)).toEqual({
      basis: 'requoted',
      quote,
      method: aQuotedMethod(),
      ageSeconds: -3600,
    });
  });

  it('has no age without a creation time', () => {
    expect(matchRequoted(aPurchase({ createdAt: null }), aQuote()).ageSeconds).toBeNull();
  });
});

describe('a linked quote', () => {
  it('is the record’s own, as the store found it', () => {
    expect(matchLinked(aStoredCase())).toEqual({
      basis: 'linked',
      quote: aQuote(),
      method: aQuotedMethod(),
      ageSeconds: 240,
    });
    expect(matchLinked(aStoredCase({ linked: null }))).toBeNull();
  });

  it('keeps the method that the store found, though another one is nearer to the amount', () => {
    const method = aQuotedMethod({ method: 'SEPA', fiatValue: '90' });
    const quote = aQuote({ methods: [aQuotedMethod({ method: 'CARD' }), method] });
    const linked = aLinkedQuote({ quote, method });
    expect(matchLinked(aStoredCase({ state: aPurchase({ paymentMethod: null }), linked }))?.method).toBe(method);
  });

  it('gets the nearest method where the body names none', () => {
    const { cryptoUnits } = aSale();
    const near = aQuotedMethod({ method: 'SEPA', fiatValue: '199.90', cryptoUnits });
    const quote = aQuote({ direction: 'offramp', methods: [aQuotedMethod({ method: 'CARD', cryptoUnits }), near] });
    const linked = aLinkedQuote({ quote, method: null });
    expect(matchLinked(aStoredCase({ state: aSale(), linked }))?.method).toEqual(near);
  });

  it('promises by no method where the record could not be read', () => {
    const linked = aLinkedQuote({ quote: aQuote({ methods: [] }), method: null });
    expect(matchLinked(aStoredCase({ linked, observation: anUnreachable() }))).toMatchObject({
      basis: 'linked',
      method: null,
    });
  });
});

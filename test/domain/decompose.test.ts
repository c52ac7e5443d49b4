/** The effects of a record against fractions of two bigints, which know no rounding. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { type Decomposition, decompose, effectsOf } from '../../src/domain/decompose.ts';
import { aMatchedQuote, aPurchase, aSale, dec, type MatchOverrides, type StateOverrides } from '../support/builders.ts';

interface Fraction {
  n: bigint;
  d: bigint;
}

const of = (decimal: Decimal): Fraction => ({ n: decimal.unscaled, d: 10n ** BigInt(decimal.scale) });
const add = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
const sub = (a: Fraction, b: Fraction): Fraction => add(a, { n: -b.n, d: b.d });
const mul = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d });
const div = (a: Fraction, b: Fraction): Fraction => mul(a, b.n < 0n ? { n: -b.d, d: -b.n } : { n: b.d, d: b.n });
/** |a − b| ≤ 10^−places */
const within = (a: Fraction, b: Fraction, places: number) => {
  const { n, d } = sub(a, b);
  return (n < 0n ? -n : n) * 10n ** BigInt(places) <= d;
};

const ONE: Fraction = { n: 1n, d: 1n };

interface Figures {
  quote: { fiat: Decimal; fee: Decimal; units: bigint };
  record: { fiat: Decimal; fee: Decimal; units: bigint; rate: Decimal | null };
  feesAtAmount: Decimal | null;
}

/** The effects as the formulas have them, with no place lost. */
function exactly(kind: 'purchase' | 'sale', { quote, record, feesAtAmount }: Figures) {
  const [f0, a0, f1, a1] = [quote.fiat, quote.fee, record.fiat, record.fee].map(of) as [
    Fraction,
    Fraction,
    Fraction,
    Fraction,
  ];
  const [q0, q1] = [of(Decimal.of(quote.units, 18)), of(Decimal.of(record.units, 18))];
  const atAmount = feesAtAmount === null ? a1 : of(feesAtAmount);
  const amount = sub(atAmount, a0);
  const fee = sub(a1, atAmount);
  if (kind === 'purchase') {
    const r0 = div(sub(f0, a0), q0);
    const v1 = sub(f1, a1);
    const r1 = record.rate === null ? div(v1, q1) : of(record.rate);
    return {
      amount,
      fee,
      price: mul(v1, sub(ONE, div(r0, r1))),
      residual: mul(sub(div(v1, r1), q1), r0),
      total: sub(sub(f1, mul(q1, r0)), a0),
    };
  }
  const r0 = div(add(f0, a0), q0);
  const r1 = record.rate === null ? div(add(f1, a1), q1) : of(record.rate);
  return {
    amount,
    fee,
    price: mul(q1, sub(r0, r1)),
    residual: sub(sub(mul(q1, r1), a1), f1),
    total: sub(sub(mul(q1, r0), f1), a0),
  };
}

const money = fc.bigInt({ min: 100_00n, max: 20_000_00n }).map((cents) => Decimal.of(cents, 2));
/** As binary floating point prints it: seventeen digits. */
const noisy = fc.bigInt({ min: 10n ** 16n, max: 10n ** 17n }).map((digits) => Decimal.of(digits, 13));
const fee = fc.bigInt({ min: 0n, max: 99_00n }).map((cents) => Decimal.of(cents, 2));
const units = fc.bigInt({ min: 10n ** 12n, max: 10n ** 21n });
const side = fc.record({ fiat: fc.oneof(money, noisy), fee, units });
const figures: fc.Arbitrary<Figures> = fc.record({
  quote: side,
  record: fc.record({ fiat: fc.oneof(money, noisy), fee, units, rate: fc.option(noisy) }),
  feesAtAmount: fc.option(fee),
});

function decomposed(kind: 'purchase' | 'sale', { quote, record, feesAtAmount }: Figures): Decomposition {
  const state = (kind === 'purchase' ? aPurchase : aSale)({
    fiatValue: record.fiat.toString(),
    appliedFee: record.fee.toString(),
    cryptoUnits: record.units,
    exchangeRate: record.rate?.toString() ?? null,
  });
  const matched = aMatchedQuote({
    quote: { direction: kind === 'purchase' ? 'onramp' : 'offramp' },
    method: { fiatValue: quote.fiat.toString(), appliedFee: quote.fee.toString(), cryptoUnits: quote.units },
  });
  const result = decompose(state, matched, feesAtAmount);
  if (typeof result === 'string') throw new Error(result);
  return result;
}

describe.each(['purchase', 'sale'] as const)('a %s', (kind) => {
  test('its effects are those of the formulas to 18 places, and add up to their total to the last digit', () => {
    fc.assert(
      fc.property(figures, (given) => {
        const { amount, fee: ofFees, price, residual, total } = effectsOf(decomposed(kind, given));
        const sum = [amount, ofFees ?? Decimal.ZERO, price, residual].reduce((all, each) => all.plus(each));
        expect(total.toString()).toBe(sum.toString());
        const exact = exactly(kind, given);
        expect(within(of(amount), exact.amount, 18)).toBe(true);
        expect(within(of(ofFees ?? Decimal.ZERO), exact.fee, 18)).toBe(true);
        expect(within(of(price), exact.price, 18)).toBe(true);
        expect(within(of(residual), exact.residual, 18)).toBe(true);
        expect(within(of(total), exact.total, 17)).toBe(true);
      }),
    );
  });

  test('without a stated rate nothing is left over', () => {
    fc.assert(
      fc.property(figures, (given) => {
        const effects = effectsOf(decomposed(kind, { ...given, record: { ...given.record, rate: null } }));
        expect(effects.residual.isZero).toBe(true);
      }),
    );
  });
});

const parts = (state: StateOverrides, quote: MatchOverrides, feesAtAmount: string | null, kind = 'purchase') => {
  const body = kind === 'purchase' ? aPurchase(state) : aSale(state);
  const result = decompose(body, aMatchedQuote(quote), feesAtAmount === null ? null : dec(feesAtAmount));
  if (typeof result === 'string') return result;
  const { amount, fee: ofFees, price, residual, total } = effectsOf(result);
  return [amount, ofFees, price, residual, total].map((each) => each?.toString() ?? null);
};

describe('by hand', () => {
  // The quote: 104.76 EUR with fees of 4.76 EUR for 0.04 ETH at 2,500 EUR.
  test.each<[string, StateOverrides, string | null, (string | null)[]]>([
    ['as quoted', {}, '4.76', ['0', '0', '0', '0', '0']],
    [
      'a price a quarter higher: a fifth less ETH',
      { exchangeRate: '3125', cryptoUnits: 32n * 10n ** 15n },
      '4.76',
      ['0', '0', '20', '0', '20'],
    ],
    [
      '5 EUR more fees, so that 95 EUR are converted',
      { appliedFee: '9.76', cryptoUnits: 38n * 10n ** 15n },
      '4.76',
      ['0', '5', '0', '0', '5'],
    ],
    [
      'a tenth of the ETH short at the quoted price',
      { cryptoUnits: 36n * 10n ** 15n },
      '4.76',
      ['0', '0', '0', '10', '10'],
    ],
    [
      'twice the amount, whose fees nobody quoted',
      { fiatValue: '207.66', appliedFee: '7.66', cryptoUnits: 8n * 10n ** 16n },
      null,
      ['2.9', null, '0', '0', '2.9'],
    ],
  ])('%s', (_what, state, feesAtAmount, effects) => {
    expect(parts(state, {}, feesAtAmount)).toEqual(effects);
  });

  // The quote: 0.1 ETH at 2,030 EUR less a fee of 3 EUR is 200 EUR.
  const offer: MatchOverrides = {
    quote: { direction: 'offramp' },
    method: { fiatValue: '200', appliedFee: '3', cryptoUnits: 10n ** 17n, exchangeRate: null },
  };
  test.each<[string, StateOverrides, (string | null)[]]>([
    ['a body without rate and fee: the whole difference is the price', { fiatValue: '196' }, ['0', '0', '4', '0', '4']],
    ['a fee of one euro more', { fiatValue: '199', appliedFee: '4' }, ['0', '1', '0', '0', '1']],
    [
      'a payout that its own rate and fee do not explain',
      { fiatValue: '190', appliedFee: '3', exchangeRate: '2030' },
      ['0', '0', '0', '10', '10'],
    ],
  ])('a sale: %s', (_what, state, effects) => {
    expect(parts(state, offer, '3', 'sale')).toEqual(effects);
  });
});

test.each<[string, StateOverrides, MatchOverrides, string]>([
  ['a rate of zero', { exchangeRate: '0' }, {}, 'the record has no price'],
  ['no crypto', { cryptoUnits: 0n }, {}, 'the record has no price'],
  ['a fee that eats the total', { appliedFee: '104.76' }, {}, 'the record has no price'],
  ['a quote of no crypto', {}, { method: { cryptoUnits: 0n } }, 'the quote has no price'],
  ['a quote whose fee eats the total', {}, { method: { appliedFee: '104.76' } }, 'the quote has no price'],
  ['a quote of another currency', {}, { quote: { fiatCurrency: 'PLN' } }, 'no quote'],
  ['a quote without the method', {}, { method: null }, 'no quote'],
  ['a quote asked for afterwards', {}, { basis: 'requoted' }, 'no quote'],
])('%s: not told, and why', (_what, state, quote, why) => {
  expect(parts(state, quote, '4.76')).toBe(why);
});

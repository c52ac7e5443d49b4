/** The arithmetic of money against fractions of integers, which know no rounding and no scale. */

import fc from 'fast-check';
import { expect } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { feePercentOf } from '../../src/domain/fee-parts.ts';
import { compareFees } from '../../src/domain/fees.ts';
import { agree, allowance } from '../../src/domain/tolerance.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { faultRow, type Row } from './harness/row.ts';

/** over / under, under > 0; never shortened, so that nothing clever can be wrong in it. */
interface Fraction {
  over: bigint;
  under: bigint;
}

const of = (over: bigint, under = 1n): Fraction => (under < 0n ? { over: -over, under: -under } : { over, under });
const add = (a: Fraction, b: Fraction) => of(a.over * b.under + b.over * a.under, a.under * b.under);
const subtract = (a: Fraction, b: Fraction) => add(a, of(-b.over, b.under));
const multiply = (a: Fraction, b: Fraction) => of(a.over * b.over, a.under * b.under);
const divide = (a: Fraction, b: Fraction) => of(a.over * b.under, a.under * b.over);
const compare = (a: Fraction, b: Fraction) => {
  const difference = a.over * b.under - b.over * a.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};
const magnitude = (a: Fraction) => (a.over < 0n ? of(-a.over, a.under) : a);

/** By the words of the definition: the largest whole number that is not above it. */
function floor({ over, under }: Fraction): bigint {
  const cut = over / under;
  return cut * under > over ? cut - 1n : cut;
}

/** Rounds a fraction to a whole number of 10^-places, from the definition of each way. */
function rounded(value: Fraction, places: number, how: 'half-up' | 'half-even' | 'down'): Fraction {
  const scaled = multiply(magnitude(value), of(10n ** BigInt(places)));
  const below = floor(scaled);
  const half = compare(subtract(scaled, of(below)), of(1n, 2n));
  const up = how !== 'down' && (half > 0 || (half === 0 && (how === 'half-up' || below % 2n === 1n)));
  const whole = up ? below + 1n : below;
  return of(value.over < 0n ? -whole : whole, 10n ** BigInt(places));
}

/** Parses the printed text by hand: sign, digits, point. */
function read(text: string): Fraction {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new Error(`printed as no plain decimal: ${text}`);
  const [whole = '', places = ''] = text.split('.');
  return of(BigInt(whole + places), 10n ** BigInt(places.length));
}

/** Amounts as they are met: cents, 17 digits, wei, ratios, nothing, and numbers beside halves. */
function amounts(random: () => number) {
  const digits = (most: number) => {
    const length = 1 + Math.floor(random() * most);
    let text = '';
    for (let n = 0; n < length; n++) text += Math.floor(random() * 10);
    return text;
  };
  return (): { text: string; value: Fraction } => {
    const sign = random() < 0.4 ? '-' : '';
    const places =
      random() < 0.2
        ? ''
        : random() < 0.3
          ? '5'.padStart(Math.floor(random() * 6) + 1, '0')
          : digits(random() < 0.1 ? 40 : 18);
    const whole = random() < 0.2 ? '0' : digits(random() < 0.1 ? 40 : 8);
    const shift = random() < 0.1 ? Math.floor(random() * 40) - 20 : 0;
    const text = `${sign}${whole}${places === '' ? '' : `.${places}`}${shift === 0 ? '' : `e${shift}`}`;
    const digitsOnly = BigInt(sign + whole + places);
    const scale = places.length - shift;
    return { text, value: scale >= 0 ? of(digitsOnly, 10n ** BigInt(scale)) : of(digitsOnly * 10n ** BigInt(-scale)) };
  };
}

faultRow(
  {
    number: 12,
    fault: 'rounding error in decimal arithmetic',
    how: 'generated amounts (cents, 17 digits, wei, halves, exponents, zeros, signs): every operation on decimals, tolerances and fees is compared with fractions of integers; fast-check shrinks a case that differs',
    mustHold: 'no result differs',
  },
  async (row) => {
    const cases = row.isShort ? 5_000 : 1_000_000;
    const amount = amounts(seededRandom(row.seed));
    const random = seededRandom(row.seed + 1);
    const mismatches: string[] = [];
    for (let n = 0; n < cases; n++) {
      const [a, b] = [amount(), amount()];
      const wrong = operations(a, b, Math.floor(random() * 24));
      if (wrong.length > 0) mismatches.push(`${a.text} and ${b.text}: ${wrong.join(', ')}`);
      if (n % 100_000 === 99_999) row.say(`${n + 1} pairs`);
    }
    row.measured('pairs of amounts', cases);
    row.measured('results that differ', mismatches.length);
    expect(mismatches.slice(0, 5)).toEqual([]);
    fees(row);
  },
);

type Amount = ReturnType<ReturnType<typeof amounts>>;

const ROUNDINGS = ['half-up', 'half-even', 'down'] as const;

function operations(a: Amount, b: Amount, places: number): string[] {
  const wrong: string[] = [];
  const [x, y] = [Decimal.parse(a.text), Decimal.parse(b.text)];
  const same = (what: string, found: Decimal, expected: Fraction) => {
    if (compare(read(found.toString()), expected) !== 0) wrong.push(what);
  };
  same('parse', x, a.value);
  same('plus', x.plus(y), add(a.value, b.value));
  same('minus', x.minus(y), subtract(a.value, b.value));
  same('times', x.times(y), multiply(a.value, b.value));
  same('abs', x.abs(), magnitude(a.value));
  same('negated', x.negated(), of(-a.value.over, a.value.under));
  if (x.compare(y) !== compare(a.value, b.value)) wrong.push('compare');
  for (const how of ROUNDINGS) {
    same(`rounded ${how} to ${places}`, x.rounded(places, how), rounded(a.value, places, how));
    if (b.value.over !== 0n)
      same(`divided ${how} to ${places}`, x.dividedBy(y, places, how), rounded(divide(a.value, b.value), places, how));
  }
  const fixed = x.toPlaces(places);
  if (
    (fixed.split('.')[1] ?? '').length !== places ||
    compare(read(fixed), rounded(a.value, places, 'half-even')) !== 0
  )
    wrong.push(`toPlaces ${places}: ${fixed}`);
  // Equal values print equal texts, and a printed text is read back as the same value.
  if (Decimal.parse(x.toString()).toString() !== x.toString()) wrong.push('print');
  if (/\.\d*0$|^-0$/.test(x.toString())) wrong.push(`printed ${x.toString()}`);
  const allowed = allowance({ absolute: x.abs(), relative: Decimal.of(1n, 3) }, y);
  const relative = multiply(magnitude(b.value), of(1n, 1000n));
  const limit = compare(magnitude(a.value), relative) < 0 ? relative : magnitude(a.value);
  same('allowance', allowed, limit);
  const expected = compare(magnitude(subtract(a.value, b.value)), limit) <= 0;
  if (agree(x, y, allowed) !== expected) wrong.push('agree');
  return wrong;
}

/** Variances foot and percentages are right, for any figures: the sum of the parts is the whole, to the last digit. */
function fees(row: Row): void {
  const numRuns = row.isShort ? 1_000 : 50_000;
  const figure = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 18 }));
  const decimal = ([unscaled, scale]: [bigint, number]) => Decimal.of(unscaled, scale);
  const fraction = ([unscaled, scale]: [bigint, number]) => of(unscaled, 10n ** BigInt(scale));
  fc.assert(
    fc.property(figure, figure, figure, figure, figure, (applied, base, network, value, rate) => {
      const state = aState({
        applied: decimal(applied),
        base: decimal(base),
        network: decimal(network),
        value: decimal(value),
        rate: decimal(rate),
      });
      const { actual } = compareFees(state, null, TERMS);
      const feePercent = feePercentOf(actual);
      const [a, b, n] = [fraction(applied), fraction(base), fraction(network)];
      const cv = multiply(of(state.cryptoUnits, 10n ** 18n), fraction(rate));
      expect(compare(read(actual.adjustment?.toString() ?? 'x'), subtract(subtract(a, b), n))).toBe(0);
      expect(compare(read(actual.cv?.toString() ?? 'x'), cv)).toBe(0);
      const service = subtract(a, n);
      if (compare(cv, of(0n)) > 0) {
        const percent = rounded(divide(multiply(service, of(100n)), cv), 6, 'half-even');
        expect(compare(read(feePercent?.toString() ?? 'x'), percent)).toBe(0);
      } else expect(feePercent).toBeNull();
    }),
    { seed: row.seed, numRuns },
  );
  row.measured('fee splits', numRuns);
}

const ONE_PERMILLE = Decimal.of(1n, 3);
const TERMS = {
  binding: { price: 'indicative', networkFee: 'indicative' },
  networkFees: { quotes: null, listings: null },
  unseen: 0,
  movingMinimum: null,
  sinceQuote: 0,
  tolerances: {
    fiat: { absolute: 'minor-unit', relative: ONE_PERMILLE },
    crypto: { relative: Decimal.of(1n, 9) },
    requoted: { percentPoints: Decimal.of(25n, 2) },
    rate: { consistency: ONE_PERMILLE, reference: ONE_PERMILLE, sinceQuote: ONE_PERMILLE },
    networkFee: ONE_PERMILLE,
    currencies: new Map(),
    rules: new Map(),
  },
} as const;

function aState(figures: Record<'applied' | 'base' | 'network' | 'value' | 'rate', Decimal>) {
  const { applied, base, network, value, rate } = figures;
  return {
    kind: 'purchase',
    recordId: 'p1',
    status: 'RELEASED',
    createdAt: 0,
    updatedAt: 0,
    asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null },
    cryptoUnits: 40_000_000_000_000_001n,
    fiatCurrency: 'EUR',
    fiatValue: value,
    exchangeRate: rate,
    exchangeRateEur: null,
    fiatRateEur: null,
    baseFee: base,
    networkFee: network,
    appliedFee: applied,
    hostFeeCut: null,
    paymentMethod: 'CARD_PAYMENT',
    receiverAddress: null,
    finalTxHash: null,
    endTime: null,
  } as const;
}

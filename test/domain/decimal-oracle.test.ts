/** Decimal against an oracle that knows nothing of scales: fractions of two bigints, compared by cross-multiplication. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal, maxDecimal, minDecimal, type Rounding } from '../../src/domain/decimal.ts';

/** numerator / denominator, the denominator positive. */
interface Fraction {
  n: bigint;
  d: bigint;
}

/** Reads JSON's number forms digit by digit. */
function fraction(text: string): Fraction {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  let n = BigInt(whole.replace('-', '') + part);
  let d = 10n ** BigInt(part.length);
  const e = BigInt(exponent.replace('+', ''));
  if (e >= 0n) n *= 10n ** e;
  else d *= 10n ** -e;
  return { n: text.startsWith('-') ? -n : n, d };
}

const same = (a: Fraction, b: Fraction) => a.n * b.d === b.n * a.d;
const less = (a: Fraction, b: Fraction) => a.n * b.d < b.n * a.d;
const value = (decimal: Decimal) => fraction(decimal.toString());

const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
/** Plain numbers as bodies have them, up to 30 digits on either side, exponents among them. */
const number = fc
  .record({
    negative: fc.boolean(),
    whole: digits(30),
    fraction: fc.option(digits(30)),
    exponent: fc.option(fc.integer({ min: -20, max: 20 }), { freq: 3 }),
  })
  .map(
    ({ negative, whole, fraction: part, exponent }) =>
      `${negative ? '-' : ''}${whole}${part === null ? '' : `.${part}`}${exponent === null ? '' : `e${exponent}`}`,
  );

describe('against the oracle', () => {
  test('reading and printing keep every digit, and equal numbers print equal texts', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(same(value(Decimal.parse(a)), fraction(a))).toBe(true);
        const equal = same(fraction(a), fraction(b));
        expect(Decimal.parse(a).toString() === Decimal.parse(b).toString()).toBe(equal);
        expect(Decimal.parse(a).toString()).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/);
      }),
    );
  });

  test('plus, minus and times are exact', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [x, y] = [fraction(a), fraction(b)];
        const [p, q] = [Decimal.parse(a), Decimal.parse(b)];
        expect(same(value(p.plus(q)), { n: x.n * y.d + y.n * x.d, d: x.d * y.d })).toBe(true);
        expect(same(value(p.minus(q)), { n: x.n * y.d - y.n * x.d, d: x.d * y.d })).toBe(true);
        expect(same(value(p.times(q)), { n: x.n * y.n, d: x.d * y.d })).toBe(true);
      }),
    );
  });

  test('comparing, the larger, the smaller, the size and the sign', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [x, y] = [fraction(a), fraction(b)];
        const [p, q] = [Decimal.parse(a), Decimal.parse(b)];
        expect(p.compare(q)).toBe(less(x, y) ? -1 : less(y, x) ? 1 : 0);
        expect(p.lessThan(q)).toBe(less(x, y));
        expect(p.greaterThan(q)).toBe(less(y, x));
        expect(p.equals(q)).toBe(same(x, y));
        expect(same(value(maxDecimal(p, q)), less(x, y) ? y : x)).toBe(true);
        expect(same(value(minDecimal(p, q)), less(x, y) ? x : y)).toBe(true);
        expect(same(value(p.abs()), { n: x.n < 0n ? -x.n : x.n, d: x.d })).toBe(true);
        expect(same(value(p.negated()), { n: -x.n, d: x.d })).toBe(true);
        expect(p.isNegative).toBe(x.n < 0n);
        expect(p.isZero).toBe(x.n === 0n);
      }),
    );
  });

  const rounding = fc.constantFrom<Rounding>('half-up', 'half-even', 'down');
  const places = fc.integer({ min: 0, max: 40 });

  /** True where `result` is what rounding the exact fraction to so many places must give. */
  function isRounded(exact: Fraction, result: Decimal, scale: number, how: Rounding): boolean {
    const unit = 10n ** BigInt(scale);
    const got = value(result);
    const steps = (got.n * unit) / got.d;
    if (steps * got.d !== got.n * unit) return false;
    // Distance to the exact value, in units of the last place, times 2 × denominator.
    const error = 2n * (exact.n * unit - steps * exact.d);
    const size = error < 0n ? -error : error;
    const towardsZero = exact.n >= 0n === error >= 0n || error === 0n;
    if (how === 'down') return towardsZero && size < 2n * exact.d;
    if (size < exact.d) return true;
    if (size > exact.d) return false;
    return how === 'half-up' ? !towardsZero : steps % 2n === 0n;
  }

  test('dividing is right to the last place asked for', () => {
    fc.assert(
      fc.property(number, number, places, rounding, (a, b, scale, how) => {
        const [x, y] = [fraction(a), fraction(b)];
        fc.pre(y.n !== 0n);
        const sign = y.n < 0n ? -1n : 1n;
        const exact = { n: sign * x.n * y.d, d: sign * y.n * x.d };
        expect(isRounded(exact, Decimal.parse(a).dividedBy(Decimal.parse(b), scale, how), scale, how)).toBe(true);
      }),
    );
  });

  test('rounding is too, ties among them', () => {
    const tie = fc.tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.integer({ min: 0, max: 8 }));
    const either = fc.oneof(
      fc.tuple(number, places),
      tie.map(([n, scale]): [string, number] => [`${n}5e-${scale + 1}`, scale]),
    );
    fc.assert(
      fc.property(either, rounding, ([text, scale], how) => {
        expect(isRounded(fraction(text), Decimal.parse(text).rounded(scale, how), scale, how)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('a fixed number of places has exactly that many, rounded half to even', () => {
    fc.assert(
      fc.property(number, places, (text, scale) => {
        const shown = Decimal.parse(text).toPlaces(scale);
        expect(shown).toMatch(scale === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${scale}}$`));
        expect(isRounded(fraction(text), Decimal.parse(shown), scale, 'half-even')).toBe(true);
      }),
    );
  });
});

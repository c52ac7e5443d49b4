/**
 * Exact decimal numbers: a bigint and the number of digits after the point. The only reader of amounts, rates and
 * percentage in Tieout; binary floating point never touches a value on its way through.
 */

/** Thrown when a text is not a plain decimal number, or is too large to be an amount of anything. */
export class DecimalSyntaxError extends Error {
  override readonly name = 'DecimalSyntaxError';
  constructor(text: string, why: string) {
    super(`not a decimal number (${why}): ${text.slice(0, 60)}`);
  }
}

const SYNTAX = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/;
/** No amount, rate or price has more digits than this; 1e400 is a mistake, not a fortune. */
const MAX_DIGITS = 120;

const PRINTED = /^-?\d{1,5000}(?:\.\d{1,5000})?$/;
/** Of an amount that comes in, before the point and after it; products and sums of such amounts have more. */
const AMOUNT_DIGITS = 40;

const POWERS: bigint[] = [1n];
function pow10(n: number): bigint {
  for (let i = POWERS.length; i <= n; i++) POWERS.push((POWERS[i - 1] as bigint) * 10n);
  return POWERS[n] as bigint;
}

/** @throws RangeError for places that no number can have: a sign of a mixed-up argument, never of an amount. */
function checkScale(scale: number): void {
  if (!Number.isInteger(scale) || scale < 0 || scale > 1000) throw new RangeError(`scale out of range: ${scale}`);
}

/** Halves: `half-up` rounds them away from zero, `half-even` to the even neighbour; `down` cuts towards zero. */
export type Rounding = 'half-up' | 'half-even' | 'down';

function divideRounded(numerator: bigint, divisor: bigint, rounding: Rounding): bigint {
  const quotient = numerator / divisor;
  const rest = numerator % divisor;
  if (rounding === 'down') return quotient;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const whole = divisor < 0n ? -divisor : divisor;
  const away = twice > whole || (twice === whole && (rounding === 'half-up' || quotient % 2n !== 0n));
  if (!away) return quotient;
  return numerator < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

/** An exact decimal number. Immutable; only a division rounds, to the places that its caller names. */
export class Decimal {
  /** The value is `unscaled / 10^scale`. */
  readonly unscaled: bigint;
  /** Digits after the point, ≥ 0. */
  readonly scale: number;

  private constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled;
    this.scale = scale;
  }

  static readonly ZERO = new Decimal(0n, 0);
  static readonly ONE = new Decimal(1n, 0);
  static readonly HUNDRED = new Decimal(100n, 0);
  /** For percentages: exact, as a division by a hundred only moves the point. */
  static readonly HUNDREDTH = new Decimal(1n, 2);

  /** `Decimal.of(123n, 2)` is 1.23. A token amount in units becomes whole tokens this way. */
  static of(unscaled: bigint, scale = 0): Decimal {
    checkScale(scale);
    return new Decimal(unscaled, scale);
  }

  /**
   * Reads `12`, `-0.43`, `1.5e-7`: the number forms of JSON, with every digit kept.
   * @throws DecimalSyntaxError for anything else, for blanks, and beyond 120 digits.
   */
  static parse(text: string): Decimal {
    const match = SYNTAX.exec(text);
    if (match === null) throw new DecimalSyntaxError(text, 'syntax');
    const [, sign, whole = '', fraction = '', exponent] = match;
    if (whole.length + fraction.length > MAX_DIGITS) throw new DecimalSyntaxError(text, 'too many digits');
    const digits = BigInt(whole + fraction);
    const unscaled = sign === '-' ? -digits : digits;
    if (exponent === undefined) return new Decimal(unscaled, fraction.length);
    const scale = fraction.length - Number.parseInt(exponent, 10);
    if (scale > MAX_DIGITS || scale < -MAX_DIGITS) throw new DecimalSyntaxError(text, 'exponent out of range');
    return scale >= 0 ? new Decimal(unscaled, scale) : new Decimal(unscaled * pow10(-scale), 0);
  }

  /**
   * Reads what `toString` printed, however many digits it has: a product has more of them than any amount that came in.
   * @throws DecimalSyntaxError for anything but plain digits.
   */
  static fromPrinted(text: string): Decimal {
    if (!PRINTED.test(text)) throw new DecimalSyntaxError(text, 'syntax');
    const point = text.indexOf('.');
    if (point < 0) return new Decimal(BigInt(text), 0);
    return new Decimal(BigInt(text.slice(0, point) + text.slice(point + 1)), text.length - point - 1);
  }

  /** Whether an amount can have this value: at most 40 digits before the point and 40 after it, as it was written. */
  get isInRange(): boolean {
    if (this.scale > AMOUNT_DIGITS) return false;
    const limit = pow10(AMOUNT_DIGITS + this.scale);
    return this.unscaled < limit && -this.unscaled < limit;
  }

  plus(other: Decimal): Decimal {
    if (this.scale === other.scale) return new Decimal(this.unscaled + other.unscaled, this.scale);
    return this.scale > other.scale
      ? new Decimal(this.unscaled + other.unscaled * pow10(this.scale - other.scale), this.scale)
      : new Decimal(this.unscaled * pow10(other.scale - this.scale) + other.unscaled, other.scale);
  }

  minus(other: Decimal): Decimal {
    if (this.scale === other.scale) return new Decimal(this.unscaled - other.unscaled, this.scale);
    return this.scale > other.scale
      ? new Decimal(this.unscaled - other.unscaled * pow10(this.scale - other.scale), this.scale)
      : new Decimal(this.unscaled * pow10(other.scale - this.scale) - other.unscaled, other.scale);
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.unscaled * other.unscaled, this.scale + other.scale);
  }

  /** Division is the one inexact operation: it takes the digits to keep and how to round. */
  dividedBy(divisor: Decimal, scale: number, rounding: Rounding = 'half-even'): Decimal {
    checkScale(scale);
    if (divisor.unscaled === 0n) throw new RangeError('division by zero');
    const shift = scale + divisor.scale - this.scale;
    const numerator = shift >= 0 ? this.unscaled * pow10(shift) : this.unscaled;
    const denominator = shift >= 0 ? divisor.unscaled : divisor.unscaled * pow10(-shift);
    return new Decimal(divideRounded(numerator, denominator, rounding), scale);
  }

  rounded(scale: number, rounding: Rounding = 'half-even'): Decimal {
    checkScale(scale);
    if (scale >= this.scale) return this;
    return new Decimal(divideRounded(this.unscaled, pow10(this.scale - scale), rounding), scale);
  }

  negated(): Decimal {
    return new Decimal(-this.unscaled, this.scale);
  }

  abs(): Decimal {
    return this.unscaled < 0n ? this.negated() : this;
  }

  /** −1, 0 or 1. */
  compare(other: Decimal): -1 | 0 | 1 {
    let left = this.unscaled;
    let right = other.unscaled;
    if (this.scale < other.scale) left *= pow10(other.scale - this.scale);
    else if (this.scale > other.scale) right *= pow10(this.scale - other.scale);
    return left < right ? -1 : left > right ? 1 : 0;
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0;
  }

  greaterThan(other: Decimal): boolean {
    return this.compare(other) > 0;
  }

  lessThan(other: Decimal): boolean {
    return this.compare(other) < 0;
  }

  get isZero(): boolean {
    return this.unscaled === 0n;
  }

  get isPositive(): boolean {
    return this.unscaled > 0n;
  }

  get isNegative(): boolean {
    return this.unscaled < 0n;
  }

  /** Plain digits, no exponent, no trailing zeros after the point: equal values print equal texts. */
  toString(): string {
    const digits = this.unscaled.toString();
    if (this.scale === 0) return digits;
    // Zeros are cut from the integer's digits, before the point is placed: half the cost of cutting them afterwards.
    let end = digits.length;
    let scale = this.scale;
    while (scale > 0 && end > 1 && digits.charCodeAt(end - 1) === 48) {
      end--;
      scale--;
    }
    const kept = digits.slice(0, end);
    if (scale === 0 || kept === '0') return kept;
    const sign = kept.charCodeAt(0) === 45 ? '-' : '';
    const magnitude = sign === '' ? kept : kept.slice(1);
    const point = magnitude.length - scale;
    return point > 0
      ? `${sign}${magnitude.slice(0, point)}.${magnitude.slice(point)}`
      : `${sign}0.${'0'.repeat(-point)}${magnitude}`;
  }

  /** Plain digits with exactly `scale` places, rounded half to even: `1.5` at 2 is `1.50`. For sentences and minor units. */
  toPlaces(scale: number): string {
    const value = this.rounded(scale);
    return value.scale === scale
      ? value.toFixedScale()
      : new Decimal(value.unscaled * pow10(scale - value.scale), scale).toFixedScale();
  }

  private toFixedScale(): string {
    if (this.scale === 0) return this.unscaled.toString();
    const negative = this.unscaled < 0n;
    const digits = (negative ? -this.unscaled : this.unscaled).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

export function maxDecimal(a: Decimal, b: Decimal): Decimal {
  return a.lessThan(b) ? b : a;
}

export function minDecimal(a: Decimal, b: Decimal): Decimal {
  return b.lessThan(a) ? b : a;
}

export const sumOf = (amounts: readonly Decimal[]) => amounts.reduce((sum, each) => sum.plus(each), Decimal.ZERO);

/** Unknown amounts add nothing; null where none is known. */
export function addKnown(sum: Decimal | null, amount: Decimal | null): Decimal | null {
  if (amount === null) return sum;
  return sum === null ? amount : sum.plus(amount);
}

/** As JSON has it: with amounts as texts. */
export type Written<T> = { [K in keyof T]: Decimal extends T[K] ? string | Exclude<T[K], Decimal> : T[K] };

/** What `JSON.stringify` wrote, with its amounts again. */
export function readWritten<T>(written: Written<T>, ...amounts: readonly (keyof T)[]): T {
  const texts = written as Record<keyof T, string | null>;
  const read = amounts.map((name) => [name, texts[name] === null ? null : Decimal.fromPrinted(texts[name])]);
  return { ...written, ...Object.fromEntries(read) } as T;
}

/** Beyond this many places a figure is the noise of a division, which no reader needs. */
export const MOST_PLACES = 24;

/** The fewest places, `from` on, at which two amounts and their difference are printed so that they foot. */
export function footingPlaces(a: Decimal, b: Decimal, from: number): number {
  const difference = a.minus(b);
  let places = from;
  const foots = () => a.rounded(places).minus(b.rounded(places)).equals(difference.rounded(places));
  while (places < MOST_PLACES && !foots()) places++;
  return places;
}

const PLAIN = /^-?\d{1,40}(?:[.,]\d{1,40})?$/;
const MAYBE_THOUSANDS = /,\d{3}$/;

/**
 * A comma is read as a decimal point but before three digits, where it may as well part thousands. Null for that, for more than 40
 * digits, and for an exponent, which a spreadsheet writes where it has lost digits.
 */
export function readDecimal(text: string): Decimal | null {
  return PLAIN.test(text) && !MAYBE_THOUSANDS.test(text) ? Decimal.parse(text.replace(',', '.')) : null;
}

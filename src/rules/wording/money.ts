/**
 * How sentences show amounts: at minor units, as people read them, but never so short that two different amounts look
 * the same or a difference looks like nothing.
 */
import { minorUnitDigits } from '../../domain/currency.ts';
import { Decimal, maxDecimal } from '../../domain/decimal.ts';

/** Rates, prices and crypto amounts are shown with this many digits that mean something. */
const MEANINGFUL_DIGITS = 6;
/** Beyond this many places a figure is the noise of a division, which no sentence needs. */
const MOST_PLACES = 24;

function moneyPlaces(currency: string): number {
  return minorUnitDigits(currency) ?? 2;
}

/** Places after the point that leave `digits` digits from the first one that is not zero; any number will do for zero. */
function placesFor(value: Decimal, digits: number): number {
  const wholeDigits = value.abs().unscaled.toString().length - value.scale;
  return Math.max(0, digits - wholeDigits);
}

/** Drops the zeros that `toPlaces` fills up with. */
function trimmed(value: Decimal, places: number): string {
  return value.rounded(places).toString();
}

/** The fewest places, `from` on, at which the two print differently; `from` where they are equal. */
function placesApart(a: Decimal, b: Decimal, from: number): number {
  if (a.equals(b)) return from;
  let places = from;
  while (places < MOST_PLACES && a.toPlaces(places) === b.toPlaces(places)) places++;
  return places;
}

/** Two amounts of one currency, at minor units or as many places more as it takes to tell them apart. */
export function moneyApart(a: Decimal, b: Decimal, currency: string): [string, string] {
  const places = placesApart(a, b, moneyPlaces(currency));
  return [`${a.toPlaces(places)} ${currency}`, `${b.toPlaces(places)} ${currency}`];
}

/** An amount of money that must not read as nothing: `1.50 EUR`, `0.0004 EUR`. The sign is dropped. */
export function showSize(amount: Decimal, currency: string): string {
  const size = amount.abs();
  return `${size.toPlaces(placesApart(size, Decimal.ZERO, moneyPlaces(currency)))} ${currency}`;
}

/** `1.50 EUR more`, `0.20 EUR less`: actual − expected in words. */
export function showMoreOrLess(difference: Decimal, currency: string): string {
  return `${showSize(difference, currency)} ${difference.isNegative ? 'less' : 'more'}`;
}

/** True where the amount would be printed as nothing at minor units. */
export function isBelowSight(amount: Decimal, currency: string): boolean {
  return amount.rounded(moneyPlaces(currency)).isZero;
}

/** Two rates, prices or crypto amounts: six digits that mean something, or as many as it takes to tell them apart. */
export function figuresApart(a: Decimal, b: Decimal): [string, string] {
  const [shownA, shownB] = [showFigure(a), showFigure(b)];
  if (shownA !== shownB || a.equals(b)) return [shownA, shownB];
  const places = placesApart(a, b, placesFor(maxDecimal(a.abs(), b.abs()), MEANINGFUL_DIGITS));
  return [trimmed(a, places), trimmed(b, places)];
}

/** One rate, price or crypto amount with six digits that mean something. */
export function showFigure(value: Decimal): string {
  return trimmed(value, placesFor(value, MEANINGFUL_DIGITS));
}

/** A percentage: one place (`31.5 %`), or two digits that mean something where that would read as nothing. */
export function showPercent(percent: Decimal): string {
  const size = percent.abs();
  const short = size.rounded(1);
  return `${short.isZero ? trimmed(size, placesFor(size, 2)) : short.toPlaces(1)} %`;
}

/** The size of `part` as a percentage of `whole`, or null where there is no whole to speak of. */
export function showShare(part: Decimal, whole: Decimal): string | null {
  if (whole.isZero) return null;
  return showPercent(part.times(Decimal.HUNDRED).dividedBy(whole, MOST_PLACES));
}

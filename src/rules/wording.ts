/**
 * How sentences show amounts, times and quotes. Amounts are shown at minor units, as people read them, but never so short
 * that two different amounts look the same or a difference looks like nothing.
 */
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, footingPlaces, MOST_PLACES, maxDecimal } from '../domain/decimal.ts';
import type { MatchedQuote } from '../domain/quote.ts';
import { type Instant, isoInstant } from '../domain/record.ts';

/** Rates, prices and crypto amounts are shown with this many digits that mean something. */
const MEANINGFUL_DIGITS = 6;

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

/** Places of both and of their difference in `moneyApart`. */
export function placesOfApart(a: Decimal, b: Decimal, currency: string): number {
  return footingPlaces(a, b, placesApart(a, b, moneyPlaces(currency)));
}

/**
 * Two amounts of one currency and their difference in words (`1.50 EUR more`), at minor units or with as many more places as distinguish
 * them and make the printed ones foot.
 */
export function moneyApart(a: Decimal, b: Decimal, currency: string): [a: string, b: string, moreOrLess: string] {
  const difference = a.minus(b);
  const places = placesOfApart(a, b, currency);
  const show = (amount: Decimal) => `${amount.toPlaces(places)} ${currency}`;
  return [show(a), show(b), `${show(difference.abs())} ${difference.isNegative ? 'less' : 'more'}`];
}

/** An amount of money that must not read as nothing: `1.50 EUR`, `0.0004 EUR`. The sign is dropped. */
export function showSize(amount: Decimal, currency: string): string {
  const size = amount.abs();
  return `${size.toPlaces(placesApart(size, Decimal.ZERO, moneyPlaces(currency)))} ${currency}`;
}

/** True where the amount would be printed as nothing at minor units. */
export function roundsToZero(amount: Decimal, currency: string): boolean {
  return amount.rounded(moneyPlaces(currency)).isZero;
}

/** Two rates, prices or crypto amounts: six significant digits, or as many as distinguish them. */
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

/** Two percentages that are compared: with as many places as tell them apart. */
export function percentsApart(a: Decimal, b: Decimal): [string, string] {
  const [shownA, shownB] = [showPercent(a), showPercent(b)];
  if (shownA !== shownB || a.equals(b)) return [shownA, shownB];
  const places = placesApart(a, b, 2);
  return [`${trimmed(a.abs(), places)} %`, `${trimmed(b.abs(), places)} %`];
}

/** The size of `part` as a percentage of `whole`, or null where there is no whole to speak of. */
export function showShare(part: Decimal, whole: Decimal): string | null {
  if (whole.isZero) return null;
  return showPercent(part.times(Decimal.HUNDRED).dividedBy(whole, MOST_PLACES));
}

/** The same at the end of a sentence: ` (14.4 %)`, empty where there is no share. */
export function showShareAfter(part: Decimal, whole: Decimal): string {
  const share = showShare(part, whole);
  return share === null ? '' : ` (${share})`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** With plain digits, as all figures of an explanation have. */
function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/**
 * A duration in the unit a person would use, cut down, never rounded up: `40 s`, `4 min`, `31 hours`, `5 days 3 hours`,
 * `39 days`. Hours are shown up to ten days, so that "5 days 3 hours; allowed 5 days" makes sense.
 */
export function showDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return counted(Math.floor(ms / HOUR), 'hour');
  const days = Math.floor(ms / DAY);
  const hours = Math.floor((ms % DAY) / HOUR);
  return days >= 10 || hours === 0 ? counted(days, 'day') : `${counted(days, 'day')} ${counted(hours, 'hour')}`;
}

/** The calendar day in UTC: `2026-11-02`. */
export function showDay(instant: Instant): string {
  return isoInstant(instant).slice(0, 10);
}

/** What people call the methods of spec §2.4; any other name is shown as it is. */
const METHOD_WORDS: ReadonlyMap<string, string> = new Map([
  ['MANUAL_BANK_TRANSFER', 'manual bank transfer'],
  ['AUTO_BANK_TRANSFER', 'automatic bank transfer'],
  ['CARD_PAYMENT', 'card'],
  ['APPLE_PAY', 'Apple Pay'],
  ['GOOGLE_PAY', 'Google Pay'],
  ['PIX', 'Pix'],
  ['AMERICAN_BANK_TRANSFER', 'American bank transfer'],
  ['CARD', 'card'],
]);

export function showMethod(method: string): string {
  return METHOD_WORDS.get(method) ?? method;
}

/** `4 min before`, `30 s after`: the capture as seen from the record's creation; null without a creation time. */
function showAge(ageSeconds: number | null): string | null {
  if (ageSeconds === null) return null;
  return `${showDuration(Math.abs(ageSeconds) * 1000)} ${ageSeconds < 0 ? 'after' : 'before'}`;
}

/** `quote q-17 (card, 4 min before)`. */
export function showQuote(matched: MatchedQuote): string {
  const facts = [matched.method === null ? null : showMethod(matched.method.method), showAge(matched.ageSeconds)];
  const known = facts.filter((fact) => fact !== null);
  return `quote ${matched.quote.quoteId}${known.length === 0 ? '' : ` (${known.join(', ')})`}`;
}

/** A sentence of another source as a clause: without its full stop. */
export function asClause(sentence: string): string {
  return sentence.endsWith('.') ? sentence.slice(0, -1) : sentence;
}

/** What others saw of an asset's price and network fee around the execution of a record. Pure. */
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import type { Instant } from './record.ts';

const HOUR = 3_600_000;

/** How far around an execution a price still says something about it. */
export const AROUND_EXECUTION = 30 * 60_000;
/** A price outside those is held against the list before the execution and the one after it too, if they are as near as this. */
export const PRICED_NEARBY = 6 * HOUR;
/** So long a time of listings before the execution tells how a price used to move. */
export const LISTINGS_BEFORE = 7 * 24 * HOUR;

/** The lowest and the highest figure of one kind of source, and how many figures there were. */
export interface Seen {
  /** In the fiat currency of the market: for one whole token, or for one transfer. */
  low: Decimal;
  high: Decimal;
  count: number;
  /** In how many different hours; absent: each figure in one of its own. */
  hours?: number;
}

/** By source; null where it has nothing. */
export interface SeenBySource {
  /** Captured quotes but for the record's own. */
  quotes: Seen | null;
  /** Lists of assets, each with a price and a network fee (spec §2.2, §2.3). */
  listings: Seen | null;
}

/** A price or fee published at a time. */
export interface Published {
  at: Instant;
  /** Of one whole token, in the currency of the list. */
  price: Decimal | null;
  /** Of one transfer, in the currency of the list. */
  networkFee: Decimal | null;
}

/** As of the run: a replay sees what the run saw, and not what came later. */
export interface Market {
  /** What one whole token cost during the execution, or around it. */
  prices: SeenBySource;
  /** What one transfer cost then. */
  networkFees: SeenBySource;
  /** The longest time of the execution for which no list tells the price, in milliseconds; absent without lists. See `unlistedIn`. */
  unlisted?: number;
  /** How long the price was free since, or until, the nearest known ones, where none is within half an hour of the execution; in milliseconds. */
  away?: number;
  /** Listings of the week before the execution and in it, oldest first: how the price moves. Only where too little was seen at its time. */
  past: readonly Published[];
}

export const NOTHING_SEEN: SeenBySource = { quotes: null, listings: null };
export const NO_MARKET: Market = { prices: NOTHING_SEEN, networkFees: NOTHING_SEEN, past: [] };

/** Takes another figure of the same hour in, in place; one that is not positive says nothing. */
export function widened(seen: Seen | null, figure: Decimal | null): Seen | null {
  if (figure?.isPositive !== true) return seen;
  if (seen === null) return { low: figure, high: figure, count: 1, hours: 1 };
  if (figure !== seen.low && figure.lessThan(seen.low)) seen.low = figure;
  if (figure !== seen.high && figure.greaterThan(seen.high)) seen.high = figure;
  seen.count++;
  return seen;
}

/** The range of one figure of those of an hour. */
export function seenOf<T>(hour: readonly T[], figureOf: (one: T) => Decimal | null): Seen | null {
  return hour.reduce<Seen | null>((seen, one) => widened(seen, figureOf(one)), null);
}

/** Of different hours. */
export function both(a: Seen | null, b: Seen | null): Seen | null {
  if (a === null || b === null) return a ?? b;
  return {
    low: minDecimal(a.low, b.low),
    high: maxDecimal(a.high, b.high),
    count: a.count + b.count,
    hours: hoursSeen(a) + hoursSeen(b),
  };
}

const hoursSeen = ({ hours, count }: Seen) => hours ?? count;

export function seenByAny({ quotes, listings }: SeenBySource): Seen | null {
  const joined = both(quotes, listings);
  // Both may have seen the same hours.
  if (joined === null || quotes === null || listings === null) return joined;
  return { ...joined, hours: Math.max(hoursSeen(quotes), hoursSeen(listings)) };
}

/** A figure of one moment says little of an execution further from it than this. */
export const SHORT_WINDOW = 2 * HOUR;

/** How much of a window of so many milliseconds lies in hours without a known price: the range of the other hours says little of it. */
export function unseenOf(prices: SeenBySource, ms: number): number {
  const seen = seenByAny(prices);
  return Math.max(0, ms - (seen === null ? 0 : hoursSeen(seen)) * HOUR);
}

/**
 * Between two known prices a price is held at both ends, and so strays from their range by no more than one that is free for half of that
 * time, in fact a quarter. Before the first and after the last it is free: the only list of a backfill is at the end of a long execution.
 * @param known when a price was known, oldest first
 */
export function unlistedIn(known: readonly Instant[], { from, to }: { from: Instant; to: Instant }): number {
  const between = known.map((at, i) => Math.ceil((at - (known[i - 1] ?? at)) / 2));
  return Math.max((known[0] ?? to) - from, to - (known.at(-1) ?? to), ...between);
}

/** `3 quotes, 1 listing`; `none`: for a cell and a sentence. */
export function sourcesInWords({ quotes, listings }: SeenBySource): string {
  const counted = (seen: Seen | null, one: string) =>
    seen === null ? [] : [`${seen.count} ${one}${seen.count === 1 ? '' : 's'}`];
  return [...counted(quotes, 'quote'), ...counted(listings, 'listing')].join(', ') || 'none';
}

/** The nearest figure within the range. */
export function within({ low, high }: Pick<Seen, 'low' | 'high'>, figure: Decimal): Decimal {
  return minDecimal(maxDecimal(figure, low), high);
}

const MOVE_PLACES = 12;
/** Moves beyond four standard deviations do not happen on a fair market of a lifetime of nights. */
const DEVIATIONS_SQUARED = 16n;

/**
 * How far the price may have moved in so many milliseconds, as a share of it: four standard deviations of the moves between the
 * listings. Null with fewer than three of them.
 */
export function pastMove(past: readonly Published[], ms: number): Decimal | null {
  let squares = Decimal.ZERO;
  let elapsed = 0;
  let moves = 0;
  for (let i = 1; i < past.length; i++) {
    const [before, after] = [past[i - 1], past[i]];
    if (before?.price == null || after?.price == null || before.price.isZero || after.at <= before.at) continue;
    const move = after.price.minus(before.price).dividedBy(before.price, MOVE_PLACES);
    squares = squares.plus(move.times(move));
    elapsed += after.at - before.at;
    moves++;
  }
  if (moves < 2) return null;
  const expected = squares.times(Decimal.of(DEVIATIONS_SQUARED * BigInt(Math.max(ms, HOUR))));
  return squareRoot(expected.dividedBy(Decimal.of(BigInt(elapsed)), 2 * MOVE_PLACES));
}

/**
 * Whether a price may have become `ratio` times itself between two moments: within what the listings around and between them show, widened
 * by how far it moves from one listing to the next. Null with fewer than three listings, or none before the first moment.
 */
export function couldMove(
  past: readonly Published[],
  ratio: Decimal,
  { from, to }: { from: Instant; to: Instant },
): boolean | null {
  const known = past.filter(({ price }) => price?.isPositive === true);
  const start = known.findLastIndex(({ at }) => at <= from);
  const [oldest, newest] = [known[0], known.at(-1)];
  if (start < 0 || oldest === undefined || newest === undefined) return null;
  const margin = pastMove(known, Math.trunc((newest.at - oldest.at) / (known.length - 1)));
  if (margin === null) return null;
  const rangeOf = (listings: readonly Published[]) => seenOf(listings, ({ price }) => price);
  const [then, since] = [
    rangeOf(known.slice(start, start + 2)),
    rangeOf(known.slice(start).filter(({ at }) => at <= to)),
  ];
  if (then === null || since === null) return null;
  const lowest = since.low.dividedBy(then.high, MOVE_PLACES).minus(margin);
  const highest = since.high.dividedBy(then.low, MOVE_PLACES).plus(margin);
  return !ratio.lessThan(lowest) && !ratio.greaterThan(highest);
}

const YEAR = 365n * 24n * BigInt(HOUR);

/** The same for a coin that moves by 100 % a year, more than any that is sold widely: beyond that no market explains a price. */
export function widestMove(ms: number): Decimal {
  const expected = Decimal.of(DEVIATIONS_SQUARED * BigInt(Math.max(ms, HOUR)));
  return squareRoot(expected.dividedBy(Decimal.of(YEAR), 2 * MOVE_PLACES));
}

const DAY = 24 * HOUR;

/** Rates of currencies and prices spread with the root of the time. @param least in days @returns the root of the days, of 4 places */
export function rootOfDays(ms: number, least: 0 | 1): Decimal {
  return rootOfTime(Math.max(least * DAY, ms), DAY);
}

export function rootOfHours(ms: number): Decimal {
  return rootOfTime(ms, HOUR);
}

function rootOfTime(ms: number, unit: number): Decimal {
  const units = Decimal.of(BigInt(Math.max(0, Math.trunc(ms)))).dividedBy(Decimal.of(BigInt(unit)), 2 * MOVE_PLACES);
  return squareRoot(units).rounded(4);
}

/** Rounded down, by Newton's method on integers: a run gives the same digits on every machine. @param value of 24 places */
function squareRoot({ unscaled }: Decimal): Decimal {
  if (unscaled < 2n) return Decimal.of(unscaled, MOVE_PLACES);
  let root = 1n << BigInt(Math.ceil(unscaled.toString(2).length / 2));
  for (;;) {
    const next = (root + unscaled / root) / 2n;
    if (next >= root) return Decimal.of(root, MOVE_PLACES);
    root = next;
  }
}

import { describe, expect, it } from 'vitest';
import type { Decimal } from '../../src/domain/decimal.ts';
import {
  both,
  NOTHING_SEEN,
  type Published,
  pastMove,
  rootOfDays,
  type Seen,
  seenByAny,
  seenOf,
  sourcesInWords,
  unlistedIn,
  unseenOf,
  widestMove,
  within,
} from '../../src/domain/market.ts';
import { at, dec } from '../support/builders.ts';

const HOUR = 3_600_000;

const seen = (low: string, high: string, count: number, hours?: number): Seen => ({
  low: dec(low),
  high: dec(high),
  count,
  ...(hours === undefined ? {} : { hours }),
});
const itself = (figure: Decimal | null) => figure;
const written = (range: Seen | null) =>
  range === null ? null : [range.low.toString(), range.high.toString(), range.count, range.hours];

it('the time for which no list tells the price is half of that between two lists, and all of that before the first and after the last', () => {
  const unlisted = ([from, to]: [number, number], ...hours: number[]) =>
    unlistedIn(
      hours.map((each) => each * HOUR),
      { from: from * HOUR, to: to * HOUR },
    ) / HOUR;
  expect(unlisted([0, 5], 0, 3, 4)).toBe(1.5);
  expect(unlisted([1, 8], 0, 3, 6)).toBe(2);
  expect(unlisted([0, 1], 0, 3)).toBe(1.5);
  expect(unlisted([0, 2], 0)).toBe(2);
  expect(unlisted([0, 720], 720)).toBe(720);
  expect(unlisted([0, 8], 5, 6)).toBe(5);
  expect(unlistedIn([0, 3], { from: 0, to: 3 })).toBe(2);
});

describe('a range of what others saw', () => {
  it('is that of the lowest and the highest figure of one hour', () => {
    expect(written(seenOf([dec('2500')], itself))).toEqual(['2500', '2500', 1, 1]);
    expect(written(seenOf(['2500', '2510', '2490', '2505'].map(dec), itself))).toEqual(['2490', '2510', 4, 1]);
  });

  it.each([['0'], ['-1']])('says nothing by %s', (figure) => {
    expect(seenOf([dec(figure)], itself)).toBeNull();
    expect(written(seenOf([dec('1'), dec(figure), null, dec('2')], itself))).toEqual(['1', '2', 2, 1]);
    expect(seenOf([null], itself)).toBeNull();
  });

  it('of different hours is both, with the hours of both', () => {
    expect(written(both(seen('5', '6', 2, 1), seen('4', '5.5', 3)))).toEqual(['4', '6', 5, 4]);
    expect(written(both(null, seen('4', '5', 1, 1)))).toEqual(['4', '5', 1, 1]);
    expect(written(both(seen('4', '5', 1, 1), null))).toEqual(['4', '5', 1, 1]);
    expect(both(null, null)).toBeNull();
  });

  it('of quotes and listings may be of the same hours', () => {
    const prices = { quotes: seen('5', '6', 8, 2), listings: seen('4', '5', 3, 3) };
    expect(written(seenByAny(prices))).toEqual(['4', '6', 11, 3]);
    expect(written(seenByAny({ ...prices, listings: null }))).toEqual(['5', '6', 8, 2]);
    expect(written(seenByAny({ ...prices, quotes: null }))).toEqual(['4', '5', 3, 3]);
    expect(seenByAny(NOTHING_SEEN)).toBeNull();
  });

  it('leaves the hours of a window unseen in which there was none', () => {
    const prices = { quotes: seen('5', '6', 8, 2), listings: null };
    expect(unseenOf(prices, 5 * HOUR)).toBe(3 * HOUR);
    expect(unseenOf(prices, HOUR)).toBe(0);
    expect(unseenOf(NOTHING_SEEN, 5 * HOUR)).toBe(5 * HOUR);
  });

  it('is named by its sources', () => {
    expect(sourcesInWords({ quotes: seen('1', '2', 1), listings: seen('1', '2', 3) })).toBe('1 quote, 3 listings');
    expect(sourcesInWords({ quotes: seen('1', '2', 2), listings: null })).toBe('2 quotes');
    expect(sourcesInWords({ quotes: null, listings: seen('1', '2', 1) })).toBe('1 listing');
    expect(sourcesInWords(NOTHING_SEEN)).toBe('none');
  });

  it.each([
    ['4', '5'],
    ['5.5', '5.5'],
    ['9', '6'],
  ])('has a nearest figure: of %s it is %s', (figure, nearest) => {
    expect(within({ low: dec('5'), high: dec('6') }, dec(figure)).toString()).toBe(nearest);
  });
});

describe('how far a price may have moved', () => {
  const listings = (...prices: readonly (string | null)[]): Published[] =>
    prices.map((price, i) => ({
      at: at('2026-11-01 00:00') + i * HOUR,
      price: price === null ? null : dec(price),
      networkFee: null,
    }));

  it('is four standard deviations of its moves, with the root of the time', () => {
    // Moves of 1 % and of −1 % an hour: 0.01 × 4.
    const past = listings('100', '101', '99.99', '100.9899');
    expect(pastMove(past, HOUR)?.toString()).toBe('0.04');
    expect(pastMove(past, 4 * HOUR)?.toString()).toBe('0.08');
    // Shorter than an hour there is nothing to measure by.
    expect(pastMove(past, HOUR / 4)?.toString()).toBe('0.04');
  });

  it('is nothing where the price stood still', () => {
    expect(pastMove(listings('100', '100', '100'), 24 * HOUR)?.toString()).toBe('0');
  });

  it('is not known of fewer than two moves, nor by listings without a price or of one time', () => {
    expect(pastMove([], HOUR)).toBeNull();
    expect(pastMove(listings('100', '101'), HOUR)).toBeNull();
    expect(pastMove(listings('100', null, '101', '102'), HOUR)).toBeNull();
    expect(pastMove(listings('0', '101', '0', '102'), HOUR)).toBeNull();
    const [first] = listings('100');
    if (first === undefined) throw new Error('no listing');
    expect(pastMove([first, first, first, first], HOUR)).toBeNull();
  });

  it('goes by the time between listings, however many are missing', () => {
    const [a, , b, , c] = listings('100', null, '102', null, '99.96');
    if (a === undefined || b === undefined || c === undefined) throw new Error('no listings');
    // 2 % in two hours each: 4 × √(2 × 0.0004 ÷ 4).
    expect(pastMove([a, b, c], HOUR)?.rounded(6).toString()).toBe('0.056569');
  });

  it('is at most that of a coin that moves by its own price in a year', () => {
    expect(widestMove(365 * 24 * HOUR).toString()).toBe('4');
    expect(widestMove(365 * 6 * HOUR).toString()).toBe('2');
    expect(widestMove(0).equals(widestMove(HOUR))).toBe(true);
  });
});

it('the root of a time in days has four places, and may have a least day', () => {
  const DAY = 86_400_000;
  const roots = [4 * DAY, 2 * DAY, DAY / 4, 0, -DAY].map((ms) => `${rootOfDays(ms, 0)}`);
  expect(roots).toEqual(['2', '1.4142', '0.5', '0', '0']);
  expect([DAY / 4, 9 * DAY].map((ms) => `${rootOfDays(ms, 1)}`)).toEqual(['1', '3']);
});

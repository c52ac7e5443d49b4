/** The test of one-sided moves: what it finds, and that it keeps silent on fair markets. */
import { describe, expect, it, test } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { MovesOfMarket, type UnexplainedMove } from '../../src/domain/one-sided.ts';

const TRILLION = 1e12;

function sideOf(moves: readonly { hour: number; until?: number; share: number }[]) {
  const market = new MovesOfMarket();
  for (const { hour, until = hour, share } of moves) {
    const parts = BigInt(Math.round(share * TRILLION));
    const move: UnexplainedMove = { fromHour: hour, toHour: until, share: parts, loss: Decimal.of(parts, 10) };
    market.add(move);
  }
  return market.side();
}

const alike = (count: number, share: number) => Array.from({ length: count }, (_, n) => ({ hour: n * 5, share }));

describe('moves of half a percent on trades of 100', () => {
  it.each([
    [12, 0.005, true],
    [11, 0.005, true],
    [10, 0.005, false],
    [12, -0.005, false],
    [12, 0, false],
    // 12 × 0.08 % of 100 is 0.96: less than one unit of money.
    [12, 0.0008, false],
    [13, 0.0008, true],
  ])('%i of %f against the user: %s', (count, share, isOneSided) => {
    expect(sideOf(alike(count, share))).toMatchObject({ records: count, hours: count, isOneSided });
  });

  it('says how many, the mean with its interval, and the sum', () => {
    const moves = [...alike(11, 0.006), { hour: 100, share: -0.006 }];
    const { mean, low, high, loss, ...counts } = sideOf(moves);
    expect(counts).toEqual({ records: 12, against: 11, hours: 12, isOneSided: false });
    expect([mean, low, high, loss].map(String)).toEqual(['0.005', '0.000563', '0.009437', '6']);
  });

  it('of one hour count as one: they share one market', () => {
    expect(sideOf(Array.from({ length: 40 }, () => ({ hour: 3, share: 0.005 })))).toMatchObject({
      hours: 1,
      isOneSided: false,
    });
  });

  it('of long windows stand for all their hours, and are left out where one is taken', () => {
    const moves = [...alike(11, 0.005), { hour: 49, until: 60, share: 0.005 }, { hour: 61, until: 64, share: 0.005 }];
    expect(sideOf(moves)).toMatchObject({ records: 12, hours: 12, isOneSided: true });
  });
});

/** Numbers between 0 and 1, the same in every run. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Moves of a quarter of a percent, two thirds of which all records of an hour share. @param heavy with rare large ones */
function month(random: () => number, perDay: number, days: number, { skim = 0, heavy = false }) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const noise = () => (heavy && random() < 0.05 ? 6 * normal() : normal());
  const ofHour = new Map<number, number>();
  return Array.from({ length: Math.round(perDay * days) }, () => {
    const hour = Math.floor(random() * 24 * days);
    const shared = ofHour.get(hour) ?? noise();
    ofHour.set(hour, shared);
    return { hour, share: 0.0025 * (0.8 * shared + 0.6 * noise()) + skim };
  });
}

test.each([
  [0.5, false],
  [2, true],
  [30, false],
])('1,000 fair months of %f records a day have at most one (rare large moves: %s)', (perDay, heavy) => {
  const random = mulberry(7 + perDay);
  let found = 0;
  for (let n = 0; n < 1000; n++) if (sideOf(month(random, perDay, 30, { heavy })).isOneSided) found++;
  expect(found).toBeLessThanOrEqual(1);
});

test('looked at every night, 1,000 fair months have at most one too', () => {
  const random = mulberry(11);
  let found = 0;
  for (let n = 0; n < 1000; n++) {
    const moves = month(random, 1, 30, {});
    const nights = Array.from({ length: 20 }, (_, night) => (11 + night) * 24);
    if (nights.some((end) => sideOf(moves.filter(({ hour }) => hour < end)).isOneSided)) found++;
  }
  expect(found).toBeLessThanOrEqual(1);
});

test('0.3 % on every record of one asset is found within a week of 30 records a day', () => {
  const random = mulberry(23);
  for (let n = 0; n < 50; n++) expect(sideOf(month(random, 30, 7, { skim: 0.003 })).isOneSided).toBe(true);
});

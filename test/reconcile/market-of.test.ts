import { describe, expect, it } from 'vitest';
import { NO_MARKET, type Published } from '../../src/domain/market.ts';
import type { MatchedQuote } from '../../src/domain/quote.ts';
import type { MarketWanted, PublishedWanted, SeenInQuotes, StoredCase } from '../../src/ports/store/store.ts';
import { type MarketLookups, marketsOf } from '../../src/reconcile/market-of.ts';
import {
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aSale,
  aSnapshot,
  at,
  DAYS,
  dec,
  FIRST_NIGHT,
  MINUTES,
} from '../support/builders.ts';
import { aStoredCase } from './support/judging.ts';

const CREATED = at('2026-11-01 10:00');
const RELEASED = at('2026-11-01 10:20');
const MARKS = { quote: 3, reference: 5, sinceQuote: dec('0.015') };

const published = (text: string, price: string | null, networkFee: string | null = null): Published => ({
  at: at(text),
  price: price === null ? null : dec(price),
  networkFee: networkFee === null ? null : dec(networkFee),
});

/** Look-ups that note what they are asked for, and answer from lists. */
function lookups(listed: readonly Published[], seen: SeenInQuotes = { prices: null, networkFees: null }) {
  const asked: { quotes: MarketWanted[]; listings: PublishedWanted[]; marks: number[] } = {
    quotes: [],
    listings: [],
    marks: [],
  };
  const store: MarketLookups = {
    quotes: {
      seen: async (wanted, watermark) => {
        asked.quotes.push(...wanted);
        asked.marks.push(watermark);
        return wanted.map(() => seen);
      },
    },
    reference: {
      published: async (wanted, watermark) => {
        asked.listings.push(...wanted);
        asked.marks.push(watermark);
        return wanted.map(({ from, to }) => listed.filter((each) => each.at >= from && each.at <= to));
      },
    },
  };
  return { store, asked };
}

async function marketOf(
  stored: StoredCase,
  {
    listed = [],
    seen,
    quote = aMatchedQuote(),
  }: { listed?: Published[]; seen?: SeenInQuotes; quote?: MatchedQuote | null } = {},
) {
  const { store, asked } = lookups(listed, seen);
  const [market = NO_MARKET] = await marketsOf([stored], [quote], MARKS, store);
  return { market, asked };
}

describe('the market of a record', () => {
  it('is looked for from half an hour before its creation to half an hour after its release, as of the run', async () => {
    const { asked } = await marketOf(aStoredCase());
    const wanted = {
      direction: 'onramp',
      currency: 'EUR',
      from: CREATED - 30 * MINUTES,
      to: RELEASED + 30 * MINUTES,
    };
    expect(asked.quotes).toMatchObject([{ ...wanted, own: { quoteId: 'q-17' } }]);
    expect(asked.listings[0]).toMatchObject(wanted);
    expect(asked.marks).toEqual([3, 5, 5]);
  });

  it.each<[string, StoredCase, MatchedQuote | null]>([
    ['was not read', aStoredCase({ observation: anUnreachable() }), aMatchedQuote()],
    ['is not executed', aStoredCase({ state: aPurchase({ status: 'INITIALIZED' }) }), aMatchedQuote()],
    ['has no creation time', aStoredCase({ state: aPurchase({ createdAt: null }) }), aMatchedQuote()],
  ])('that %s is not looked for', async (_, stored, quote) => {
    const { market, asked } = await marketOf(stored, { quote });
    expect(market).toEqual(NO_MARKET);
    expect(asked.marks).toEqual([]);
  });

  it('without a quote is what others saw or, where nobody did, that of the lists on both sides within six hours', async () => {
    const listed = [published('2026-11-01 05:00', '2400'), published('2026-11-01 12:00', '2600')];
    const { market, asked } = await marketOf(aStoredCase(), { quote: null, listed });
    expect(asked.quotes).toMatchObject([{ own: null, from: CREATED - 30 * MINUTES }]);
    expect(market.prices.listings).toMatchObject({ low: dec('2400'), high: dec('2600') });
    expect(market.unlisted).toBe(3.5 * 60 * MINUTES);
  });

  it.each(['2026-11-01 10:00', '2026-11-01 10:20'])(
    'whose only list is of %s tells nothing of the rest of its twenty minutes',
    async (day) => {
      const { market } = await marketOf(aStoredCase(), { quote: null, listed: [published(day, '2500')] });
      expect(market.unlisted).toBe(20 * MINUTES);
    },
  );

  it('says how far the nearest list or its quote is, where all lists are on one side', async () => {
    const state = aPurchase({ exchangeRate: '2640' });
    const awayOf = async (listed: Published[], quote: MatchedQuote | null) =>
      (await marketOf(aStoredCase({ state }), { listed, quote })).market.away;
    const [before, after] = [published('2026-11-01 08:00', '2490'), published('2026-11-01 12:00', '2650')];
    expect(await awayOf([after], null)).toBe(100 * MINUTES);
    expect(await awayOf([before], null)).toBe(120 * MINUTES);
    expect(await awayOf([after], aMatchedQuote())).toBe(4 * MINUTES);
    expect(await awayOf([before, after], null)).toBeUndefined();
    // The own quote is four minutes before the execution.
    expect(await awayOf([before, after], aMatchedQuote())).toBe(Math.floor((4 * 100 * MINUTES) / 104));
    const old = { ...aMatchedQuote(), quote: { ...aMatchedQuote().quote, capturedAt: CREATED - 2 * DAYS } };
    expect(await awayOf([before, after], old)).toBe(Math.floor((120 * 100 * MINUTES) / 220));
    expect(await awayOf([before, published('2026-11-01 10:10', '2510'), after], old)).toBeUndefined();
  });

  it('that is hours away has the moves of the week before, also where the minute of the execution is known', async () => {
    const paidAt = at('2026-11-01 10:10');
    const stored = aStoredCase({ state: aPurchase({ exchangeRate: '2640', paidAt }) });
    const quote = { ...aMatchedQuote(), quote: { ...aMatchedQuote().quote, capturedAt: CREATED - 2 * DAYS } };
    const listed = [published('2026-10-31 08:00', '2480'), published('2026-11-01 08:00', '2490')];
    const { market } = await marketOf(stored, { listed, quote });
    expect([market.away, market.past.length]).toEqual([130 * MINUTES, 2]);
  });

  it('has quotes and listings apart, the listings of one hour as one', async () => {
    const seen = { prices: { low: dec('2480'), high: dec('2490'), count: 2 }, networkFees: null };
    const { market } = await marketOf(aStoredCase(), {
      seen,
      listed: [
        published('2026-11-01 09:20', '1', '1'),
        published('2026-11-01 09:40', '2500', '0.80'),
        published('2026-11-01 10:10', '2510', '0.90'),
        published('2026-11-01 10:40', '2505', null),
      ],
    });
    expect(market.prices.quotes).toEqual(seen.prices);
    expect(market.prices.listings).toEqual({ low: dec('2500'), high: dec('2510'), count: 3, hours: 2 });
    expect(market.networkFees).toEqual({
      quotes: null,
      listings: { low: dec('0.80'), high: dec('0.90'), count: 2, hours: 2 },
    });
    expect(market.past).toEqual([]);
  });

  it('from which the price strays has the nearest list on both sides, within six hours', async () => {
    const listed = [
      published('2026-11-01 07:30', '1'),
      published('2026-11-01 08:00', '2490', '0.50'),
      published('2026-11-01 12:00', '2650', '9'),
      published('2026-11-01 13:00', '1'),
    ];
    const paid = (exchangeRate: string, from: Published[] = listed) =>
      marketOf(aStoredCase({ state: aPurchase({ exchangeRate }) }), { listed: from });
    const strayed = await paid('2640');
    expect(strayed.market.prices.listings).toEqual({ low: dec('2490'), high: dec('2650'), count: 2, hours: 0 });
    expect(strayed.market.networkFees.listings).toBeNull();
    expect((await paid('2501')).market.prices.listings).toBeNull();
    const far = [published('2026-11-01 03:00', '1'), published('2026-11-01 17:00', '2650')];
    expect((await paid('2640', far)).market.prices.listings).toBeNull();
    const close = [published('2026-11-01 09:45', '2495'), published('2026-11-01 10:25', '2505'), ...listed.slice(2)];
    expect((await paid('2640', close)).market.prices.listings).toMatchObject({ low: dec('2495'), high: dec('2505') });
  });

  it('in whose hours too little was seen has the moves of a week before, and those in it', async () => {
    const listed = [
      published('2026-10-25 09:00', '1'),
      published('2026-10-25 10:00', '2400'),
      published('2026-10-31 10:00', '2450'),
      published('2026-11-02 10:00', '2500'),
      published('2026-11-03 12:00', '1'),
    ];
    const long = aPurchase({ updatedAt: at('2026-11-03 10:00') });
    const snapshot = aSnapshot(long, at('2026-11-03 11:00'));
    const { market, asked } = await marketOf(
      aStoredCase({ state: long, observation: { outcome: 'verified', snapshot } }),
      {
        listed,
      },
    );
    expect(asked.listings[1]).toMatchObject({ from: CREATED - 30 * MINUTES - 7 * DAYS, to: at('2026-11-03 10:30') });
    expect(market.past.map(({ price }) => price?.toString())).toEqual(['2400', '2450', '2500']);
    expect(market.prices.listings).toMatchObject({ count: 1, hours: 1 });
  });

  it('needs no moves where every hour of the execution was seen', async () => {
    const { market, asked } = await marketOf(aStoredCase(), { listed: [published('2026-11-01 10:05', '2500')] });
    expect(asked.listings).toHaveLength(1);
    expect(market.past).toEqual([]);
  });

  it('of a payout that moved without a status has the moves of a week before it until now, with a quote or without', async () => {
    const sale = (fiatValue: string) => aSale({ fiatValue, status: null });
    const moved = aStoredCase({
      state: sale('199'),
      observation: { outcome: 'verified', snapshot: aSnapshot(sale('199'), at('2026-11-02 04:15')) },
      history: { ...FIRST_NIGHT, first: aSnapshot(sale('200'), at('2026-11-01 14:00')) },
    });
    const listed = [published('2026-11-01 12:00', '2500'), published('2026-11-02 04:00', '2490')];
    const { market, asked } = await marketOf(moved, { listed, quote: null });
    const wanted = { direction: 'offramp', from: at('2026-10-25 14:00'), to: at('2026-11-02 04:15') };
    expect(asked.listings.at(-1)).toMatchObject(wanted);
    expect(market.past).toEqual(listed);
  });

  it('is that of its own record, on a page where others have none', async () => {
    const { store } = lookups([published('2026-11-01 10:05', '2500')]);
    const page = [aStoredCase({ observation: anUnreachable() }), aStoredCase(), aStoredCase()];
    const markets = await marketsOf(page, [null, null, aMatchedQuote()], MARKS, store);
    expect(markets.map(({ prices }) => prices.listings?.count ?? 0)).toEqual([0, 1, 1]);
  });
});

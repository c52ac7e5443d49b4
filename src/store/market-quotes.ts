/**
 * Prices and network fees in the quotes around an execution, for pages of thousands of requests. Quotes are read a day of one asset and
 * currency at a time, a few of each ten minutes, and are kept: the records of a night share their days.
 */
import { type Compilable, sql } from 'kysely';
import { type AssetIdentity, sameAsset, symbolsOf } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { valueConverted } from '../domain/fee-parts.ts';
import { both, type Seen, widened } from '../domain/market.ts';
import type { Instant } from '../domain/record.ts';
import type { MarketWanted, QuoteStore, SeenInQuotes } from '../ports/store/store.ts';
import { BoundedCache } from './bounded-cache.ts';
import { type Row, readDecimal, readDecimalOrNull, readUnits } from './cells.ts';
import type { Engine } from './engine.ts';
import { OWN_ASSET, readAsset } from './schema/asset.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { METHOD, QUOTE } from './schema/quotes.ts';
import { closedKeys, template } from './statements.ts';

const MINUTE = 60_000;
const SLOT = 10 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY_HOURS = 24;
/** Of each ten minutes: the range of a market needs few prices. */
const QUOTES_PER_SLOT = 4;
/** No payment takes longer: a creation years before would ask for years of hours. */
const MOST_HOURS = 15 * DAY_HOURS;

/** Places of a price. */
const PLACES = 18;

interface Sample {
  quoteId: string;
  at: Instant;
  /** In units of 10^-18. */
  price: bigint;
  networkFee: Decimal | null;
}

/** Samples by column: an object and a Decimal for each took three times the memory, which every thread of a replay has. */
type Samples = { readonly [Name in keyof Sample]: Sample[Name][] };

/** The samples of one hour, and what they come to. */
type Hour = Samples & SeenInQuotes;

/** Of one asset and currency; by the hour, those without a quote left out. */
type Day = readonly (Hour | undefined)[];

interface Missing {
  wish: MarketWanted;
  /** Since 1970. */
  day: number;
}

const FIELDS = sql`
  cast(value ->> 0 as bigint) as place, value ->> 1 as direction, value ->> 2 as symbol, value ->> 3 as currency,
  cast(value ->> 4 as bigint) as day_from, cast(value ->> 5 as bigint) as day_to`;

const SAMPLE = selection({
  quote: of('q', { ...only(QUOTE, 'quote_id', 'captured_at', 'direction'), ...OWN_ASSET }),
  method: of('m', only(METHOD, 'fiat_value', 'crypto_units', 'applied_fee', 'network_fee')),
});

/**
 * The first quotes of each slot; any method of a quote has its price. A day is looked up once: most slots have no quote, and looking for
 * each by itself took four times as long.
 */
function daysQuery(engine: Engine): (json: string, watermark: number) => Compilable {
  const firstOfSlots = sql`q.quote_key in (
    select quote_key from (
      select s.quote_key, row_number() over (partition by s.captured_at / ${sql.lit(SLOT)} order by s.captured_at, s.quote_key) as nth
      from quotes as s
      where s.direction = w.direction and s.asset_symbol = w.symbol and s.fiat_currency = w.currency
        and s.captured_at >= w.day_from and s.captured_at < w.day_to and s.quote_key <= ${0}) as s
    where nth <= ${sql.lit(QUOTES_PER_SLOT)})`;
  const tables = [
    { table: 'quotes', as: 'q', on: firstOfSlots },
    { table: 'quote_methods', as: 'm', on: sql`m.quote_key = q.quote_key and m.position = 0` },
  ] as const;
  const query = sql`
    select ${sql.join(SAMPLE.columns.map((column) => sql.ref(column)))}, w.place
    from ${engine.lookUps('', FIELDS, tables)}
    order by w.place, q.captured_at, q.quote_key`;
  const statement = template({ compile: () => query.compile(engine.db) });
  return (json, watermark) => statement([json, watermark]);
}

/** Null where the quote is of another asset, or has no price. */
function readSample(row: Row, asset: AssetIdentity, feeOf: (text: string | null) => Decimal | null): Sample | null {
  const { quote, method } = SAMPLE.at;
  const quoted = readAsset(row, quote);
  const tokens = Decimal.of(readUnits(cell(row, method.crypto_units)), quoted.decimals);
  if (tokens.isZero || !sameAsset(quoted, asset)) return null;
  const kind = cell(row, quote.direction) === 'onramp' ? 'purchase' : 'sale';
  const fiat = readDecimal(cell(row, method.fiat_value));
  return {
    quoteId: cell(row, quote.quote_id),
    at: cell(row, quote.captured_at),
    price: valueConverted(kind, fiat, readDecimal(cell(row, method.applied_fee))).dividedBy(tokens, PLACES).unscaled,
    networkFee: feeOf(cell(row, method.network_fee)),
  };
}

/** In one loop, and with a Decimal for the two prices that count alone: every record with a quote asks for an hour or two. */
function seenIn({ quoteId, at, price, networkFee }: Samples, wish?: MarketWanted): SeenInQuotes {
  let [low, high, count] = [0n, 0n, 0];
  let networkFees: Seen | null = null;
  for (let i = 0; i < at.length; i++) {
    const time = at[i] as Instant;
    if (wish !== undefined && (time < wish.from || time > wish.to || quoteId[i] === wish.own?.quoteId)) continue;
    networkFees = widened(networkFees, networkFee[i] ?? null);
    const one = price[i] as bigint;
    if (one <= 0n) continue;
    if (count === 0 || one < low) low = one;
    if (one > high) high = one;
    count++;
  }
  const prices = { low: Decimal.of(low, PLACES), high: Decimal.of(high, PLACES), count, hours: 1 };
  return { prices: count === 0 ? null : prices, networkFees };
}

function hoursOf(samples: readonly Sample[]): Day {
  const hours = Array.from({ length: DAY_HOURS }, (): Samples => ({ quoteId: [], at: [], price: [], networkFee: [] }));
  for (const { quoteId, at, price, networkFee } of samples) {
    const hour = hours[Math.floor(at / HOUR) % DAY_HOURS] as Samples;
    hour.quoteId.push(quoteId);
    hour.at.push(at);
    hour.price.push(price);
    hour.networkFee.push(networkFee);
  }
  return hours.map((each) => (each.at.length === 0 ? undefined : { ...each, ...seenIn(each) }));
}

/** Caches never expire: quotes under a closed watermark never change. */
export function marketQuotes(engine: Engine): QuoteStore['seen'] {
  const queryOf = daysQuery(engine);
  const cache = new BoundedCache<string, Day>(1024);
  const closedUpTo = closedKeys(engine.db, 'quotes', 'quote_key');

  const readDays = async (missing: readonly Missing[], watermark: number): Promise<readonly Day[]> => {
    const wanted = missing.flatMap(({ wish: { direction, asset, currency }, day }, place) => {
      const from = day * DAY_HOURS * HOUR;
      return symbolsOf(asset).map((symbol) => [place, direction, symbol, currency, from, from + DAY_HOURS * HOUR]);
    });
    const rows = await engine.rows(queryOf(JSON.stringify(wanted), watermark));
    const samples = missing.map((): Sample[] => []);
    const fees = new Map<string | null, Decimal | null>();
    // One object for each fee: most quotes of a day have one of a few.
    const feeOf = (text: string | null) => {
      const known = fees.get(text);
      if (known !== undefined) return known;
      const fee = readDecimalOrNull(text);
      fees.set(text, fee);
      return fee;
    };
    for (const row of rows) {
      const place = Number(row[SAMPLE.end]);
      const wish = missing[place]?.wish;
      const sample = wish === undefined ? null : readSample(row, wish.asset, feeOf);
      if (sample !== null) samples[place]?.push(sample);
    }
    return samples.map(hoursOf);
  };

  return async (wanted, watermark) => {
    const isClosed = (await closedUpTo(watermark)) === watermark;
    // More days than the cache keeps may be asked for at once; days of a watermark that is open are of this call alone.
    const days = new Map<string, Day>();
    const missing = new Map<string, Missing>();
    const asked = wanted.map((wish) => namesOf(wish, watermark));
    for (const [i, { first, names }] of asked.entries()) {
      for (const [n, name] of names.entries()) {
        if (days.has(name) || missing.has(name)) continue;
        const known = isClosed ? cache.get(name) : undefined;
        if (known === undefined) missing.set(name, { wish: wanted[i] as MarketWanted, day: first + n });
        else days.set(name, known);
      }
    }
    const read = missing.size === 0 ? [] : await readDays([...missing.values()], watermark);
    for (const [i, name] of [...missing.keys()].entries()) {
      const day = read[i] ?? [];
      days.set(name, day);
      if (isClosed) cache.set(name, day);
    }
    return wanted.map((wish, i) => {
      const { first, names } = asked[i] as ReturnType<typeof namesOf>;
      return seenAround(wish, { first, days: names.map((name) => days.get(name) ?? []) });
    });
  };
}

/** Consecutive days; the first by its number since 1970. */
interface Window {
  first: number;
  days: readonly Day[];
}

/** Names of the days of a window in the cache. */
function namesOf({ direction, asset, currency, from, to }: MarketWanted, watermark: number) {
  const [first, last] = [Math.floor(from / HOUR / DAY_HOURS), Math.floor(to / HOUR / DAY_HOURS)];
  if (Math.floor(to / HOUR) - Math.floor(from / HOUR) > MOST_HOURS) return { first, names: [] };
  const { chain, decimals, address, chainPresumed } = asset;
  const names: string[] = [];
  for (let day = first; day <= last; day++) {
    names.push(
      `${day} ${direction} ${chain} ${symbolsOf(asset)} ${decimals} ${address} ${chainPresumed === true} ${currency} ${watermark}`,
    );
  }
  return { first, names };
}

/** Whole hours are taken as they are; of those at the ends, and of the own quote's, each sample is looked at. */
function seenAround(wish: MarketWanted, { first, days }: Window): SeenInQuotes {
  const { from, to, own } = wish;
  let prices: Seen | null = null;
  let networkFees: Seen | null = null;
  if (days.length === 0) return { prices, networkFees };
  const ownHour = own === null ? null : Math.floor(own.capturedAt / HOUR);
  for (let hour = Math.floor(from / HOUR); hour * HOUR <= to; hour++) {
    const known = days[Math.floor(hour / DAY_HOURS) - first]?.[hour % DAY_HOURS];
    if (known === undefined) continue;
    const start = hour * HOUR;
    const isWhole = start >= from && start + HOUR <= to && ownHour !== hour;
    const seen = isWhole ? known : seenIn(known, wish);
    prices = both(prices, seen.prices);
    networkFees = both(networkFees, seen.networkFees);
  }
  return { prices, networkFees };
}

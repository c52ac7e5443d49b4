/**
 * Prices and network fees in the quotes around an execution, for pages of thousands of requests. Quotes are read an hour of one asset and
 * currency at a time, a few of each ten minutes, and are kept: a night has as many hours as it has records' windows to share them.
 */
import { type Compilable, sql } from 'kysely';
import { type AssetIdentity, sameAsset, symbolsOf } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { valueConverted } from '../domain/fee-parts.ts';
import { both, type Seen, seenOf } from '../domain/market.ts';
import type { Instant } from '../domain/record.ts';
import type { MarketWanted, QuoteStore, SeenInQuotes } from '../ports/store/store.ts';
import { BoundedCache } from './bounded-cache.ts';
import { type Row, readDecimal, readDecimalOrNull, readPresumed, readUnits } from './cells.ts';
import type { Engine } from './engine.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { METHOD, QUOTE } from './schema/quotes.ts';
import { closedKeys, template } from './statements.ts';

const MINUTE = 60_000;
const SLOT = 10 * MINUTE;
const HOUR = 60 * MINUTE;
/** Of each ten minutes: the range of a market needs few prices. */
const QUOTES_PER_SLOT = 4;
/** No payment takes longer: a creation years before would ask for years of hours. */
const MOST_HOURS = 15 * 24;

interface Sample {
  quoteId: string;
  at: Instant;
  price: Decimal;
  networkFee: Decimal | null;
}

/** The samples of one hour, and what they come to. */
interface Hour extends SeenInQuotes {
  samples: readonly Sample[];
}

interface Missing {
  wish: MarketWanted;
  day: Day;
  hour: number;
}

const FIELDS = sql`
  cast(value ->> 0 as bigint) as place, value ->> 1 as direction, value ->> 2 as symbol, value ->> 3 as currency,
  cast(value ->> 4 as bigint) as hour_from, cast(value ->> 5 as bigint) as hour_to`;

const ASSET = ['asset_chain', 'asset_symbol', 'asset_decimals', 'asset_address', 'asset_chain_presumed'] as const;
const SAMPLE = selection({
  quote: of('q', only(QUOTE, 'quote_id', 'captured_at', 'direction', ...ASSET)),
  method: of('m', only(METHOD, 'fiat_value', 'crypto_units', 'applied_fee', 'network_fee')),
});

/**
 * The first quotes of each slot; any method of a quote has its price. An hour is looked up once: most have no quote, and looking for
 * each slot by itself took four times as long.
 */
function hoursQuery(engine: Engine): (json: string, watermark: number) => Compilable {
  const firstOfSlots = sql`q.quote_key in (
    select quote_key from (
      select s.quote_key, row_number() over (partition by s.captured_at / ${sql.lit(SLOT)} order by s.captured_at, s.quote_key) as nth
      from quotes as s
      where s.direction = w.direction and s.asset_symbol = w.symbol and s.fiat_currency = w.currency
        and s.captured_at >= w.hour_from and s.captured_at < w.hour_to and s.quote_key <= ${0}) as s
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
function readSample(row: Row, asset: AssetIdentity): Sample | null {
  const { quote, method } = SAMPLE.at;
  const decimals = cell(row, quote.asset_decimals);
  const quoted = {
    chain: cell(row, quote.asset_chain),
    symbol: cell(row, quote.asset_symbol),
    decimals,
    address: cell(row, quote.asset_address),
    ...readPresumed(cell(row, quote.asset_chain_presumed)),
  };
  const tokens = Decimal.of(readUnits(cell(row, method.crypto_units)), decimals);
  if (tokens.isZero || !sameAsset(quoted, asset)) return null;
  const kind = cell(row, quote.direction) === 'onramp' ? 'purchase' : 'sale';
  const fiat = readDecimal(cell(row, method.fiat_value));
  return {
    quoteId: cell(row, quote.quote_id),
    at: cell(row, quote.captured_at),
    price: valueConverted(kind, fiat, readDecimal(cell(row, method.applied_fee))).dividedBy(tokens, 18),
    networkFee: readDecimalOrNull(cell(row, method.network_fee)),
  };
}

function seenIn(samples: readonly Sample[]): SeenInQuotes {
  return {
    prices: seenOf(samples, ({ price }) => price),
    networkFees: seenOf(samples, ({ networkFee }) => networkFee),
  };
}

/** The hours of a day of one asset and currency, by their number since 1970. */
type Day = Map<number, Hour>;

/** Caches never expire: quotes under a closed watermark never change. */
export function marketQuotes(engine: Engine): QuoteStore['seen'] {
  const queryOf = hoursQuery(engine);
  const cache = new BoundedCache<string, Day>(1024);
  const closedUpTo = closedKeys(engine.db, 'quotes', 'quote_key');

  const readHours = async (missing: readonly Missing[], watermark: number) => {
    const hours = missing.flatMap(({ wish: { direction, asset, currency }, hour }, place) =>
      symbolsOf(asset).map((symbol) => [place, direction, symbol, currency, hour * HOUR, (hour + 1) * HOUR]),
    );
    const rows = await engine.rows(queryOf(JSON.stringify(hours), watermark));
    const samples = missing.map((): Sample[] => []);
    for (const row of rows) {
      const place = Number(row[SAMPLE.end]);
      const wish = missing[place]?.wish;
      const sample = wish === undefined ? null : readSample(row, wish.asset);
      if (sample !== null) samples[place]?.push(sample);
    }
    for (const [i, { day, hour }] of missing.entries()) {
      day.set(hour, { samples: samples[i] ?? [], ...seenIn(samples[i] ?? []) });
    }
  };

  return async (wanted, watermark) => {
    const isClosed = (await closedUpTo(watermark)) === watermark;
    // More days than the cache keeps may be asked for at once; days of a watermark that is open are of this call alone.
    const days = new Map<string, Day>();
    const dayOf = (name: string) => entryOf(days, name, () => (isClosed ? cache.get(name) : undefined) ?? new Map());
    const missing = new Map<Day, Map<number, MarketWanted>>();
    const asked = wanted.map((wish) => {
      const window = windowOf(wish, watermark, dayOf);
      for (const [i, day] of window.days.entries()) {
        const hour = window.first + i;
        if (!day.has(hour)) entryOf(missing, day, () => new Map()).set(hour, wish);
      }
      return window;
    });
    const unread = [...missing].flatMap(([day, hours]) => [...hours].map(([hour, wish]) => ({ day, hour, wish })));
    if (unread.length > 0) await readHours(unread, watermark);
    if (isClosed) for (const [name, day] of days) cache.set(name, day);
    return wanted.map((wish, i) => seenAround(wish, asked[i] as Window));
  };
}

/** Consecutive hours, each in its day. */
interface Window {
  first: number;
  days: readonly Day[];
}

function windowOf(
  { direction, asset, currency, from, to }: MarketWanted,
  watermark: number,
  dayOf: (name: string) => Day,
): Window {
  const [first, last] = [Math.floor(from / HOUR), Math.floor(to / HOUR)];
  const days: Day[] = [];
  if (last - first > MOST_HOURS) return { first, days };
  const { chain, decimals, address, chainPresumed } = asset;
  const pair = `${direction} ${chain} ${symbolsOf(asset)} ${decimals} ${address} ${chainPresumed === true} ${currency} ${watermark}`;
  let day = dayOf(`${pair} ${Math.floor(first / 24)}`);
  for (let hour = first; hour <= last; hour++) {
    if (hour > first && hour % 24 === 0) day = dayOf(`${pair} ${hour / 24}`);
    days.push(day);
  }
  return { first, days };
}

/** Whole hours are taken as they are; of those at the ends, and of the own quote's, each sample is looked at. */
function seenAround({ from, to, own }: MarketWanted, { first, days }: Window): SeenInQuotes {
  let prices: Seen | null = null;
  let networkFees: Seen | null = null;
  const ownHour = Math.floor(own.capturedAt / HOUR);
  for (let i = 0; i < days.length; i++) {
    const hour = first + i;
    const known = days[i]?.get(hour);
    if (known === undefined || known.samples.length === 0) continue;
    const start = hour * HOUR;
    const isWhole = start >= from && start + HOUR <= to && ownHour !== hour;
    const seen = isWhole
      ? known
      : seenIn(known.samples.filter(({ at, quoteId }) => at >= from && at <= to && quoteId !== own.quoteId));
    prices = both(prices, seen.prices);
    networkFees = both(networkFees, seen.networkFees);
  }
  return { prices, networkFees };
}

/** The search for captured quotes that may belong to records, for pages of hundreds of requests. */
import { sql } from 'kysely';
import { sameName, symbolsOf } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { CapturedWanted } from '../domain/match-quote.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { AmountBounds, QuotedAmounts } from '../domain/quoted-amount.ts';
import type { Instant } from '../domain/record.ts';
import type { QuoteStore } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { METHOD, QUOTE, QUOTES, readMethod, readQuote } from './schema/quotes.ts';
import { template } from './statements.ts';

/** The databases give amounts in binary floating point: the bounds are wider by far more than its error. */
const [NARROWER, WIDER] = [Decimal.parse('0.999999'), Decimal.parse('1.000001')];

/** Of a wish for the latest alone. */
const LATEST = 100;

const FIELDS = sql`
  cast(value ->> 0 as bigint) as place, value ->> 1 as direction, value ->> 2 as symbol, value ->> 3 as currency,
  cast(value ->> 4 as bigint) as captured_from, cast(value ->> 5 as bigint) as captured_to, value ->> 6 as method`;

const FOUND = selection({
  own: of('q', only(QUOTES.quotes.columns, 'quote_key')),
  quote: of('q', QUOTE),
  method: of('m', METHOD),
});

/** What a quote offers by one of its methods, as far as it decides whether a wish is for it. */
interface Offer {
  key: number;
  at: Instant;
  fiat: number;
  units: number;
  isWished: boolean;
  quote?: Quote | undefined;
}

/** Latest capture first; of two captured together the one that was stored last. The chain is compared afterwards: a body may name none. */
function offersQuery(engine: Engine, { ofOneMethod }: { ofOneMethod: boolean }) {
  const ofWish = sql`q.direction = w.direction and q.asset_symbol = w.symbol and q.fiat_currency = w.currency
    and q.captured_at between w.captured_from and w.captured_to and q.quote_key <= ${0}`;
  // A quote has a dozen methods, and reading all of them costs more than the look-up.
  const ofQuote = sql`m.quote_key = q.quote_key ${ofOneMethod ? sql`and m.method = w.method` : sql``}`;
  const tables = [
    { table: 'quotes', as: 'q', on: ofWish },
    { table: 'quote_methods', as: 'm', on: ofQuote },
  ] as const;
  const query = sql`
    select w.place, q.quote_key, q.captured_at,
      cast(m.fiat_value as double precision) as fiat, cast(m.crypto_units as double precision) as units
    from ${engine.lookUps('', FIELDS, tables)}
    order by w.place, q.captured_at desc, q.quote_key desc`;
  const statement = template({ compile: () => query.compile(engine.db) });
  /** Of each group of wishes that differ in their times and amounts alone. */
  return async (groups: readonly (readonly CapturedWanted[])[], watermark: number): Promise<readonly Offer[][]> => {
    const offers = groups.map((): Offer[] => []);
    const rows = groups.flatMap((wishes, place) => wishes.slice(0, 1).flatMap((wish) => rowsOf(wish, wishes, place)));
    await engine.each(statement([JSON.stringify(rows), watermark]), ([place, key, at, fiat, units]) => {
      const offer = { key: Number(key), at: Number(at), fiat: Number(fiat), units: Number(units), isWished: false };
      offers[Number(place)]?.push(offer);
    });
    return offers;
  };
}

const groupOf = ({ direction, asset, fiatCurrency, method }: CapturedWanted) =>
  JSON.stringify([direction, symbolsOf(asset), fiatCurrency, method]);

/**
 * Elements of the list, in the order of FIELDS: one for each name of a renamed coin and each stretch of time. Times that overlap are one
 * stretch: in a busy minute each of thousands of wishes is for all of its quotes.
 */
function rowsOf(
  { direction, asset, fiatCurrency, method }: CapturedWanted,
  wishes: readonly CapturedWanted[],
  place: number,
) {
  const stretches: { from: Instant; to: Instant }[] = [];
  for (const { from, to } of wishes.toSorted((a, b) => a.from - b.from)) {
    const last = stretches.at(-1);
    if (last === undefined || from > last.to) stretches.push({ from, to });
    else last.to = Math.max(last.to, to);
  }
  return symbolsOf(asset).flatMap((symbol) =>
    stretches.map(({ from, to }) => [place, direction, symbol, fiatCurrency, from, to, method]),
  );
}

/** Of the offers, latest first, those that a wish is for; one of each quote. */
function wishedOf(offers: readonly Offer[], { from, to, amounts, latest }: CapturedWanted): readonly Offer[] {
  const isNear = amounts === undefined ? () => true : nearTo(amounts);
  const wished: Offer[] = [];
  let seen = 0;
  for (let i = firstUpTo(offers, to); i < offers.length; i++) {
    const offer = offers[i] as Offer;
    if (offer.at < from || (latest === true && seen === LATEST)) break;
    if (offers[i + 1]?.key !== offer.key) seen++;
    if (!isNear(offer) || wished[wished.length - 1]?.key === offer.key) continue;
    offer.isWished = true;
    wished.push(offer);
  }
  return wished;
}

function firstUpTo(offers: readonly Offer[], to: Instant): number {
  let [low, high] = [0, offers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offers[middle] as Offer).at > to) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nearTo(amounts: QuotedAmounts): (offer: Offer) => boolean {
  const range = ([least, most]: AmountBounds) =>
    [Number(least.times(NARROWER)), most === null ? Number.POSITIVE_INFINITY : Number(most.times(WIDER))] as const;
  const [[fiatFrom, fiatTo], [unitsFrom, unitsTo]] = [range(amounts.fiat), range(amounts.units)];
  return ({ fiat, units }) => (fiat >= fiatFrom && fiat <= fiatTo) || (units >= unitsFrom && units <= unitsTo);
}

/** A quote with this method alone, or with all of them. */
const nameOf = (key: number, method: string | null) => `${key} ${method ?? ''}`;

interface Read {
  quote: Quote;
  methods: QuotedMethod[];
}

/**
 * Each quote is read once, and all wishes share it: in a busy hour hundreds of records ask for the same thousand quotes. The next page asks for
 * most of them again, and none ever changes.
 */
function quotesQuery(engine: Engine, { ofOneMethod }: { ofOneMethod: boolean }) {
  const fields = sql`cast(value ->> 0 as bigint) as quote_key, value ->> 1 as method`;
  const ofQuote = sql`m.quote_key = q.quote_key ${ofOneMethod ? sql`and m.method = w.method` : sql``}`;
  const tables = [
    { table: 'quotes', as: 'q', on: sql`q.quote_key = w.quote_key` },
    { table: 'quote_methods', as: 'm', on: ofQuote },
  ] as const;
  const query = sql`
    select ${sql.join(FOUND.columns.map((column) => sql.ref(column)))}
    from ${engine.lookUps('', fields, tables)}
    order by q.quote_key, m.position`;
  const statement = template({ compile: () => query.compile(engine.db) });
  const { own, quote, method } = FOUND.at;
  let kept: ReadonlyMap<string, Read> = new Map();
  return async (wanted: readonly (readonly [key: number, method: string | null])[]) => {
    const found = new Map<string, Read>();
    const unread = new Map<string, (typeof wanted)[number]>();
    for (const each of wanted) {
      const name = nameOf(...each);
      const known = kept.get(name);
      if (known === undefined) unread.set(name, each);
      else found.set(name, known);
    }
    const rows = JSON.stringify([...unread.values()]);
    const read = (row: Parameters<Parameters<Engine['each']>[1]>[0]) => {
      const name = nameOf(cell(row, own.quote_key), ofOneMethod ? cell(row, method.method) : null);
      const { methods } = entryOf(found, name, () => {
        const offered: QuotedMethod[] = [];
        return { quote: readQuote(row, quote, offered), methods: offered };
      });
      methods.push(readMethod(row, method));
    };
    if (unread.size > 0) await engine.each(statement([rows]), read);
    // Not before it is whole: another page may ask meanwhile.
    kept = found;
    return found;
  };
}

/** Finds the candidates of all requests at once. */
export function capturedQuotes(engine: Engine): QuoteStore['captured'] {
  const [ofOneMethod, ofAnyMethod] = [{ ofOneMethod: true }, { ofOneMethod: false }].map((way) => ({
    find: offersQuery(engine, way),
    read: quotesQuery(engine, way),
  })) as [Way, Way];
  return async (wanted, watermark) => {
    const found = new Map<CapturedWanted, readonly Quote[]>();
    for (const [way, wishes] of Map.groupBy(wanted, ({ method }) => (method === null ? ofAnyMethod : ofOneMethod))) {
      const groups = [...Map.groupBy(wishes, groupOf).values()];
      const offers = await way.find(groups, watermark);
      const wished = groups.map((group, n) => group.map((wish) => [wish, wishedOf(offers[n] ?? [], wish)] as const));
      const methodOf = (n: number) => groups[n]?.[0]?.method ?? null;
      const asked = offers.flatMap((group, n) =>
        group.flatMap((offer) => (offer.isWished ? [{ offer, method: methodOf(n) }] : [])),
      );
      const quotes = await way.read(asked.map(({ offer: { key }, method }) => [key, method]));
      // Once for each offer: in a busy minute each wish is for thousands of them.
      for (const { offer, method } of asked) offer.quote = quotes.get(nameOf(offer.key, method))?.quote;
      for (const [wish, own] of wished.flat()) {
        const named: Quote[] = [];
        for (const { quote } of own) if (quote !== undefined && sameName(quote.asset, wish.asset)) named.push(quote);
        found.set(wish, named);
      }
    }
    return wanted.map((wish) => found.get(wish) ?? []);
  };
}

interface Way {
  find: ReturnType<typeof offersQuery>;
  read: ReturnType<typeof quotesQuery>;
}

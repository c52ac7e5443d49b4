/** The search for captured quotes that may belong to records, for pages of hundreds of requests. */
import { sql } from 'kysely';
import { sameName, symbolsOf } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { CapturedWanted } from '../domain/match-quote.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { AmountBounds } from '../domain/quoted-amount.ts';
import type { Instant } from '../domain/record.ts';
import type { QuoteStore } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { METHOD, QUOTE, QUOTES, readMethod, readQuote } from './schema/quotes.ts';
import { template } from './statements.ts';

/** The databases give amounts in binary floating point: the bounds are wider by far more than its error. */
const [NARROWER, WIDER] = [Decimal.parse('0.999999'), Decimal.parse('1.000001')];

/** More than any amount: they have at most 40 digits before the point. */
const UNBOUNDED = 1e41;
const EVERY_AMOUNT = { fiat: [Decimal.ZERO, null], units: [Decimal.ZERO, null] } as const;

/** Of a wish for the latest alone. */
const LATEST = 100;
/** The part of a wish's time within which others begin that share its search. */
const SHARED = 0.1;

const FIELDS = sql`
  cast(value ->> 0 as bigint) as place, value ->> 1 as direction, value ->> 2 as symbol, value ->> 3 as currency,
  cast(value ->> 4 as bigint) as captured_from, cast(value ->> 5 as bigint) as captured_to, value ->> 6 as method,
  cast(value ->> 7 as double precision) as fiat_from, cast(value ->> 8 as double precision) as fiat_to,
  cast(value ->> 9 as double precision) as units_from, cast(value ->> 10 as double precision) as units_to`;

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
  const [fiat, units] = [sql`cast(m.fiat_value as double precision)`, sql`cast(m.crypto_units as double precision)`];
  const query = sql`
    select w.place, q.quote_key, q.captured_at, ${fiat} as fiat, ${units} as units
    from ${engine.lookUps('', FIELDS, tables)}
    where ${fiat} between w.fiat_from and w.fiat_to or ${units} between w.units_from and w.units_to
    order by w.place, q.captured_at desc, q.quote_key desc`;
  const statement = template({ compile: () => query.compile(engine.db) });
  /** Of each group of wishes. */
  return async (groups: readonly (readonly Bounded[])[], watermark: number): Promise<readonly Offer[][]> => {
    const offers = groups.map((): Offer[] => []);
    const rows = groups.flatMap(rowsOf);
    await engine.each(statement([JSON.stringify(rows), watermark]), ([place, key, at, fiat, units]) => {
      const offer = { key: Number(key), at: Number(at), fiat: Number(fiat), units: Number(units), isWished: false };
      offers[Number(place)]?.push(offer);
    });
    return offers;
  };
}

/** A wish with the bounds of its amounts as numbers. */
interface Bounded {
  wish: CapturedWanted;
  fiat: readonly [least: number, most: number];
  units: readonly [least: number, most: number];
}

function bounded(wish: CapturedWanted): Bounded {
  const range = ([least, most]: AmountBounds) =>
    [Number(least.times(NARROWER)), most === null ? UNBOUNDED : Number(most.times(WIDER))] as const;
  const { fiat, units } = wish.amounts ?? EVERY_AMOUNT;
  return { wish, fiat: range(fiat), units: range(units) };
}

const nameOfGroup = ({ direction, asset, fiatCurrency, method, latest }: CapturedWanted) =>
  JSON.stringify([direction, symbolsOf(asset), fiatCurrency, method, latest === true]);

/**
 * Wishes whose times nearly agree share one search, because in a busy minute thousands of them read the same quotes. All others have a search each, so
 * that the database can leave out quotes of other amounts.
 */
function groupsOf(wishes: readonly CapturedWanted[]): readonly (readonly Bounded[])[] {
  const groups: Bounded[][] = [];
  for (const alike of Map.groupBy(wishes, nameOfGroup).values()) {
    let until = Number.NEGATIVE_INFINITY;
    for (const wish of alike.toSorted((a, b) => a.from - b.from)) {
      if (wish.from > until) {
        until = wish.from + (wish.to - wish.from) * SHARED;
        groups.push([]);
      }
      groups.at(-1)?.push(bounded(wish));
    }
  }
  return groups;
}

/** Elements of the list, in the order of FIELDS: one for each name of a renamed coin. */
function rowsOf(group: readonly Bounded[], place: number): readonly (string | number | null)[][] {
  const [first] = group;
  if (first === undefined) return [];
  const { direction, asset, fiatCurrency, method } = first.wish;
  const [fiat, units] = [all(group.map((each) => each.fiat)), all(group.map((each) => each.units))];
  const times = all(group.map(({ wish: { from, to } }) => [from, to] as const));
  const rest = [fiatCurrency, ...times, method, ...fiat, ...units];
  return symbolsOf(asset).map((symbol) => [place, direction, symbol, ...rest]);
}

/** The range that has all of them. */
const all = (ranges: readonly (readonly [number, number])[]): [number, number] => [
  Math.min(...ranges.map(([least]) => least)),
  Math.max(...ranges.map(([, most]) => most)),
];

/** Of the offers, latest first, those that a wish is for; one of each quote. */
function wishedOf(offers: readonly Offer[], { wish: { from, to, latest }, fiat, units }: Bounded): readonly Offer[] {
  const isIn = ([least, most]: readonly [number, number], amount: number) => amount >= least && amount <= most;
  const wished: Offer[] = [];
  let seen = 0;
  for (let i = firstUpTo(offers, to); i < offers.length; i++) {
    const offer = offers[i] as Offer;
    if (offer.at < from || (latest === true && seen === LATEST)) break;
    if (offers[i + 1]?.key !== offer.key) seen++;
    const isNear = isIn(fiat, offer.fiat) || isIn(units, offer.units);
    if (!isNear || wished[wished.length - 1]?.key === offer.key) continue;
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
      const groups = groupsOf(wishes);
      const offers = await way.find(groups, watermark);
      const wished = groups.map((group, n) =>
        group.map((each) => [each.wish, wishedOf(offers[n] ?? [], each)] as const),
      );
      const methodOf = (n: number) => groups[n]?.[0]?.wish.method ?? null;
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

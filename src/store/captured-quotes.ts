/** The search for captured quotes that may belong to records, for pages of hundreds of requests. */
import { type Compilable, sql } from 'kysely';
import { sameName, symbolsOf } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { CapturedWanted } from '../domain/match-quote.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { AmountBounds } from '../domain/quoted-amount.ts';
import type { QuoteStore } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { METHOD, QUOTE, QUOTES, readMethod, readQuote } from './schema/quotes.ts';
import { template } from './statements.ts';

/** More than any amount: they have at most 40 digits before the point. */
const UNBOUNDED = '1e41';
const EVERY_AMOUNT = { fiat: [Decimal.ZERO, null], units: [Decimal.ZERO, null] } as const;
/** The databases compare in binary floating point: the bounds are wider by far more than its error. */
const [NARROWER, WIDER] = [Decimal.parse('0.999999'), Decimal.parse('1.000001')];

/** Of a wish for the latest alone. */
const LATEST = 100;

const range = ([least, most]: AmountBounds): readonly [string, string] => [
  least.times(NARROWER).toString(),
  most === null ? UNBOUNDED : most.times(WIDER).toString(),
];

/** A wish as elements of the list, in the order of FIELDS: one for each name of a renamed coin. */
function rowsOf(wish: CapturedWanted, place: number): readonly (string | number | null)[][] {
  const { direction, asset, fiatCurrency, from, to, method } = wish;
  const { fiat, units } = method === null ? EVERY_AMOUNT : (wish.amounts ?? EVERY_AMOUNT);
  const rest = [fiatCurrency, from, to, method, ...range(fiat), ...range(units)];
  return symbolsOf(asset).map((symbol) => [place, direction, symbol, ...rest]);
}

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

/** Latest capture first; of two captured together the one that was stored last. The chain is compared afterwards: a body may name none. */
function wishesQuery(
  engine: Engine,
  { ofOneMethod, isLatest }: { ofOneMethod: boolean; isLatest: boolean },
): (json: string, watermark: number) => Compilable {
  const near = sql`(cast(m.fiat_value as double precision) between w.fiat_from and w.fiat_to
    or cast(m.crypto_units as double precision) between w.units_from and w.units_to)`;
  const isWished = (table: string) => {
    const column = (name: string) => sql.ref(`${table}.${name}`);
    return sql`${column('direction')} = w.direction and ${column('asset_symbol')} = w.symbol
      and ${column('fiat_currency')} = w.currency
      and ${column('captured_at')} between w.captured_from and w.captured_to and ${column('quote_key')} <= ${0}`;
  };
  const ofWish = isLatest
    ? sql`q.quote_key in (
        select s.quote_key from quotes as s where ${isWished('s')}
        order by s.captured_at desc, s.quote_key desc limit ${sql.lit(LATEST)})`
    : isWished('q');
  // A quote has a dozen methods, and reading all of them costs more than the look-up.
  const ofQuote = sql`m.quote_key = q.quote_key ${ofOneMethod ? sql`and m.method = w.method` : sql``}`;
  const tables = [
    { table: 'quotes', as: 'q', on: ofWish },
    { table: 'quote_methods', as: 'm', on: ofQuote },
  ] as const;
  const query = sql`
    select w.place, q.quote_key
    from ${engine.lookUps('', FIELDS, tables)}
    where ${near}
    order by w.place, q.captured_at desc, q.quote_key desc`;
  const statement = template({ compile: () => query.compile(engine.db) });
  return (json, watermark) => statement([json, watermark]);
}

/** A quote with this method alone, or with all of them. */
const nameOf = (key: number, method: string | null) => `${key} ${method ?? ''}`;

/** Each quote is read once, and all wishes share it: in a busy hour hundreds of records ask for the same thousand quotes. */
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
  return async (wanted: readonly (readonly [key: number, method: string | null])[]) => {
    const once = new Map(wanted.map((each) => [nameOf(...each), each]));
    const found = new Map<string, { quote: Quote; methods: QuotedMethod[] }>();
    await engine.each(statement([JSON.stringify([...once.values()])]), (row) => {
      const name = nameOf(cell(row, own.quote_key), ofOneMethod ? cell(row, method.method) : null);
      const { methods } = entryOf(found, name, () => {
        const offered: QuotedMethod[] = [];
        return { quote: readQuote(row, quote, offered), methods: offered };
      });
      methods.push(readMethod(row, method));
    });
    return found;
  };
}

/** Finds the candidates of all requests at once. */
export function capturedQuotes(engine: Engine): QuoteStore['captured'] {
  const ways = [
    { ofOneMethod: true, isLatest: false },
    { ofOneMethod: false, isLatest: false },
    { ofOneMethod: true, isLatest: true },
  ].map((way) => ({ find: wishesQuery(engine, way), read: quotesQuery(engine, way) }));
  const [ofOneMethod, ofAnyMethod, latest] = ways;
  const wayOf = (wish: CapturedWanted) =>
    wish.method === null ? ofAnyMethod : wish.latest === true ? latest : ofOneMethod;
  return async (wanted, watermark) => {
    const found = wanted.map((): Quote[] => []);
    for (const [way, wishes] of Map.groupBy(wanted.entries(), ([, wish]) => wayOf(wish))) {
      if (way === undefined) continue;
      const rows = wishes.flatMap(([place, wish]) => rowsOf(wish, place));
      const fitting = await engine.each(way.find(JSON.stringify(rows), watermark), ([place, key]) => ({
        place: Number(place),
        key: Number(key),
      }));
      if (fitting.length === 0) continue;
      const methodAt = (place: number) => wanted[place]?.method ?? null;
      const quotes = await way.read(fitting.map(({ place, key }) => [key, methodAt(place)]));
      for (const { place, key } of fitting) {
        const quote = quotes.get(nameOf(key, methodAt(place)))?.quote;
        const [all, wish] = [found[place], wanted[place]];
        // A row of each method of a quote, and of each name of a coin.
        if (all === undefined || wish === undefined || quote === undefined || all.at(-1) === quote) continue;
        if (sameName(quote.asset, wish.asset)) all.push(quote);
      }
    }
    return found;
  };
}

/**
 * Finds candidate quotes for records that name none: same direction, asset, currency and time. All wishes of a page go to the
 * database as one list, in one statement: a round trip a page, and only quotes near a record's amount are read.
 */
import { type Compilable, sql } from 'kysely';
import { sameName, symbolsOf } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import type { CapturedWanted } from '../domain/match-quote.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { AmountBounds } from '../domain/quoted-amount.ts';
import type { QuoteStore } from '../ports/store/store.ts';
import type { Row } from './cells.ts';
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
    select ${sql.join(FOUND.columns.map((column) => sql.ref(column)))}, w.place
    from ${engine.lookUps('', FIELDS, tables)}
    where ${near}
    order by w.place, q.captured_at desc, q.quote_key desc, m.position`;
  const statement = template({ compile: () => query.compile(engine.db) });
  return (json, watermark) => statement([json, watermark]);
}

/** Adds the quotes of the rows, each with its methods, to the candidates of their wishes. */
function gather(rows: readonly Row[], wanted: readonly CapturedWanted[], found: readonly Quote[][]): void {
  const { own, quote: quoteAt, method } = FOUND.at;
  let at: { place: number; key: number; methods: QuotedMethod[] } | null = null;
  for (const row of rows) {
    const [place, key] = [Number(row[FOUND.end]), cell(row, own.quote_key)];
    if (at === null || at.place !== place || at.key !== key) {
      at = { place, key, methods: [] };
      const quote = readQuote(row, quoteAt, at.methods);
      const wish = wanted[place];
      if (wish !== undefined && sameName(quote.asset, wish.asset)) found[place]?.push(quote);
    }
    at.methods.push(readMethod(row, method));
  }
}

/** Finds the candidates of all requests at once. */
export function capturedQuotes(engine: Engine): QuoteStore['captured'] {
  const ofOneMethod = wishesQuery(engine, { ofOneMethod: true, isLatest: false });
  const ofAnyMethod = wishesQuery(engine, { ofOneMethod: false, isLatest: false });
  const latest = wishesQuery(engine, { ofOneMethod: true, isLatest: true });
  const statementOf = (wish: CapturedWanted) =>
    wish.method === null ? ofAnyMethod : wish.latest === true ? latest : ofOneMethod;
  return async (wanted, watermark) => {
    const found = wanted.map((): Quote[] => []);
    for (const [statement, wishes] of Map.groupBy(wanted.entries(), ([, wish]) => statementOf(wish))) {
      const rows = wishes.flatMap(([place, wish]) => rowsOf(wish, place));
      gather(await engine.rows(statement(JSON.stringify(rows), watermark)), wanted, found);
    }
    return found;
  };
}

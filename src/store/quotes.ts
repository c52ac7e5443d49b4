/** Captured quotes: stored once under their id, never changed afterwards. */

import { hash } from 'node:crypto';
import { type Compilable, sql } from 'kysely';
import { sameName, symbolsOf } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { type CapturedWanted, methodOf } from '../domain/match-quote.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { AmountBounds } from '../domain/quoted-amount.ts';
import type { KnownRecord, QuoteStore } from '../ports/store/store.ts';
import { deflateText, inflateText, type Row } from './cells.ts';
import type { Engine } from './engine.ts';
import { marketQuotes } from './market-quotes.ts';
import { addForKeys, addRows } from './rows.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { METHOD, methodCells, QUOTE, QUOTES, quoteCells, readMethod, readQuote } from './schema/quotes.ts';
import type { RowOf } from './schema/tables.ts';
import { countRows, template } from './statements.ts';
import { insertRows } from './write-rows.ts';

const HASHED = ['direction', 'api', 'captured_at', 'shown_total', 'shown_fee', 'shown_method'] as const;

/** Hash of one JSON array of all content of a quote: the same id with another hash is a conflict. */
function contentHash(quote: Pick<RowOf<'quotes'>, (typeof HASHED)[number]>, exchange: string): string {
  const { direction, api, captured_at, shown_total, shown_fee, shown_method } = quote;
  const parts = [JSON.stringify([direction, api, captured_at]).slice(1, -1), exchange.slice(1, -1)];
  // Left out without shown amounts, so that the hash of such a quote stays the same.
  if (shown_total !== null || shown_fee !== null) parts.push(JSON.stringify([shown_total, shown_fee, shown_method]));
  return hash('sha256', `[${parts.join()}]`);
}

const OFFERED = selection({ own: of('m', only(QUOTES.quote_methods.columns, 'quote_key')), method: of('m', METHOD) });

/** All methods of these quotes, in the order of the response. */
export async function methodsOf(
  engine: Engine,
  quoteKeys: readonly number[],
): Promise<ReadonlyMap<number, readonly QuotedMethod[]>> {
  const query = engine.db
    .selectFrom('quote_methods as m')
    .select(OFFERED.columns)
    .where(engine.inList('quote_key', quoteKeys))
    .orderBy('quote_key')
    .orderBy('position');
  const { own, method } = OFFERED.at;
  const methods = new Map<number, QuotedMethod[]>();
  await engine.each(query, (row) => {
    entryOf(methods, cell(row, own.quote_key), () => []).push(readMethod(row, method));
  });
  return methods;
}

/** A body may name no method (spec §2.8): then the nearest one of its quote is its promise, as in the night. */
export async function addNearestMethods(
  engine: Engine,
  page: readonly (KnownRecord & { quoteKey: number | null })[],
): Promise<readonly KnownRecord[]> {
  const keys = page.flatMap(({ state, linked, quoteKey }) =>
    state?.paymentMethod === null && linked != null && quoteKey !== null ? [quoteKey] : [],
  );
  const methods = keys.length === 0 ? new Map<number, never>() : await methodsOf(engine, [...new Set(keys)]);
  return page.map(({ quoteKey, ...known }) => {
    const { state, linked } = known;
    const all = quoteKey === null ? undefined : methods.get(quoteKey);
    if (state === null || linked == null || all === undefined) return known;
    const quote = { ...linked.quote, methods: all };
    return { ...known, linked: { ...linked, quote, method: linked.method ?? methodOf(state, quote) } };
  });
}

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
function capturedQuotes(engine: Engine): QuoteStore['captured'] {
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

const STORED = selection({
  key: of('q', only(QUOTES.quotes.columns, 'quote_key')),
  body: of('b', only(QUOTES.quote_bodies.columns, 'exchange')),
  quote: of('q', QUOTE),
});

const captures = ({ db }: Engine) =>
  db
    .selectFrom('quotes as q')
    .leftJoin('quote_bodies as b', 'b.quote_key', 'q.quote_key')
    .select(['q.quote_key', 'q.quote_id', 'b.content_sha256', 'b.exchange', ...HASHED]);

const CAPTURES_A_PAGE = 1_000;

/** The quotes whose request and response, which packs and claims show as evidence, are not what was stored. */
export async function changedCaptures(engine: Engine): Promise<readonly string[]> {
  const changed: string[] = [];
  for (let after = -1; ; ) {
    const query = captures(engine).where('q.quote_key', '>', after).orderBy('q.quote_key').limit(CAPTURES_A_PAGE);
    const page = await query.execute();
    changed.push(...page.filter((each) => !isAsStored(each)).map(({ quote_id }) => quote_id));
    const last = page.at(-1);
    if (last === undefined || page.length < CAPTURES_A_PAGE) return changed;
    after = last.quote_key;
  }
}

type Capture = Awaited<ReturnType<ReturnType<typeof captures>['execute']>>[number];

function isAsStored({ content_sha256, exchange, ...quote }: Capture): boolean {
  // Null where the row of the other table was deleted.
  if (exchange === null) return false;
  try {
    return contentHash(quote, inflateText(exchange)) === content_sha256;
  } catch {
    return false;
  }
}

const readExchange = (exchange: Uint8Array) => JSON.parse(inflateText(exchange)) as [request: string, response: string];

export function quoteStore(engine: Engine): QuoteStore {
  return {
    add: (inputs, at) =>
      engine.write(async (tx) => {
        const ids = [...new Set(inputs.map((input) => input.quote.quoteId))];
        const rows = await tx.db
          .selectFrom('quotes')
          .innerJoin('quote_bodies', 'quote_bodies.quote_key', 'quotes.quote_key')
          .select(['quotes.quote_id', 'quote_bodies.content_sha256'])
          .where(engine.inList('quotes.quote_id', ids))
          .execute();
        const hashes = new Map(rows.map((row) => [row.quote_id, row.content_sha256]));
        const added: { quote: Quote; cells: ReturnType<typeof quoteCells>; exchange: string; hash: string }[] = [];
        const outcomes = inputs.map(({ quote, request, response }) => {
          const [cells, exchange] = [quoteCells(quote), JSON.stringify([request, response])];
          const hash = contentHash(cells, exchange);
          const known = hashes.get(quote.quoteId);
          if (known !== undefined) return known === hash ? ('unchanged' as const) : ('conflict' as const);
          hashes.set(quote.quoteId, hash);
          added.push({ quote, cells, exchange, hash });
          return 'added' as const;
        });
        const quotes = added.map(({ cells }) => ({ ...cells, added_at: at }));
        const keys = await addForKeys(tx, 'quotes', quotes);
        const given = added.map((each, index) => ({ ...each, quote_key: keys[index] as number }));
        const methods = given.flatMap(({ quote, quote_key }) =>
          quote.methods.map((method, position) => ({ quote_key, position, ...methodCells(method) })),
        );
        await addRows(tx, 'quote_methods', methods);
        await insertRows(
          tx,
          'quote_bodies',
          given.map(({ exchange, hash, quote_key }) => ({
            quote_key,
            content_sha256: hash,
            exchange: deflateText(exchange),
          })),
        );
        const currencies = given.map(({ quote }) => ({ currency: quote.fiatCurrency }));
        await insertRows(tx, 'currencies_seen', currencies, { skipKnown: true });
        return outcomes;
      }),
    get: async (quoteId) => {
      const [row] = await engine.rows(
        engine.db
          .selectFrom('quotes as q')
          .innerJoin('quote_bodies as b', 'b.quote_key', 'q.quote_key')
          .select(STORED.columns)
          .where('q.quote_id', '=', quoteId),
      );
      if (row === undefined) return null;
      const { key: own, body, quote } = STORED.at;
      const key = cell(row, own.quote_key);
      const methods = (await methodsOf(engine, [key])).get(key) ?? [];
      const [request, response] = readExchange(cell(row, body.exchange));
      return { quote: readQuote(row, quote, methods), request, response };
    },
    isAsStored: async (quoteId) => {
      const row = await captures(engine).where('q.quote_id', '=', quoteId).executeTakeFirst();
      return row !== undefined && isAsStored(row);
    },
    requests: async (quoteIds) => {
      const rows = await engine.db
        .selectFrom('quotes as q')
        .innerJoin('quote_bodies as b', 'b.quote_key', 'q.quote_key')
        .select(['q.quote_id', 'b.exchange'])
        .where(engine.inList('q.quote_id', quoteIds))
        .execute();
      return new Map(rows.map((row) => [row.quote_id, readExchange(row.exchange)[0]]));
    },
    captured: capturedQuotes(engine),
    seen: marketQuotes(engine),
    count: () => countRows(engine.db, 'quotes'),
  };
}

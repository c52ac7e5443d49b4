/** Captured quotes: stored once under their id, never changed afterwards. */

import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { entryOf } from '../domain/entry-of.ts';
import { methodOf } from '../domain/match-quote.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { KnownRecord, QuoteStore } from '../ports/store/store.ts';
import { capturedQuotes } from './captured-quotes.ts';
import { deflateText, inflateText } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { marketQuotes } from './market-quotes.ts';
import { addForKeys, addRows } from './rows.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { METHOD, methodCells, QUOTE, QUOTES, quoteCells, readMethod, readQuote } from './schema/quotes.ts';
import type { RowOf } from './schema/tables.ts';
import { countRows, findRow } from './statements.ts';
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
    .orderBy(sql`quote_key, position`);
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

const STORED = selection({
  key: of('q', only(QUOTES.quotes.columns, 'quote_key')),
  body: of('b', only(QUOTES.quote_bodies.columns, 'exchange')),
  quote: of('q', QUOTE),
});

const withBodies = ({ db }: Engine | WriteTransaction) =>
  db.selectFrom('quotes as q').innerJoin('quote_bodies as b', 'b.quote_key', 'q.quote_key');

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
        const rows = await withBodies(tx)
          .select(['q.quote_id', 'b.content_sha256'])
          .where(engine.inList('q.quote_id', ids))
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
    has: async (quoteId) => (await findRow(engine.db, 'quotes', { quote_id: quoteId }, ['quote_key'])) !== undefined,
    get: async (quoteId) => {
      const [row] = await engine.rows(withBodies(engine).select(STORED.columns).where('q.quote_id', '=', quoteId));
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
      const rows = await withBodies(engine)
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

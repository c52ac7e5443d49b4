/** Captured quotes: stored once under their id, never changed afterwards. */
import { createHash } from 'node:crypto';
import { entryOf } from '../domain/entry-of.ts';
import { methodOf } from '../domain/match-quote.ts';
import type { QuotedMethod } from '../domain/quote.ts';
import type { KnownRecord, QuoteInput, QuoteStore } from '../ports/store/store.ts';
import { capturedQuotes } from './captured-quotes.ts';
import { deflateText, inflateText } from './cells.ts';
import type { Engine } from './engine.ts';
import { marketQuotes } from './market-quotes.ts';
import { addForKeys, addRows } from './rows.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { METHOD, methodCells, QUOTE, QUOTES, quoteCells, readMethod, readQuote } from './schema/quotes.ts';
import { countRows } from './statements.ts';
import { insertRows } from './write-rows.ts';

/** Hash of all content of a quote: the same id with another hash is a conflict. */
function contentHash(input: QuoteInput): string {
  const { quote, request, response } = input;
  const { shown } = quote;
  const parts: unknown[] = [quote.direction, quote.api, quote.capturedAt, request, response];
  // Left out without shown amounts, so that the hash of such a quote stays the same.
  if (shown !== undefined) parts.push([shown.total, shown.fee, shown.method]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
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

const STORED = selection({
  key: of('q', only(QUOTES.quotes.columns, 'quote_key')),
  body: of('b', only(QUOTES.quote_bodies.columns, 'exchange')),
  quote: of('q', QUOTE),
});

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
        const added: { input: QuoteInput; hash: string }[] = [];
        const outcomes = inputs.map((input) => {
          const hash = contentHash(input);
          const known = hashes.get(input.quote.quoteId);
          if (known !== undefined) return known === hash ? ('unchanged' as const) : ('conflict' as const);
          hashes.set(input.quote.quoteId, hash);
          added.push({ input, hash });
          return 'added' as const;
        });
        const quotes = added.map(({ input }) => ({ ...quoteCells(input.quote), added_at: at }));
        const keys = await addForKeys(tx, 'quotes', quotes);
        const given = added.map((each, index) => ({ ...each, quote_key: keys[index] as number }));
        const methods = given.flatMap(({ input, quote_key }) =>
          input.quote.methods.map((method, position) => ({ quote_key, position, ...methodCells(method) })),
        );
        await addRows(tx, 'quote_methods', methods);
        await insertRows(
          tx,
          'quote_bodies',
          given.map(({ input: { request, response }, hash, quote_key }) => ({
            quote_key,
            content_sha256: hash,
            exchange: deflateText(JSON.stringify([request, response])),
          })),
        );
        const currencies = given.map(({ input }) => ({ currency: input.quote.fiatCurrency }));
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
      const [request, response] = JSON.parse(inflateText(cell(row, body.exchange))) as [string, string];
      return { quote: readQuote(row, quote, methods), request, response };
    },
    captured: capturedQuotes(engine),
    seen: marketQuotes(engine),
    count: () => countRows(engine.db, 'quotes'),
  };
}

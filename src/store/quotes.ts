/** Captured quotes: stored once under their id, never changed afterwards. */
import { createHash } from 'node:crypto';
import type { QuotedMethod } from '../domain/quote.ts';
import type { QuoteInput, QuoteStore } from '../ports/store/store.ts';
import { capturedQuotes } from './captured-quotes.ts';
import { deflateText, inflateText, type Row } from './cells.ts';
import type { Engine } from './engine.ts';
import { marketQuotes } from './market-quotes.ts';
import { METHOD_COLUMNS, methodCells, QUOTE_COLUMNS, quoteCells, readMethod, readQuote } from './schema/quotes.ts';
import { insertSealed, insertSealedForKeys } from './sealed-rows.ts';
import type { Sealer } from './sealing.ts';
import { countRows } from './statements.ts';

/** Hash of all content of a quote: the same id with another hash is a conflict. */
function contentHash(input: QuoteInput): string {
  const { quote, request, response } = input;
  const { shown } = quote;
  const parts: unknown[] = [quote.direction, quote.api, quote.capturedAt, request, response];
  // Left out without shown amounts, so that the hash of such a quote stays the same.
  if (shown !== undefined) parts.push([shown.total, shown.fee, shown.method]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** All methods of these quotes, in the order of the response. */
export async function methodsOf(
  engine: Engine,
  quoteKeys: readonly number[],
): Promise<ReadonlyMap<number, readonly QuotedMethod[]>> {
  const rows = await engine.rows(
    engine.db
      .selectFrom('quote_methods')
      .select(['quote_key', ...METHOD_COLUMNS])
      .where(engine.inList('quote_key', quoteKeys))
      .orderBy('quote_key')
      .orderBy('position'),
  );
  const methods = new Map<number, QuotedMethod[]>();
  for (const row of rows) {
    const key = row[0] as number;
    const list = methods.get(key);
    if (list === undefined) methods.set(key, [readMethod(row, 1)]);
    else list.push(readMethod(row, 1));
  }
  return methods;
}

export function quoteStore(engine: Engine, sealer: Sealer | null): QuoteStore {
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
        const keys = await insertSealedForKeys(
          tx,
          sealer,
          'quotes',
          'quote_key',
          [...QUOTE_COLUMNS, 'added_at'],
          added.map(({ input }) => [...quoteCells(input.quote), at]),
        );
        const methods: Row[] = [];
        const bodies: Row[] = [];
        const currencies: Row[] = [];
        for (const [index, { input, hash }] of added.entries()) {
          const key = keys[index] ?? null;
          for (const [position, method] of input.quote.methods.entries()) {
            methods.push([key, position, ...methodCells(method)]);
          }
          bodies.push([key, hash, deflateText(JSON.stringify([input.request, input.response]))]);
          currencies.push([input.quote.fiatCurrency]);
        }
        await insertSealed(tx, sealer, 'quote_methods', ['quote_key', 'position', ...METHOD_COLUMNS], methods);
        await tx.insertMany('quote_bodies', ['quote_key', 'content_sha256', 'exchange'], bodies);
        await tx.insertMany('currencies_seen', ['currency'], currencies, { skipKnown: true });
        return outcomes;
      }),
    get: async (quoteId) => {
      const columns = QUOTE_COLUMNS.map((column) => `quotes.${column}` as const);
      const [row] = await engine.rows(
        engine.db
          .selectFrom('quotes')
          .innerJoin('quote_bodies', 'quote_bodies.quote_key', 'quotes.quote_key')
          .select(['quotes.quote_key', 'quote_bodies.exchange', ...columns])
          .where('quotes.quote_id', '=', quoteId),
      );
      if (row === undefined) return null;
      const key = row[0] as number;
      const methods = (await methodsOf(engine, [key])).get(key) ?? [];
      const [request, response] = JSON.parse(inflateText(row[1] as Uint8Array)) as [string, string];
      return { quote: readQuote(row, 2, methods), request, response };
    },
    captured: capturedQuotes(engine),
    seen: marketQuotes(engine),
    count: () => countRows(engine.db, 'quotes'),
  };
}

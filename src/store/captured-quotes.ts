/**
 * Finds candidate quotes for records that name none: same direction, asset, currency and time.
 *
 * A page of records asks for many overlapping time ranges. The ranges of one symbol, currency and method are merged,
 * each is read once, the chain is compared afterwards (a body may name none), and the quotes are shared between the requests: the cost grows with the number of quotes, not with
 * requests times quotes.
 */

import type { Compilable } from 'kysely';
import { sameAsset } from '../domain/asset.ts';
import type { CapturedWanted } from '../domain/match-quote.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { Instant } from '../domain/record.ts';
import type { QuoteStore } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';
import { METHOD_COLUMNS, QUOTE_COLUMNS, readMethod, readQuote } from './schema/quotes.ts';
import { template } from './statements.ts';

/** Both ends included. */
interface Stretch {
  from: Instant;
  to: Instant;
}

function groupOf(wish: CapturedWanted): string {
  return JSON.stringify([wish.direction, wish.asset.symbol, wish.fiatCurrency, wish.method]);
}

/** Merges overlapping and adjacent ranges; sorted. */
function mergeStretches(stretches: readonly Stretch[]): Stretch[] {
  const sorted = [...stretches].sort((a, b) => a.from - b.from);
  const merged: Stretch[] = [];
  for (const { from, to } of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

type StretchQuery = (wish: CapturedWanted, stretch: Stretch, watermark: number) => Compilable;

/** Latest capture first; of two captured together the one that was stored last. */
function stretchQuery(engine: Engine): StretchQuery {
  const quotes = engine.db
    .selectFrom('quotes')
    .innerJoin('quote_methods', 'quote_methods.quote_key', 'quotes.quote_key')
    .select('quotes.quote_key')
    .select(QUOTE_COLUMNS.map((column) => `quotes.${column}` as const))
    .select(METHOD_COLUMNS.map((column) => `quote_methods.${column}` as const))
    .where('quotes.direction', '=', 'onramp')
    .where('quotes.asset_symbol', '=', '')
    .where('quotes.fiat_currency', '=', '')
    .where('quotes.captured_at', '>=', 0)
    .where('quotes.captured_at', '<=', 0)
    .where('quotes.quote_key', '<=', 0)
    .orderBy('quotes.captured_at', 'desc')
    .orderBy('quotes.quote_key', 'desc')
    .orderBy('quote_methods.position');
  const ofAnyMethod = template(quotes);
  // A quote has a dozen methods, and reading all of them costs more than the look-up.
  const ofOneMethod = template(quotes.where('quote_methods.method', '=', ''));
  return ({ direction, asset, fiatCurrency, method }, { from, to }, watermark) => {
    const shared = [direction, asset.symbol, fiatCurrency, from, to, watermark];
    return method === null ? ofAnyMethod(shared) : ofOneMethod([...shared, method]);
  };
}

/** Quotes with the requested methods. */
async function readStretch(engine: Engine, query: Compilable): Promise<Quote[]> {
  const rows = await engine.rows(query);
  const candidates: Quote[] = [];
  let currentKey: number | null = null;
  let methods: QuotedMethod[] = [];
  for (const row of rows) {
    if (row[0] !== currentKey) {
      currentKey = row[0] as number;
      methods = [];
      candidates.push(readQuote(row, 1, methods));
    }
    methods.push(readMethod(row, 1 + QUOTE_COLUMNS.length));
  }
  return candidates;
}

/** Index of the first candidate captured at or before `at`; the list is sorted latest first. */
function firstAtOrBefore(candidates: readonly Quote[], at: Instant): number {
  let low = 0;
  let high = candidates.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = candidates[middle];
    if (candidate !== undefined && candidate.capturedAt > at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function answer(candidates: readonly Quote[], wish: CapturedWanted): Quote[] {
  const quotes: Quote[] = [];
  for (let index = firstAtOrBefore(candidates, wish.to); index < candidates.length; index++) {
    const candidate = candidates[index];
    if (candidate === undefined || candidate.capturedAt < wish.from) break;
    if (sameAsset(candidate.asset, wish.asset)) quotes.push(candidate);
  }
  return quotes;
}

/** Finds the candidates of all requests at once. */
export function capturedQuotes(engine: Engine): QuoteStore['captured'] {
  const queryOf = stretchQuery(engine);
  return async (wanted, watermark) => {
    const groups = new Map<string, CapturedWanted[]>();
    for (const wish of wanted) {
      const name = groupOf(wish);
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [wish]);
      else group.push(wish);
    }
    const found = new Map<string, Quote[]>();
    for (const [name, wishes] of groups) {
      const [first] = wishes;
      if (first === undefined) continue;
      const candidates: Quote[] = [];
      // From the latest range to the earliest, so that the whole list is latest first.
      for (const stretch of mergeStretches(wishes).reverse()) {
        candidates.push(...(await readStretch(engine, queryOf(first, stretch, watermark))));
      }
      found.set(name, candidates);
    }
    return wanted.map((wish) => answer(found.get(groupOf(wish)) ?? [], wish));
  };
}

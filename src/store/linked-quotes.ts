/** The quote that a tracked record names, as part of a page of cases. */
import type { QuotedMethod } from '../domain/quote.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { StoredCase } from './contract.ts';
import type { Engine, Row } from './engine.ts';
import { METHOD_COLUMNS, QUOTE_COLUMNS, readMethod, readQuote } from './quote-columns.ts';
import { methodsOf } from './quotes.ts';
import { PAYMENT_METHOD_OFFSET } from './state-columns.ts';

const AT_QUOTE = 1;
const AT_METHOD = AT_QUOTE + QUOTE_COLUMNS.length;

/** The quote's key, the quote, and the method of the record in it; NULL where there is none. */
export const QUOTE_CELLS = [
  'q.quote_key',
  ...QUOTE_COLUMNS.map((column) => `q.${column}` as const),
  ...METHOD_COLUMNS.map((column) => `m.${column}` as const),
] as const;

const NO_METHODS: readonly QuotedMethod[] = Object.freeze([]);

/** All methods of quotes whose record names no method (a sale body need not), by quote key. */
export async function unnamedMethods(
  engine: Engine,
  rows: readonly Row[],
  atState: number,
  atQuote: number,
): Promise<ReadonlyMap<number, readonly QuotedMethod[]>> {
  const keys: number[] = [];
  for (const row of rows) {
    const key = row[atQuote] as number | null;
    if (key !== null && row[3] === 'verified' && row[atState + PAYMENT_METHOD_OFFSET] === null) keys.push(key);
  }
  return keys.length === 0 ? new Map() : methodsOf(engine, keys);
}

function ageSeconds(createdAt: number | null, capturedAt: number): number | null {
  return createdAt === null ? null : Math.floor((createdAt - capturedAt) / 1000);
}

/** The columns of QUOTE_CELLS begin at `at`. */
export function linkedQuote(
  row: Row,
  at: number,
  state: RecordState | null,
  unnamed: ReadonlyMap<number, readonly QuotedMethod[]>,
): StoredCase['linked'] {
  const key = row[at] as number | null;
  if (key === null) return null;
  const method = row[at + AT_METHOD] === null ? null : readMethod(row, at + AT_METHOD);
  const methods = method === null ? (unnamed.get(key) ?? NO_METHODS) : [method];
  const quote = readQuote(row, at + AT_QUOTE, methods);
  return { quote, method, ageSeconds: state === null ? null : ageSeconds(state.createdAt, quote.capturedAt) };
}

/** The quote that a tracked record names, as part of a page of cases. */
import type { QuotedMethod } from '../domain/quote.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { StoredCase } from '../ports/store/store.ts';
import type { CaseDraft } from './cases.ts';
import type { Engine, Row } from './engine.ts';
import { METHOD_COLUMNS, QUOTE_COLUMNS, readMethod, readQuote } from './quote-columns.ts';
import { methodsOf } from './quotes.ts';

const AT_QUOTE = 1;
const AT_METHOD = AT_QUOTE + QUOTE_COLUMNS.length;

/** The quote's key, the quote, and the method of the record in it; NULL where there is none. */
export const QUOTE_CELLS = ['i.quote_key', ...quoteAndMethod()] as const;

/** The same where the quote is reached from the tracked record itself. */
export const QUOTE_CELLS_OF_RECORD = ['q.quote_key', ...quoteAndMethod()] as const;

function quoteAndMethod() {
  return [
    ...QUOTE_COLUMNS.map((column) => `q.${column}` as const),
    ...METHOD_COLUMNS.map((column) => `m.${column}` as const),
  ] as const;
}

const NO_METHODS: readonly QuotedMethod[] = Object.freeze([]);

/** Whole seconds from capture to creation; negative where the quote was taken after. */
function ageSeconds(state: RecordState | null, capturedAt: number): number | null {
  const createdAt = state?.createdAt ?? null;
  return createdAt === null ? null : Math.floor((createdAt - capturedAt) / 1000);
}

/** The columns of QUOTE_CELLS, or of QUOTE_CELLS_OF_RECORD, begin at `at`. */
export function readLinked(row: Row, at: number, state: RecordState | null): StoredCase['linked'] {
  if (row[at] === null) return null;
  const method = row[at + AT_METHOD] === null ? null : readMethod(row, at + AT_METHOD);
  const quote = readQuote(row, at + AT_QUOTE, method === null ? NO_METHODS : [method]);
  return { quote, method, ageSeconds: ageSeconds(state, quote.capturedAt) };
}

/** A body may name no method (a sale's need not, spec §2.8): then the quote comes with all it has. */
export async function addUnnamedMethods(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const wanting = drafts.filter((draft) => draft.unnamedQuote !== null);
  if (wanting.length === 0) return;
  const keys = wanting.map((draft) => draft.unnamedQuote as number);
  const methods = await methodsOf(engine, keys);
  for (const { stored, unnamedQuote } of wanting) {
    if (stored.linked === null) continue;
    stored.linked.quote.methods = methods.get(unnamedQuote as number) ?? NO_METHODS;
  }
}

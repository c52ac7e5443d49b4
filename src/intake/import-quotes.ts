/** Stores captured quotes. Idempotent; a quote id that comes again with other content is a conflict, the first stays. */
import type { Instant } from '../domain/record.ts';
import type { QuoteInput, QuoteStore } from '../ports/store/store.ts';
import type { ImportSummary, IntakeItem } from './contract.ts';
import { type ImportOptions, inBatches, type StoredLine } from './in-batches.ts';

export interface QuoteImport extends ImportOptions {
  quotes: Pick<QuoteStore, 'add'>;
  now: () => Instant;
}

/** @throws what reading or storing throws; batches before that are stored. */
export function importQuotes(
  items: AsyncIterable<IntakeItem<QuoteInput>>,
  options: QuoteImport,
): Promise<ImportSummary> {
  const store = async (lines: readonly QuoteInput[]): Promise<StoredLine[]> => {
    const outcomes = await options.quotes.add(lines, options.now());
    return outcomes.map((outcome, index) =>
      outcome === 'conflict' ? { outcome, detail: conflictWith(lines[index]?.quote.quoteId) } : { outcome },
    );
  };
  return inBatches(items, store, options);
}

function conflictWith(quoteId: string | undefined): string {
  return `quote ${quoteId} is stored with other content; the stored one stays`;
}

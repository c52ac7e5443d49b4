/**
 * Imports of tracked records and of quotes: good lines in batches to the store, everything else noted. Bounded in memory,
 * and idempotent: importing the same lines again changes nothing.
 */

import type { Instant } from '../domain/record.ts';
import type { QuoteAnswer } from '../ports/service.ts';
import type { QuoteStore, TrackedInput, TrackedStore, TrackOutcome } from '../ports/store/store.ts';
import type { ImportConflict, ImportSummary, IntakeItem, RejectedLine } from './contract.ts';

export interface ImportOptions {
  /** Called for every rejected line, in order; the summary keeps only the first of them. */
  onRejected?: (line: RejectedLine) => void | Promise<void>;
  /** Called after each batch with the number of lines processed so far. */
  onProgress?: (lines: number) => void;
  /** Stops between two batches; stored batches stay, and a second import adds the rest. */
  signal?: AbortSignal;
}

const BATCH = 2_000;
const MAX_KEPT = 1_000;

/** @param store commits one batch, one outcome per value, in order */
export async function inBatches<T>(
  items: AsyncIterable<IntakeItem<T>>,
  store: (values: readonly T[]) => Promise<readonly TrackOutcome[]>,
  options: ImportOptions,
): Promise<ImportSummary> {
  const count = { added: 0, updated: 0, unchanged: 0, conflict: 0, rejected: 0 };
  const conflicts: ImportConflict[] = [];
  const rejected: RejectedLine[] = [];
  const notes: string[] = [];
  let batch: { line: number; value: T }[] = [];

  const flush = async () => {
    options.signal?.throwIfAborted();
    const outcomes = batch.length === 0 ? [] : await store(batch.map(({ value }) => value));
    for (const [index, { line }] of batch.entries()) {
      const stored = outcomes[index];
      if (stored === undefined) throw new RangeError('the store answered fewer lines than it was given');
      count[stored.outcome]++;
      if (stored.outcome === 'conflict' && conflicts.length < MAX_KEPT) conflicts.push({ line, detail: stored.detail });
    }
    batch = [];
    options.onProgress?.(count.added + count.updated + count.unchanged + count.conflict + count.rejected);
  };

  for await (const item of items) {
    if (item.type === 'note') notes.push(item.text);
    else if (item.type === 'rejected') {
      count.rejected++;
      if (rejected.length < MAX_KEPT) rejected.push(item);
      await options.onRejected?.(item);
    } else {
      batch.push(item);
      if (batch.length >= BATCH) await flush();
    }
  }
  await flush();
  const { conflict: conflictCount, rejected: rejectedCount, ...taken } = count;
  return { ...taken, conflictCount, conflicts, rejectedCount, rejected, notes };
}

/** @throws what reading or storing throws; batches before that are stored. */
export function importQuotes(
  items: AsyncIterable<IntakeItem<QuoteAnswer>>,
  options: ImportOptions & { quotes: Pick<QuoteStore, 'add'>; now: () => Instant },
): Promise<ImportSummary> {
  const store = async (lines: readonly QuoteAnswer[]): Promise<TrackOutcome[]> => {
    const outcomes = await options.quotes.add(lines, options.now());
    return outcomes.map((outcome, index) => {
      if (outcome !== 'conflict') return { outcome };
      const detail = `quote ${lines[index]?.quote.quoteId} is stored with other content; the stored one stays`;
      return { outcome, detail };
    });
  };
  return inBatches(items, store, options);
}

export interface TrackedImport extends ImportOptions {
  tracked: Pick<TrackedStore, 'add'>;
  now: () => Instant;
  /** Lets a line's token replace the stored one; absent, another token is a conflict. */
  replacing?: { actor: string; reason: string };
}

/** @throws what reading or storing throws; batches before that are stored. */
export function importTracked(
  items: AsyncIterable<IntakeItem<TrackedInput>>,
  options: TrackedImport,
): Promise<ImportSummary> {
  return inBatches(items, (lines) => options.tracked.add(lines, 'import', options.now(), options.replacing), options);
}

/** Stores tracked records, whatever they were read from. Idempotent: importing the same lines again changes nothing. */
import type { Instant } from '../domain/record.ts';
import type { TrackedInput, TrackedStore } from '../ports/store/store.ts';
import type { ImportSummary, IntakeItem } from './contract.ts';
import { type ImportOptions, inBatches } from './in-batches.ts';

export interface TrackedImport extends ImportOptions {
  tracked: Pick<TrackedStore, 'add'>;
  now: () => Instant;
}

/** @throws what reading or storing throws; batches before that are stored. */
export function importTracked(
  items: AsyncIterable<IntakeItem<TrackedInput>>,
  options: TrackedImport,
): Promise<ImportSummary> {
  return inBatches(items, (lines) => options.tracked.add(lines, 'import', options.now()), options);
}

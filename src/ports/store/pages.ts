/** Walks records in report order, a page at a time. */
import type { RecordPosition } from '../../domain/record.ts';

/** Each page begins after the last record of the one before, until there is none. */
export async function* pagesOf<T extends RecordPosition>(
  read: (after: RecordPosition | null) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[], undefined> {
  for (let after: RecordPosition | null = null; ; ) {
    const page: readonly T[] = await read(after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = { kind: last.kind, recordId: last.recordId };
  }
}

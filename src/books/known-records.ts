/** Walks what is known of every tracked record today, page by page. */
import type { KnownRecord, LatestScope, TrackedStore } from '../ports/store/store.ts';

const PAGE = 1000;

export async function* knownRecords(
  tracked: Pick<TrackedStore, 'latest'>,
  scope: LatestScope,
): AsyncGenerator<KnownRecord> {
  let after: { kind: KnownRecord['kind']; recordId: string } | null = null;
  for (;;) {
    const page: readonly KnownRecord[] = await tracked.latest(scope, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = { kind: last.kind, recordId: last.recordId };
  }
}

/** Walks what is known of every tracked record today, page by page. */
import type { Earned } from '../domain/earned.ts';
import { earnedShare, type HostShare, type ShareTerms } from '../domain/host-share.ts';
import type { Instant } from '../domain/record.ts';
import { bookingsOf } from '../domain/record-months.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { KnownRecord, LatestScope, TrackedStore } from '../ports/store/store.ts';

const PAGE = 1000;

export async function* knownRecords(
  tracked: Pick<TrackedStore, 'latest'>,
  scope: Partial<LatestScope> = {},
): AsyncGenerator<KnownRecord> {
  const all = { kind: null, createdFrom: null, createdTo: null, ...scope };
  let after: { kind: KnownRecord['kind']; recordId: string } | null = null;
  for (;;) {
    const page: readonly KnownRecord[] = await tracked.latest(all, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = { kind: last.kind, recordId: last.recordId };
  }
}

/** Where records are read, and what decides their share and when it is booked. */
export interface ShareEdges {
  store: { tracked: Pick<TrackedStore, 'latest'> };
  settings: ShareTerms & { books: { revenueMonth: 'released' | 'created' } };
}

interface KnownShare {
  state: RecordState;
  countedAt: Instant;
  /** Null where it was never released. */
  earned: Earned | null;
  share: HostShare | null;
  bookings: ReturnType<typeof bookingsOf>;
}

/** The records with a readable body, each with its share and when that is booked. */
export async function* knownShares(
  { store, settings }: ShareEdges,
  scope: Partial<LatestScope> = {},
): AsyncGenerator<KnownShare> {
  for await (const known of knownRecords(store.tracked, { ...scope, quotes: true })) {
    const { state, earned, linked, countedAt } = known;
    if (state === null) continue;
    const share = earnedShare(state, earned, linked, settings);
    yield { state, countedAt, earned, share, bookings: bookingsOf(known, settings.books.revenueMonth === 'released') };
  }
}

/** Walks what is known of every tracked record today, page by page, and what the host accrued by it. */
import { businessDateOf, businessMonths, startOfBusinessDate } from '../domain/calendar.ts';
import type { Earned } from '../domain/earned.ts';
import { earnedShare, type HostShare, type ShareTerms } from '../domain/host-share.ts';
import type { BusinessDate, Instant, Kind } from '../domain/record.ts';
import { bookingsOf } from '../domain/record-months.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { KnownRecord, LatestScope, TrackedStore } from '../ports/store/store.ts';
import type { EarnedShare } from './partner-lines.ts';
import { Accrual } from './revenue.ts';

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

/** The records that a run has read, as in a closed month, each with its share and when that is booked: a webhook alone verifies none. */
export async function* knownShares(
  { store, settings }: ShareEdges,
  scope: Partial<LatestScope> = {},
): AsyncGenerator<KnownShare> {
  for await (const known of knownRecords(store.tracked, { ...scope, quotes: true })) {
    const { state, earned, linked, countedAt, lastVerifiedAt } = known;
    if (state === null || lastVerifiedAt === null) continue;
    const share = earnedShare(state, earned, linked, settings);
    yield { state, countedAt, earned, share, bookings: bookingsOf(known, settings.books.revenueMonth === 'released') };
  }
}

/** Records of business dates in [from, to), by what decides their month; null is unbounded. */
interface AccrualScope {
  kind: Kind | null;
  /** Takes each share as well, and what was taken back as one below zero. */
  each?: ((share: EarnedShare) => void) | undefined;
  from: BusinessDate | null;
  to: BusinessDate | null;
}

interface AccrualEdges extends ShareEdges {
  settings: ShareEdges['settings'] & { timezone: string; books: { estimate?: 'off' | 'method-rate' } };
}

/**
 * Released records only: the host earns its share at the release. One that was created in one month may be released in any later one, and
 * be taken back in another.
 */
export async function accrue(edges: AccrualEdges, { kind, each, from, to }: AccrualScope): Promise<Accrual> {
  const { timezone, books } = edges.settings;
  const monthOf = businessMonths(timezone);
  const accrual = new Accrual(books.estimate === 'method-rate');
  const first = from === null ? null : startOfBusinessDate(from, timezone);
  const end = to === null ? null : startOfBusinessDate(to, timezone);
  const isIn = (at: Instant) => (first === null || at >= first) && (end === null || at < end);
  for await (const { state, share, earned, bookings } of knownShares(edges, { kind })) {
    if (earned === null) continue;
    const record = { state, share, at: earned.at };
    accrual.learn(record);
    // Of one that came back nothing is owed: it is no released record without a share any more.
    const isOver = share === null && earned.takenBackAt !== null;
    for (const { at, sign } of bookings) {
      if (!isIn(at)) continue;
      const month = monthOf(at);
      if (!isOver) accrual.add(month, record, sign);
      const { recordId, fiatCurrency: currency } = state;
      const signed = sign === 1 ? share?.amount : share?.amount.negated();
      each?.({ recordId, month, date: businessDateOf(at, timezone), currency, share: signed ?? null });
    }
  }
  return accrual;
}

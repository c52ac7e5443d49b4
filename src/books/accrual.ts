/** The host's accrued share of the stored records, for the commands that print or compare it. */
import { businessDateOf, businessMonths, startOfBusinessDate } from '../domain/calendar.ts';
import type { ShareTerms } from '../domain/host-share.ts';
import type { BusinessDate, Instant, Kind } from '../domain/record.ts';
import { bookingsOf } from '../domain/record-months.ts';
import type { TrackedStore } from '../ports/store/store.ts';
import { knownRecords } from './known-records.ts';
import type { EarnedShare } from './partner-lines.ts';
import { Accrual } from './revenue.ts';

/** Records of business dates in [from, to), by what decides their month; null is unbounded. */
interface AccrualScope {
  kind: Kind | null;
  /** Takes each share as well, and what was taken back as one below zero. */
  each?: (share: EarnedShare) => void;
  from: BusinessDate | null;
  to: BusinessDate | null;
}

/** Where records are read, and what decides their month and whether two amounts agree. */
interface AccrualEdges {
  store: { tracked: Pick<TrackedStore, 'latest'> };
  settings: ShareTerms & {
    timezone: string;
    books: { revenueMonth: 'released' | 'created'; estimate?: 'off' | 'method-rate' };
  };
}

/** Released records only: the host earns its share at the release. */
export async function accrue(
  { store, settings }: AccrualEdges,
  { kind, each, from, to }: AccrualScope,
): Promise<Accrual> {
  const { timezone, books } = settings;
  const monthOf = businessMonths(timezone);
  const accrual = new Accrual(settings, books.estimate === 'method-rate');
  const first = from === null ? null : startOfBusinessDate(from, timezone);
  const end = to === null ? null : startOfBusinessDate(to, timezone);
  const isIn = (at: Instant) => (first === null || at >= first) && (end === null || at < end);
  for await (const known of knownRecords(store.tracked, { ...ALL, kind })) {
    const { recordId, state, earned, linked } = known;
    if (state === null || earned === null) continue;
    const record = { recordId, state: { ...state, hostFeeCut: earned.share }, linked, at: earned.at };
    const share = accrual.learn(record)?.amount ?? null;
    for (const { at, sign } of bookingsOf(known, books.revenueMonth === 'released')) {
      if (!isIn(at)) continue;
      const month = monthOf(at);
      accrual.add(month, record, sign);
      const signed = sign === 1 ? share : (share?.negated() ?? null);
      each?.({ recordId, month, date: businessDateOf(at, timezone), currency: state.fiatCurrency, share: signed });
    }
  }
  return accrual;
}

// A record that was created in one month may be released in any later one, and be taken back in another.
const ALL = { createdFrom: null, createdTo: null, quotes: true };

/** The host's accrued share of the stored records, for the commands that print or compare it. */
import { businessMonths, startOfBusinessDate } from '../domain/calendar.ts';
import type { BusinessDate, Kind } from '../domain/record.ts';
import type { Tolerances } from '../domain/tolerance.ts';
import type { TrackedStore } from '../ports/store/store.ts';
import { knownRecords } from './known-records.ts';
import { Accrual } from './revenue.ts';

/** Records of business dates in [from, to), by what decides their month; null is unbounded. */
interface AccrualScope {
  kind: Kind | null;
  from: BusinessDate | null;
  to: BusinessDate | null;
}

/** Where records are read, and what decides their month and whether two amounts agree. */
interface AccrualEdges {
  store: { tracked: Pick<TrackedStore, 'latest'> };
  settings: { timezone: string; tolerances: Tolerances; books: { revenueMonth: 'released' | 'created' } };
}

/** Released records only: the host earns its share at the release. */
export async function accrue({ store, settings }: AccrualEdges, { kind, from, to }: AccrualScope): Promise<Accrual> {
  const { timezone, tolerances, books } = settings;
  const byRelease = books.revenueMonth === 'released';
  const monthOf = businessMonths(timezone);
  const accrual = new Accrual(tolerances);
  const first = from === null ? null : startOfBusinessDate(from, timezone);
  const end = to === null ? null : startOfBusinessDate(to, timezone);
  // A record that was created in one month may be released in any later one.
  const scope = { kind, createdFrom: byRelease ? null : first, createdTo: byRelease ? null : end, quotes: true };
  for await (const { state, countedAt, earnedAt, linked } of knownRecords(store.tracked, scope)) {
    if (state === null || earnedAt === null) continue;
    const counted = byRelease ? earnedAt : countedAt;
    if ((first === null || counted >= first) && (end === null || counted < end))
      accrual.add(monthOf(counted), state, linked);
  }
  return accrual;
}

/** The host's accrued share of the stored records, for the commands that print or compare it. */
import { businessMonths, startOfBusinessDate } from '../domain/calendar.ts';
import type { BusinessDate, Kind } from '../domain/record.ts';
import { hasReleased } from '../domain/released.ts';
import type { Tolerances } from '../domain/tolerance.ts';
import type { TrackedStore } from '../ports/store/store.ts';
import { knownRecords } from './known-records.ts';
import { Accrual } from './revenue.ts';

/** Records created on business dates in [from, to); null is unbounded. */
interface AccrualScope {
  kind: Kind | null;
  from: BusinessDate | null;
  to: BusinessDate | null;
}

/** Where records are read, and what decides their month and whether two amounts agree. */
interface AccrualEdges {
  store: { tracked: Pick<TrackedStore, 'latest'> };
  settings: { timezone: string; tolerances: Tolerances };
}

/** Released records only: the host earns its share at the release. */
export async function accrue({ store, settings }: AccrualEdges, { kind, from, to }: AccrualScope): Promise<Accrual> {
  const { timezone, tolerances } = settings;
  const monthOf = businessMonths(timezone);
  const accrual = new Accrual(tolerances);
  const scope = {
    kind,
    createdFrom: from === null ? null : startOfBusinessDate(from, timezone),
    createdTo: to === null ? null : startOfBusinessDate(to, timezone),
    quotes: true,
  };
  for await (const { state, countedAt, linked } of knownRecords(store.tracked, scope)) {
    if (state === null || !hasReleased(state)) continue;
    accrual.add(monthOf(countedAt), state, linked);
  }
  return accrual;
}

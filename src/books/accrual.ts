/** The host's accrued share of what the store knows, for the commands that tell or compare it. */
import type { App } from '../app/app.ts';
import { businessMonths, startOfBusinessDate } from '../domain/calendar.ts';
import type { BusinessDate, Kind } from '../domain/record.ts';
import { hasReleased } from '../domain/released.ts';
import { knownRecords } from './known-records.ts';
import { Accrual } from './revenue.ts';

/** Records created on business dates in [from, to); null is unbounded. */
export interface AccrualScope {
  kind: Kind | null;
  from: BusinessDate | null;
  to: BusinessDate | null;
}

/** Released records only: until then nobody has earned anything. */
export async function accrue(app: App, { kind, from, to }: AccrualScope): Promise<Accrual> {
  const { timezone, tolerances } = app.settings;
  const monthOf = businessMonths(timezone);
  const accrual = new Accrual(tolerances);
  const scope = {
    kind,
    createdFrom: from === null ? null : startOfBusinessDate(from, timezone),
    createdTo: to === null ? null : startOfBusinessDate(to, timezone),
    quotes: true,
  };
  for await (const { state, linked } of knownRecords(app.store.tracked, scope)) {
    if (state === null || state.createdAt === null || !hasReleased(state)) continue;
    accrual.add(monthOf(state.createdAt), state, linked);
  }
  return accrual;
}

/** The months that a record belongs to, in the business time zone. Pure. */
import type { Case } from './case.ts';
import { type Earned, earnedBy, type RevenueMonths } from './earned.ts';
import { countedDate } from './plausible-date.ts';
import type { Instant } from './record.ts';

/** The months that a record belongs to, in the business time zone. */
export interface RecordMonths {
  /** `2026-10`: by the host's date of the creation, else the Service's, else the time of tracking; null where none is known. */
  businessMonth: string | null;
  /** Of a record that was ever released: when its share was earned, and when it was taken back. */
  revenue: RevenueMonths | null;
}

/** @param monthOf month of an instant */
export function recordMonths(
  { tracked, observation, history }: Pick<Case, 'tracked' | 'observation' | 'history'>,
  asOf: Instant,
  monthOf: (instant: Instant) => string,
): RecordMonths {
  const newest = observation.outcome === 'verified' ? observation.snapshot : null;
  // The store counts by the same: a date that lay ahead when the id was stored does not become true with time.
  const storedAt = history.trackedAt ?? asOf;
  const created = countedDate((newest ?? history.first)?.state.createdAt ?? null, tracked.createdAt, storedAt);
  const counted = created ?? history.trackedAt ?? null;
  const earned = newest === null ? null : earnedBy(history.firstTerminal, newest, tracked.webhookEvents);
  const takenBackMonth = earned === null || earned.takenBackAt === null ? null : monthOf(earned.takenBackAt);
  return {
    businessMonth: counted === null ? null : monthOf(counted),
    revenue: earned === null ? null : { ...earned, month: monthOf(earned.at), takenBackMonth },
  };
}

/** 1 where a share is earned, −1 where it is taken back. */
export type Sign = 1 | -1;

/**
 * When a record's share is booked: at its release, and as a negative when it is taken back. By the creation, a record that is earned still
 * counts then, and others not at all.
 * @param countedAt of its creation
 */
export function bookingsOf(
  { earned, countedAt }: { earned: Earned | null; countedAt: Instant },
  byRelease: boolean,
): readonly { at: Instant; sign: Sign }[] {
  if (earned === null || (!byRelease && earned.takenBackAt !== null)) return [];
  const { at, takenBackAt } = earned;
  const booked = { at: byRelease ? at : countedAt, sign: 1 } as const;
  return takenBackAt === null ? [booked] : [booked, { at: takenBackAt, sign: -1 }];
}

/** The same for a record of a sealed month, by month. */
export function bookedIn(month: string, revenue: RevenueMonths | null, byRelease: boolean): readonly Sign[] {
  const monthOf = (sign: Sign) => (sign === 1 ? revenue?.month : revenue?.takenBackMonth);
  const signs = bookingsOf({ earned: revenue, countedAt: 0 }, byRelease).map(({ sign }) => sign);
  return signs.filter((sign) => !byRelease || monthOf(sign) === month);
}

/** The months that a record belongs to, in the business time zone. Pure. */
import type { Case } from './case.ts';
import { earnedBy, type RevenueMonths } from './earned.ts';
import { countedDate } from './plausible-date.ts';
import type { Instant } from './record.ts';
import { hasReleased } from './released.ts';
import type { RecordState, Snapshot } from './snapshot.ts';

export interface RecordMonths {
  /** `2026-10`: by the host's date of the creation, else the Service's, else the time of tracking; null where none is known. */
  businessMonth: string | null;
  /** Of the release (`earnedAt`); null where it is not released. */
  earnedMonth: string | null;
  /** Of a record that was ever released: when its share was earned, and when it was taken back. */
  revenue: RevenueMonths | null;
}

type Dated = Pick<Case, 'tracked' | 'observation' | 'history'>;

/** @param monthOf month of an instant */
export function recordMonths(
  { tracked, observation, history }: Dated,
  asOf: Instant,
  monthOf: (instant: Instant) => string,
): RecordMonths {
  const state = observation.outcome === 'verified' ? observation.snapshot.state : null;
  // The store counts by the same: a date that lay ahead when the id was stored does not become true with time.
  const storedAt = history.trackedAt ?? asOf;
  const created = countedDate((state ?? history.first?.state)?.createdAt ?? null, tracked.createdAt, storedAt);
  const counted = created ?? history.trackedAt ?? null;
  const evidence = (snapshot: Snapshot | null) =>
    snapshot === null ? null : { ...snapshot.state, receivedAt: snapshot.evidence.receivedAt };
  const newest = observation.outcome === 'verified' ? evidence(observation.snapshot) : null;
  const earned = newest === null ? null : earnedBy(evidence(history.firstTerminal), newest, tracked.webhookEvents);
  const month = earned === null ? null : monthOf(earned.at);
  const taken = earned?.takenBackAt ?? null;
  const takenBackMonth = taken === null ? null : monthOf(taken);
  return {
    businessMonth: counted === null ? null : monthOf(counted),
    // A record that is released no more is not earned.
    earnedMonth: takenBackMonth === null ? month : null,
    revenue: month === null || earned === null ? null : { month, takenBackMonth, share: earned.share },
  };
}

/**
 * What a month books of a record's share: 1 in the month that earned it, −1 in the one in which it was taken back. By the creation, a
 * record that is released counts in its own month, and others not at all.
 */
export function bookedIn(
  month: string,
  { state, revenue }: { state: RecordState; revenue: RevenueMonths | null },
  byRelease: boolean,
): readonly (1 | -1)[] {
  if (!byRelease) return hasReleased(state) ? [1] : [];
  return [
    ...(revenue?.month === month ? ([1] as const) : []),
    ...(revenue?.takenBackMonth === month ? ([-1] as const) : []),
  ];
}

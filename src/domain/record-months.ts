/** The months that a record belongs to, in the business time zone. Pure. */
import type { Case } from './case.ts';
import { earnedAt } from './earned.ts';
import { countedDate } from './plausible-date.ts';
import type { Instant } from './record.ts';
import { hasReleased } from './released.ts';
import type { Snapshot } from './snapshot.ts';

export interface RecordMonths {
  /** `2026-10`: by the host's date of the creation, else the Service's, else the time of tracking; null where none is known. */
  businessMonth: string | null;
  /** Of the release (`earnedAt`); null where it is not released. */
  earnedMonth: string | null;
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
  // A record that is released no more is not earned.
  const isReleased = newest !== null && hasReleased(newest);
  const earned = isReleased ? earnedAt([evidence(history.firstTerminal), newest], tracked.webhookEvents) : null;
  return {
    businessMonth: counted === null ? null : monthOf(counted),
    earnedMonth: earned === null ? null : monthOf(earned),
  };
}

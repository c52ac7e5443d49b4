/** The months that a record belongs to, in the business time zone. Pure. */
import type { Case } from './case.ts';
import { countedDate, isPlausible } from './plausible-date.ts';
import type { Instant } from './record.ts';
import { hasReleased } from './released.ts';

export interface RecordMonths {
  /** `2026-10`: by the host's date of the creation, else the Service's, else the time of tracking; null where none is known. */
  businessMonth: string | null;
  /** Of the release, as its first body dates it; null where it is not released, or no date is known. */
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
  const created = countedDate((state ?? history.first?.state)?.createdAt ?? null, tracked.createdAt, asOf);
  const counted = created ?? history.trackedAt ?? null;
  const released = [history.firstTerminal?.state ?? null, state].find((each) => each !== null && hasReleased(each));
  const earned = state !== null && hasReleased(state) ? (released?.updatedAt ?? null) : null;
  return {
    businessMonth: counted === null ? null : monthOf(counted),
    earnedMonth: earned === null || !isPlausible(earned, asOf) ? null : monthOf(earned),
  };
}

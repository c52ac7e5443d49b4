/** When the host earned its share of a record: at the release. Pure. */
import type { Decimal } from './decimal.ts';
import { isPlausible } from './plausible-date.ts';
import type { Instant } from './record.ts';
import { hasReleased, saysReleased } from './released.ts';
import type { RecordState } from './snapshot.ts';

/** A body, and when it came. */
export interface ReleaseSign
  extends Pick<
    RecordState,
    'kind' | 'status' | 'createdAt' | 'updatedAt' | 'releasedAt' | 'returnedAt' | 'hostFeeCut'
  > {
  receivedAt: Instant;
}

export interface Earned {
  at: Instant;
  /** When the newest body, a return in its list of moments, or a RETURNED webhook took the release back; null where it stands. */
  takenBackAt: Instant | null;
  /** The share of the released body, of a record that is released no more. */
  share: RecordState['hostFeeCut'];
}

/** The same by month, of a record that was ever released. */
export interface RevenueMonths {
  month: string;
  /** Null where it is earned still. */
  takenBackMonth: string | null;
  /** As the record states it; null where it states none. */
  share: Decimal | null;
}

type Webhooks = readonly { type: string; at: Instant }[];

/**
 * When the share was earned, and whether it was taken back since: a share of a closed month stays in it, and what is taken back is a
 * negative of the month in which that happened. Null where no body says that it is or was released.
 * @param first the first body that had come to an end; null where there is none
 */
export function earnedBy(first: ReleaseSign | null, newest: ReleaseSign, webhooks: Webhooks): Earned | null {
  const at = earnedAt([first, newest], webhooks);
  if (at === null) return null;
  const returned = webhooks.filter((event) => event.type === 'RETURNED' && event.at >= at).map((event) => event.at);
  const told = newest.returnedAt !== undefined && newest.returnedAt >= at ? newest.returnedAt : undefined;
  if (told !== undefined || !hasReleased(newest)) returned.push(Math.max(at, saidAt(newest, told)));
  const share = hasReleased(newest) ? newest.hostFeeCut : (newest.hostFeeCut ?? first?.hostFeeCut ?? null);
  return { at, takenBackAt: returned.length === 0 ? null : Math.min(...returned), share };
}

/**
 * Each source is a moment by which the record was released: the list of moments of a body, its last change, a RELEASED webhook. The
 * earliest is the nearest. Null where no body says that it is released.
 * @param bodies the first one that had come to an end, and the newest; null where there is none
 */
export function earnedAt(bodies: readonly (ReleaseSign | null)[], webhooks: Webhooks): Instant | null {
  const released = bodies.filter((each) => each !== null).filter(hasReleased);
  if (released.length === 0) return null;
  const announced = webhooks.filter(({ type }) => saysReleased(type)).map((event) => event.at);
  return Math.min(...announced, ...released.map((each) => saidAt(each, each.releasedAt)));
}

/**
 * A date that cannot be true says nothing; what was received was so then. The specification's sale has but the date of its creation.
 * @param told the moment in the body's own list
 */
function saidAt({ status, createdAt, updatedAt, receivedAt }: ReleaseSign, told: Instant | undefined): Instant {
  const said = told ?? updatedAt ?? (status === null ? createdAt : null);
  return said !== null && isPlausible(said, receivedAt) ? Math.min(said, receivedAt) : receivedAt;
}

/** When the host earned its share of a record: at the release. Pure. */
import { isPlausible } from './plausible-date.ts';
import type { Instant } from './record.ts';
import { hasReleased, saysReleased } from './released.ts';
import type { RecordState } from './snapshot.ts';

/** A body, and when it came. */
export interface ReleaseSign extends Pick<RecordState, 'status' | 'updatedAt' | 'releasedAt'> {
  receivedAt: Instant;
}

/**
 * Each source is a moment by which the record was released: the list of moments of a body, its last change, a RELEASED webhook. The
 * earliest is the nearest. Null where no body says that it is released.
 * @param bodies the first one that had come to an end, and the newest; null where there is none
 */
export function earnedAt(
  bodies: readonly (ReleaseSign | null)[],
  webhookEvents: readonly { type: string; at: Instant }[],
): Instant | null {
  const released = bodies.filter((each) => each !== null).filter(hasReleased);
  if (released.length === 0) return null;
  const announced = webhookEvents.filter(({ type }) => saysReleased(type)).map((event) => event.at);
  return Math.min(...announced, ...released.map(releasedBy));
}

/** A date that cannot be true says nothing; what was received was so then. */
function releasedBy({ releasedAt, updatedAt, receivedAt }: ReleaseSign): Instant {
  const said = releasedAt ?? updatedAt;
  return said !== null && isPlausible(said, receivedAt) ? Math.min(said, receivedAt) : receivedAt;
}

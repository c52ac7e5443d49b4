/** When the host earned its share of a record: at the release. Pure. */
import { RETURNED } from '../service/profile.ts';
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

/** `actions` and `webhook` date the release itself; by the other fields of a body it was released at the latest then. */
export type EarnedSource = 'actions' | 'webhook' | 'updated_at' | 'created_at' | 'fetched_at';

interface Release {
  at: Instant;
  source: EarnedSource;
}

export interface Earned extends Release {
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
 * negative of the month in which that happened. The earliest sign of the release is the nearest. Null where no body is released, unless
 * the record came back and its list of moments, or a webhook, dates its release.
 * @param first the first body that had come to an end; null where there is none
 */
export function earnedBy(first: ReleaseSign | null, newest: ReleaseSign, webhooks: Webhooks): Earned | null {
  const bodies = first === null ? [newest] : [first, newest];
  const returned = webhooks.filter(({ type }) => type === 'RETURNED').map((event) => event.at);
  const isBack = returned.length > 0 || newest.returnedAt !== undefined || RETURNED.has(newest.status ?? '');
  const dated = bodies.filter((each) => hasReleased(each) || (isBack && each.releasedAt !== undefined));
  const announced = webhooks.filter(({ type }) => saysReleased(type));
  if (dated.length === 0 && !(isBack && announced.length > 0)) return null;
  const releases: Release[] = [
    ...announced.map(({ at }) => ({ at, source: 'webhook' as const })),
    ...dated.map((each) => saidBy(each, each.releasedAt)),
  ];
  const release = releases.reduce((earliest, each) => (each.at < earliest.at ? each : earliest));
  const told = newest.returnedAt !== undefined && newest.returnedAt >= release.at ? newest.returnedAt : undefined;
  const back = returned.filter((at) => at >= release.at);
  if (told !== undefined || !hasReleased(newest)) back.push(Math.max(release.at, saidBy(newest, told).at));
  const share = hasReleased(newest) ? newest.hostFeeCut : (newest.hostFeeCut ?? first?.hostFeeCut ?? null);
  return { ...release, takenBackAt: back.length === 0 ? null : Math.min(...back), share };
}

/**
 * A date that cannot be true says nothing; what was received was so then. The specification's sale has but the date of its creation.
 * @param told the moment in the body's own list
 */
function saidBy({ status, createdAt, updatedAt, receivedAt }: ReleaseSign, told: Instant | undefined): Release {
  const dates: readonly (readonly [Instant | null, EarnedSource])[] = [
    [told ?? null, 'actions'],
    [updatedAt, 'updated_at'],
    [status === null ? createdAt : null, 'created_at'],
  ];
  const [said = null, source] = dates.find(([date]) => date !== null) ?? [];
  if (said === null || source === undefined || !isPlausible(said, receivedAt) || said > receivedAt)
    return { at: receivedAt, source: 'fetched_at' };
  return { at: said, source };
}

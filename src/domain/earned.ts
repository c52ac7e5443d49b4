/** When the host earned its share of a record: at the release. Pure. */
import { RETURNED } from '../service/profile.ts';
import { isPlausible } from './plausible-date.ts';
import type { Instant } from './record.ts';
import { hasReleased, saysReleased } from './released.ts';
import type { RecordState } from './snapshot.ts';

/** What a snapshot says of it. */
export interface ReleaseSign {
  state: Pick<RecordState, 'kind' | 'status' | 'createdAt' | 'updatedAt' | 'releasedAt' | 'returnedAt' | 'hostFeeCut'>;
  evidence: { receivedAt: Instant };
}

/** `actions` and `webhook` date the release itself; by the other fields of a body it was released at the latest then. */
export type EarnedSource = 'actions' | 'webhook' | 'updated_at' | 'created_at' | 'fetched_at';

interface Release {
  at: Instant;
  source: EarnedSource;
}

/** When the host earned its share of a record, and how that is known. */
export interface Earned extends Release {
  /** When the newest body, a return in its list of moments, or a RETURNED webhook took the release back; null where it stands. */
  takenBackAt: Instant | null;
  /** The share of the released body, of a record that is released no more. */
  share: RecordState['hostFeeCut'];
}

/** With its months. */
export interface RevenueMonths extends Earned {
  month: string;
  /** Null where it is earned still. */
  takenBackMonth: string | null;
}

type Webhooks = readonly { type: string; at: Instant }[];

/**
 * When the share was earned, and whether it was taken back since: a share of a closed month stays in it, and what is taken back is a
 * negative of the month in which that happened. The earliest sign of the release is the nearest. Null where no body is released, unless
 * the record came back and its list of moments, or a webhook, dates its release.
 * @param first the first body that had come to an end; null where there is none
 */
export function earnedBy(first: ReleaseSign | null, newest: ReleaseSign, webhooks: Webhooks): Earned | null {
  const { state } = newest;
  const returned = webhooks.filter(({ type }) => type === 'RETURNED').map((event) => event.at);
  const isBack = returned.length > 0 || state.returnedAt !== undefined || RETURNED.has(state.status ?? '');
  let release: Release | null = null;
  for (const body of [first, newest]) {
    if (body === null || !(hasReleased(body.state) || (isBack && body.state.releasedAt !== undefined))) continue;
    release = earlier(saidBy(body, body.state.releasedAt), release);
  }
  if (release === null && !isBack) return null;
  for (const { type, at } of webhooks) if (saysReleased(type)) release = earlier({ at, source: 'webhook' }, release);
  if (release === null) return null;
  const told = state.returnedAt !== undefined && state.returnedAt >= release.at ? state.returnedAt : undefined;
  const back = returned.filter((at) => at >= release.at);
  if (told !== undefined || !hasReleased(state)) back.push(Math.max(release.at, saidBy(newest, told).at));
  const released = first?.state.hostFeeCut ?? state.hostFeeCut;
  // A body that came back may state that nothing is left of the share: the month that earned it keeps it.
  const share = hasReleased(state) || state.hostFeeCut?.isPositive === true ? state.hostFeeCut : released;
  return { at: release.at, source: release.source, takenBackAt: back.length === 0 ? null : Math.min(...back), share };
}

/** Of two at one time a webhook's, which dates the release itself. */
function earlier(a: Release, b: Release | null): Release {
  if (b === null || a.at < b.at) return a;
  return a.at === b.at && a.source === 'webhook' ? a : b;
}

/**
 * A date that cannot be true says nothing; what was received was so then. The specification's sale has but the date of its creation.
 * @param told the moment in the body's own list
 */
function saidBy({ state, evidence: { receivedAt } }: ReleaseSign, told: Instant | undefined): Release {
  const { status, createdAt, updatedAt } = state;
  const at = told ?? updatedAt ?? (status === null ? createdAt : null);
  if (at === null || !isPlausible(at, receivedAt) || at > receivedAt) return { at: receivedAt, source: 'fetched_at' };
  if (told !== undefined) return { at, source: 'actions' };
  return { at, source: updatedAt === null ? 'created_at' : 'updated_at' };
}

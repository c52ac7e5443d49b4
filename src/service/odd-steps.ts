/**
 * Steps of a body's own list of moments (`actions[]`, field facts) that an order rarely takes: out of an end, back to the beginning, before its
 * creation, or long after its last update. The status model of the settings decides about them (contradicting-moments.ts); of all others nothing is kept.
 */
import type { Instant, Kind } from '../domain/record.ts';
import type { OddStep, RecordState } from '../domain/snapshot.ts';
import { isExactObject } from './exact-json.ts';
import { ENDED_UNPAID, FIRST_STATUS, MONEY_BY_STATUS, RELEASED, RELEASING } from './profile.ts';
import { instantOrNull } from './wire-values.ts';

/** The order of two moments within a minute is not known: different parts of the Service may write them. */
const TOGETHER = 60_000;
const CLOCKS_DIFFER = 1000;
const DAY = 86_400_000;
/** For a payment. */
const WAITING: ReadonlySet<string> = new Set([FIRST_STATUS, 'PAYMENT_STARTED', 'PAYMENT_IN_PROGRESS']);
/** More of them prove nothing more. */
const MOST = 20;

const WORD = /^[\w-]{1,40}$/;

interface Moment {
  status: string;
  at: Instant;
}

/** In the order of their times; entries of another form say nothing. */
export function momentsIn(actions: unknown): readonly Moment[] {
  const read = (Array.isArray(actions) ? actions : []).flatMap((action: unknown) => {
    if (!isExactObject(action) || typeof action.newStatus !== 'string') return [];
    const at = typeof action.timestamp === 'string' ? instantOrNull(action.timestamp) : null;
    return at === null ? [] : [{ status: action.newStatus, at }];
  });
  return read.sort((a, b) => a.at - b.at);
}

/** @param status of the body: what follows the list */
export function oddSteps(
  kind: Kind,
  moments: readonly Moment[],
  { createdAt, updatedAt, status }: Pick<RecordState, 'createdAt' | 'updatedAt' | 'status'>,
): readonly OddStep[] {
  const found: OddStep[] = [];
  const [first] = moments;
  if (first !== undefined && createdAt !== null && first.at < createdAt - CLOCKS_DIFFER)
    found.push({ from: null, to: WORD.test(first.status) ? first.status : 'OTHER', at: first.at });
  const last = moments.at(-1);
  if (last !== undefined && updatedAt !== null && last.at > updatedAt + DAY)
    found.push({ from: null, to: WORD.test(last.status) ? last.status : 'OTHER', at: last.at });
  let begun: Moment | null = null;
  let ended: Moment | null = null;
  for (const moment of moments.filter(({ status: word }) => MONEY_BY_STATUS[kind].has(word))) {
    const from: Moment | null = ended ?? (moment.status === FIRST_STATUS ? begun : null);
    const isAfter = from !== null && moment.at - from.at > TOGETHER;
    if (isAfter && isOdd(kind, from.status, moment.status))
      found.push({ from: from.status, to: moment.status, at: moment.at });
    if (moment.status !== FIRST_STATUS) begun ??= moment;
    const isReleased: boolean = ended !== null && RELEASED.has(ended.status);
    if (RELEASED.has(moment.status) || (ENDED_UNPAID.has(moment.status) && !isReleased)) ended = moment;
    else if (isAfter && ended !== null && ENDED_UNPAID.has(ended.status)) ended = null;
  }
  // A release that the status denies is another check's.
  if (ended !== null && status !== null && ENDED_UNPAID.has(ended.status) && isOdd(kind, ended.status, status))
    found.push({ from: ended.status, to: status, at: null });
  // What was being released does not wait for its payment; that one failed may be said late.
  if (kind === 'purchase' && last !== undefined && RELEASING.has(last.status) && status !== null && WAITING.has(status))
    found.push({ from: last.status, to: status, at: null });
  return found.slice(0, MOST);
}

/** After a release a payment may still be settled, and an order that ended unpaid may be ended again. */
function isOdd(kind: Kind, from: string, to: string): boolean {
  const moved = MONEY_BY_STATUS[kind].get(to)?.moved;
  if (moved === undefined || from === to) return false;
  if (RELEASED.has(from)) return !RELEASED.has(to) && moved !== 'pending';
  return !(ENDED_UNPAID.has(from) && ENDED_UNPAID.has(to));
}

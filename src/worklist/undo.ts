/**
 * The undo of a decision on the day it was made, as an event of its own: nothing is deleted, and the break gets the state,
 * assignee and waiver that it had before. With a leading break, the
 * breaks that the same decision covered are undone too.
 */
import { businessDateOf } from '../domain/calendar.ts';
import type { BusinessDate } from '../domain/record.ts';
import type { CurrentBreak, PastBreakEvent, Store } from '../ports/store/store.ts';
import { DecisionRefusedError, isDecision } from './decide.ts';
import { type Deciding, type PlannedEvent, withMoney } from './work.ts';

/** A break with its whole history. */
export interface Undoable {
  standing: CurrentBreak;
  events: readonly PastBreakEvent[];
}

interface Undoing extends Pick<Deciding, 'actor' | 'at' | 'today'> {
  reason: string;
  /** Of business days. */
  timezone: string;
}

/** Every break of the records of these breaks, with its history. */
export async function withHistory(
  { breaks, workList }: Store,
  breakIds: readonly string[],
): Promise<readonly Undoable[]> {
  const records = await workList.ofSameRecords(breakIds);
  return Promise.all(records.map(async (standing) => ({ standing, events: await breaks.events(standing.breakId) })));
}

/** Why the newest event of a break cannot be undone; null where it can. */
export function whyNotUndone(
  { events }: Undoable,
  { today, timezone }: { today: BusinessDate; timezone: string },
): string | null {
  const newest = events.at(-1);
  if (newest === undefined || events.length < 2) return 'nothing was decided about it';
  if (newest.runId !== null) return 'a run has judged it since the last decision';
  if (!isDecision(newest.type)) return `its newest event is ${newest.type}, which is not a decision`;
  const madeOn = businessDateOf(newest.at, timezone);
  return madeOn === today ? null : `its last decision is of ${madeOn}; only one of today, ${today}, can be undone`;
}

/**
 * @param chosen ids of the breaks whose newest decision is undone
 * @param records every break of their records, each with its history
 * @throws DecisionRefusedError
 */
export function planUndo(
  chosen: readonly string[],
  records: readonly Undoable[],
  undoing: Undoing,
): readonly PlannedEvent[] {
  const byId = new Map(records.map((each) => [each.standing.breakId, each]));
  const undone = new Map<string, PlannedEvent>();
  for (const id of chosen) {
    const lead = byId.get(id);
    if (lead === undefined) continue;
    const why = whyNotUndone(lead, undoing);
    if (why !== null) throw new DecisionRefusedError(`break ${id.slice(0, 12)}: ${why}`);
    for (const each of [lead, ...coveredWith(lead, records)]) undone.set(each.standing.breakId, undo(each, undoing));
  }
  const standing = records.map((each) => each.standing);
  return withMoney([...undone.values()], standing);
}

/** Breaks that the same decision covered: its event on them has the same type, time and account. */
function coveredWith({ standing, events }: Undoable, records: readonly Undoable[]): readonly Undoable[] {
  const decided = events.at(-1);
  return records.filter((other) => {
    const newest = other.events.at(-1);
    return (
      other.standing.leadingBreakId === standing.breakId &&
      other.standing.breakId !== standing.breakId &&
      newest?.runId === null &&
      newest.type === decided?.type &&
      newest.at === decided.at &&
      newest.account === decided.account
    );
  });
}

function undo({ standing, events }: Undoable, { actor, at, reason }: Undoing): PlannedEvent {
  const { hostReference: _host, events: expectedEvents, ...now } = standing;
  const before = events.at(-2)?.after ?? now;
  const { state, assignee, waiver, timesReopened } = before;
  const { name: who, proof, account } = actor;
  return {
    type: 'undone',
    at,
    runId: null,
    who,
    reason,
    proof,
    account,
    after: { ...now, state, assignee, waiver, timesReopened },
    expectedEvents,
  };
}

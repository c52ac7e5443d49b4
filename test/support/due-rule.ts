/**
 * When one record is due, by `docs/decisions/0011-what-is-due.md`: the model that the store's SQL (`src/store/due.ts`) is
 * compared with. Days are counted from 1970-01-01.
 */
import { type DueBoundaries, type DueClass, type DuePolicy, dueBoundaries } from '../../src/domain/due.ts';

export const DUE_POLICY: DuePolicy = {
  postTerminalDays: [1, 7, 30],
  breakDailyDays: 30,
  breakEveryDays: 7,
  cardDays: 130,
};

/** What the decision rests on. Null where it never happened. */
export interface DueFacts {
  /** The date for which the record was last verified. */
  lastVerified: number | null;
  /** The date on which it was first seen in its terminal status; null while it is under way. */
  ended: number | null;
  /** The date on which its newest open break opened or came back; null where it has none. */
  brokenSince: number | null;
  /** The date of the last answer that was a break itself (`ANSWERED_UNREAD`), where such a break is open. */
  answered: number | null;
  /** True where the waiver of one of its breaks has ended and no run has reported it yet. */
  waiverEnded: boolean;
}

/** Null for a record that is not due on the date. */
export function dueClassOf(facts: DueFacts, policy: DuePolicy, day: number): Exclude<DueClass, 'requested'> | null {
  const { lastVerified, ended, brokenSince, waiverEnded } = facts;
  const boundaries = dueBoundaries(policy, day);
  const breakDue = brokenSince !== null && isBreakDue(facts, boundaries);
  if (lastVerified === null && (brokenSince === null || breakDue)) return 'never-verified';
  if (waiverEnded || breakDue) return 'open-break';
  if (lastVerified === null) return null;
  // A record whose end is known from a webhook only has not been verified in its terminal status: it counts as under way.
  if (ended === null || lastVerified < ended) return 'not-terminal';
  if (brokenSince !== null) return null;
  const due = boundaries.postTerminal.some(({ after, endedBy }) => ended <= endedBy && lastVerified < ended + after);
  return due ? 'post-terminal' : null;
}

/** An answer that could not be read counts as a verification here; a request without an answer does not. */
function isBreakDue(facts: DueFacts, { breakDailyAfter, breakLookedBy }: DueBoundaries): boolean {
  const { lastVerified, brokenSince, answered } = facts;
  if (brokenSince !== null && brokenSince > breakDailyAfter) return true;
  return (lastVerified ?? -Infinity) <= breakLookedBy && (answered ?? -Infinity) <= breakLookedBy;
}

/** True for a record that only an audit, or a new break, makes due again. */
export function isRetired({ lastVerified, ended, brokenSince, waiverEnded }: DueFacts, policy: DuePolicy): boolean {
  if (lastVerified === null || ended === null || brokenSince !== null || waiverEnded) return false;
  return lastVerified >= ended + dueBoundaries(policy, 0).lastLook;
}

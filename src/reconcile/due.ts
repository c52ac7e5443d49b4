/**
 * When a record is due, for one record and in plain words. The store decides the same for a whole population in SQL
 * (`src/store/due.ts`); a test holds the two together, and the simulated year in `bench/` runs on this one.
 */
import type { DueClass, DuePolicy } from '../domain/run.ts';

/** A business date as days since 1970-01-01: "seven days after" is an addition. */
export type Day = number;

/** What the decision rests on. Null where it never happened. */
export interface DueFacts {
  /** The date for which it was last verified. */
  lastVerified: Day | null;
  /** The date on which it was first seen at its end; null while it is under way. */
  ended: Day | null;
  /** The date on which its newest break to act on opened or came back; null where it has none. */
  brokenSince: Day | null;
  /** The date of the last answer that was a break itself (404, 403, unreadable), where such a break is open. */
  answered: Day | null;
  /** A waiver of one of its breaks has ended, and nobody has been told yet. */
  waiverEnded: boolean;
}

/** Null for a record that is not due for the date. */
export function dueClassOf(facts: DueFacts, policy: DuePolicy, day: Day): Exclude<DueClass, 'requested'> | null {
  const { lastVerified, ended, brokenSince, waiverEnded } = facts;
  if (lastVerified === null) return brokenSince === null || isBreakDue(facts, policy, day) ? 'never-verified' : null;
  if (waiverEnded) return 'open-break';
  if (brokenSince !== null && isBreakDue(facts, policy, day)) return 'open-break';
  // Ended by what a webhook said, and not verified at its end, is not yet ended.
  if (ended === null || lastVerified < ended) return 'not-terminal';
  if (brokenSince !== null) return null;
  // A night that was missed is made up for by the next one, once.
  const comes = policy.postTerminalDays.some((after) => ended + after <= day && lastVerified < ended + after);
  return comes ? 'post-terminal' : null;
}

/** Every night at first, then once in a while; an unreadable answer counts as a look, no answer at all does not. */
function isBreakDue({ lastVerified, brokenSince, answered }: DueFacts, policy: DuePolicy, day: Day): boolean {
  if (brokenSince !== null && brokenSince > day - policy.breakDailyDays) return true;
  const looked = Math.max(lastVerified ?? Number.NEGATIVE_INFINITY, answered ?? Number.NEGATIVE_INFINITY);
  return looked <= day - policy.breakEveryDays;
}

/** True once nothing but an audit or a new break will ever make it due again. */
export function isRetired({ lastVerified, ended, brokenSince, waiverEnded }: DueFacts, policy: DuePolicy): boolean {
  if (lastVerified === null || ended === null || brokenSince !== null || waiverEnded) return false;
  return lastVerified >= ended + Math.max(0, ...policy.postTerminalDays);
}

/**
 * When a record is due. The store decides this for a whole population in SQL (`src/store/due.ts`); the function here decides
 * it for one record. Both compare with the same boundaries, which `dueBoundaries` computes from the policy, and a property
 * test holds their answers together on every engine. The order of the questions and their reasons:
 * `docs/decisions/0011-what-is-due.md`.
 */

/** Why a record is due, in the order in which a short allowance is spent. */
export const DUE_CLASSES = ['never-verified', 'open-break', 'not-terminal', 'post-terminal', 'requested'] as const;
export type DueClass = (typeof DUE_CLASSES)[number];

/** How often records are verified again. Days are calendar days of the business time zone. */
export interface DuePolicy {
  /** Days after the first terminal sight at which a clean record is verified again. */
  postTerminalDays: readonly number[];
  /** An open break is verified every night for this many days, … */
  breakDailyDays: number;
  /** … then every so many days. */
  breakEveryDays: number;
}

export const DUE_POLICY: DuePolicy = { postTerminalDays: [1, 7, 30], breakDailyDays: 30, breakEveryDays: 7 };

/** A business date as days since 1970-01-01, so that "seven days after" is an addition. */
export type Day = number;

/** The days that a decision for one business date compares with. */
export interface DueBoundaries {
  /** A break that opened, or came back, after this day is verified every night. */
  breakDailyAfter: Day;
  /** An older break is due when its last verification is on this day or before. */
  breakLookedBy: Day;
  /**
   * A clean terminal record is due for the verification `after` days after its end when it ended on `endedBy` or before, and
   * was last verified less than `after` days after its end. A verification that was missed is made up for once.
   */
  postTerminal: readonly { after: number; endedBy: Day }[];
  /** Days after the end of a clean record after which it is never due again. */
  lastLook: number;
}

export function dueBoundaries(policy: DuePolicy, day: Day): DueBoundaries {
  return {
    breakDailyAfter: day - policy.breakDailyDays,
    breakLookedBy: day - policy.breakEveryDays,
    postTerminal: policy.postTerminalDays.map((after) => ({ after, endedBy: day - after })),
    lastLook: Math.max(0, ...policy.postTerminalDays),
  };
}

/** What the decision rests on. Null where it never happened. */
export interface DueFacts {
  /** The date for which the record was last verified. */
  lastVerified: Day | null;
  /** The date on which it was first seen in its terminal status; null while it is under way. */
  ended: Day | null;
  /** The date on which its newest open break opened or came back; null where it has none. */
  brokenSince: Day | null;
  /** The date of the last answer that was a break itself (`ANSWERED_UNREAD`), where such a break is open. */
  answered: Day | null;
  /** True where the waiver of one of its breaks has ended and no run has reported it yet. */
  waiverEnded: boolean;
}

/** Null for a record that is not due on the date. */
export function dueClassOf(facts: DueFacts, policy: DuePolicy, day: Day): Exclude<DueClass, 'requested'> | null {
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

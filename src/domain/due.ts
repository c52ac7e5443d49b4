/**
 * When a record is due: the policy and the boundaries that follow from it for one business date. The store applies them to a
 * whole population in SQL (`src/store/due.ts`); `test/support/due-rule.ts` decides the same for one record, and a property
 * test holds the answers together on every engine. Reasons: `docs/decisions/0011-what-is-due.md`.
 */

/** Why a record is due, in the order in which a short allowance is spent. */
export const DUE_CLASSES = ['never-verified', 'open-break', 'not-terminal', 'post-terminal', 'requested'] as const;
/** Why a record is due, in the order in which the allowance is spent. */
export type DueClass = (typeof DUE_CLASSES)[number];

/** Methods whose users may have a payment charged back. */
export const CARD_METHODS = ['CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY'] as const;

/** Bank transfers that arrive so long after their purchase expired are still processed, in milliseconds. */
export const LATE_PAYMENT = 14 * 86_400_000;

/** How often records are verified again. Days are calendar days of the business time zone. */
export interface DuePolicy {
  /** Days after the first terminal sight at which a clean record is verified again. */
  postTerminalDays: readonly number[];
  /** An open break is verified every night for this many days, … */
  breakDailyDays: number;
  /** … then every so many days. */
  breakEveryDays: number;
  /** A clean released card purchase is verified once more so many days after its end: chargebacks come that late. 0 for never. */
  cardDays: number;
}

/** A business date as days since 1970-01-01, so that "seven days after" is an addition. */
type Day = number;

/** The days that a decision for one business date compares with. */
export interface DueBoundaries {
  /** A break that opened, or came back, after this day is verified every night. */
  breakDailyAfter: Day;
  /** An older break is due when its last verification is on this day or before. */
  breakLookedBy: Day;
  /**
   * A clean terminal record is due for the verification `after` days after its end when it ended on `endedBy` or
   * before, and was last verified less than `after` days after its end. A missed verification is made up for once.
   */
  postTerminal: readonly { after: number; endedBy: Day }[];
  /** Days after the end of a clean record after which it is never due again. */
  lastLook: number;
  /** Ends of card purchases whose last verification is due; one that was missed is made up for within a week. Null for none. */
  card: { after: number; endedFrom: Day; endedBy: Day } | null;
}

export function dueBoundaries(policy: DuePolicy, day: Day): DueBoundaries {
  return {
    breakDailyAfter: day - policy.breakDailyDays,
    breakLookedBy: day - policy.breakEveryDays,
    postTerminal: policy.postTerminalDays.map((after) => ({ after, endedBy: day - after })),
    lastLook: Math.max(0, ...policy.postTerminalDays),
    card:
      policy.cardDays === 0
        ? null
        : { after: policy.cardDays, endedFrom: day - policy.cardDays - 6, endedBy: day - policy.cardDays },
  };
}

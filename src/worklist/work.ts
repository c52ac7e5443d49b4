/**
 * The one home of what people decide about breaks: the command line and the pages come through here. All of a call is
 * applied, or none of it; a break that moved since it was read is refused by the store.
 */
import type { Actor } from '../domain/actor.ts';
import type { Break, BreakEvent } from '../domain/break.ts';
import type { ClaimItem } from '../domain/claim.ts';
import type { Decimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';
import type { Severity } from '../domain/finding.ts';
import type { BusinessDate } from '../domain/record.ts';
import { withStake } from '../domain/stake.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { type Decision, decide } from './decide.ts';

/** An event that holds only if the break has had so many before: two people never overwrite each other. */
export type PlannedEvent = BreakEvent & { expectedEvents: number };

/** What is decided, without who and when. */
export type NewDecision = Pick<Decision, 'type' | 'reason' | 'until' | 'assignee'>;

/** Which waivers need a second person. */
export interface WaiverLimits {
  /** Per currency, those of more. */
  above: ReadonlyMap<string, Decimal>;
  /** Those of these severities. */
  severities: readonly Severity[];
}

/** Thrown where a waiver needs a second person who has not approved it. Exit code 2. */
export class SecondPersonNeededError extends UsageError {
  readonly why: string;

  constructor(breakId: string, why: string) {
    super(`a waiver of break ${breakId.slice(0, 12)} needs a second person: ${why}`, {
      remedy: 'ask for it on its page, and have another person approve it there',
    });
    this.why = `it needs a second person: ${why}`;
  }
}

/** The money that a decision about the break is about: what is at stake, else a difference in money. */
export function moneyOf(each: Break): { amount: Decimal; currency: string } | null {
  const { recordCurrency, unit, difference, currency } = each;
  const loss = each.moneyAtStake ?? each.moneyAside;
  if (loss !== null && recordCurrency !== null) return { amount: loss.abs(), currency: recordCurrency };
  if (unit !== 'money' || difference === null || currency === null) return null;
  return { amount: difference.abs(), currency };
}

/** Why a waiver of the break needs a second person; null where it needs none. */
export function whySecondPerson(each: Break, { above, severities }: WaiverLimits): string | null {
  if (severities.includes(each.severity)) return `its severity is ${each.severity}`;
  const money = moneyOf(each);
  // The money of a break that another one leads stands on that one.
  if (money === null) return above.size > 0 && each.leadingBreakId === null ? 'its money is unknown' : null;
  const limit = above.get(money.currency);
  return limit !== undefined && money.amount.greaterThan(limit)
    ? `its money is above ${limit} ${money.currency}`
    : null;
}

/**
 * @param secondPerson whether another person has approved a waiver that needs one.
 * @throws DecisionRefusedError, SecondPersonNeededError
 */
export function planDecision(
  standing: CurrentBreak,
  proposed: NewDecision,
  { actor, at, limits, today, secondPerson = false }: Deciding,
): PlannedEvent {
  const why = proposed.type === 'waived' && !secondPerson ? whySecondPerson(standing, limits) : null;
  if (why !== null) throw new SecondPersonNeededError(standing.breakId, why);
  const { hostReference: _host, events, ...before } = standing;
  const event = decide(before, { ...proposed, who: actor.name, at, today });
  return { ...event, proof: actor.proof, account: actor.account, expectedEvents: events };
}

/**
 * The events that put breaks into a claim, or take them out (null) where it was rejected, with the money of their records afterwards.
 * @param records every break of their records
 */
export function planClaimed(
  breaks: readonly CurrentBreak[],
  records: readonly CurrentBreak[],
  claim: { claimId: string; items: readonly ClaimItem[] } | null,
  { actor, at, reason }: { actor: Actor; at: number; reason: string },
): readonly PlannedEvent[] {
  const { name: who, proof, account } = actor;
  const amounts = new Map(claim?.items.map(({ breakId, claimed }) => [breakId, claimed]));
  const events = breaks.map((standing): PlannedEvent => {
    const { hostReference: _host, events: expectedEvents, claimId: _before, claimed: _was, ...rest } = standing;
    const claimed = amounts.get(rest.breakId);
    const put = claim === null ? rest : { ...rest, claimId: claim.claimId };
    const after = claimed === undefined ? put : { ...put, claimed };
    return { type: 'claimed', at, runId: null, who, reason, proof, account, after, expectedEvents };
  });
  return withMoney(events, records);
}

/** The events with the money of their records as all of them leave it. @param records every break of those records */
export function withMoney(events: readonly PlannedEvent[], records: readonly Break[]): readonly PlannedEvent[] {
  const standing = new Map(records.map((each) => [each.breakId, each]));
  for (const { after } of events) standing.set(after.breakId, after);
  const byRecord = Map.groupBy(standing.values(), ({ kind, recordId }) => `${kind} ${recordId}`);
  const settled = new Map([...byRecord.values()].flatMap(withStake).map((each) => [each.breakId, each]));
  return events.map((event) => {
    const { lossBearer, moneyAtStake, moneyAside } = settled.get(event.after.breakId) ?? event.after;
    return { ...event, after: { ...event.after, lossBearer, moneyAtStake, moneyAside } };
  });
}

export interface Deciding {
  actor: Actor;
  at: number;
  limits: WaiverLimits;
  secondPerson?: boolean;
  /** Business date of the decision: a waiver must not be over already. */
  today: BusinessDate;
}

/** The life of a claim, and its figures. Pure; refuses what the life of a claim does not allow. */

import { createHash } from 'node:crypto';
import { type Actor, areTwoPeople, type Known } from '../domain/actor.ts';
import { type Claim, type ClaimEvent, type ClaimItem, type ClaimState, GIVEN_UP_STATES } from '../domain/claim.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import { inPlacesOf } from '../domain/stake.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { counted } from '../text/counts.ts';
import { claimOf } from './claimable.ts';

const NEXT: Readonly<Record<ClaimState, readonly ClaimState[]>> = {
  open: ['sent'],
  sent: ['accepted', 'rejected'],
  accepted: ['recovered', 'rejected', 'written-off'],
  rejected: ['sent'],
  // Partly recovered, its rest stays open.
  recovered: ['rejected', 'written-off'],
  'written-off': [],
};

export function nextStates(state: ClaimState): readonly ClaimState[] {
  return NEXT[state];
}

export interface ClaimChange {
  /** The same state, to change something else. */
  state: ClaimState;
  reference?: string | null;
  remindOn?: BusinessDate | null;
  recoveredOf?: ReadonlyMap<string, Decimal>;
  /** The total recovered amount by currency: what `recoveredOf` leaves is spread over the other breaks in the order of their ids. */
  recovered?: ReadonlyMap<string, Decimal>;
}

/** Where `fourEyes.claims` is set, none of these is recorded by the person of the event before. */
const OF_A_SECOND_PERSON: readonly ClaimState[] = ['sent', 'recovered', 'written-off'];

interface ClaimReason {
  reason: string;
  actor: Actor;
  at: Instant;
  /** Who recorded the newest event of the claim where two people are needed; null where one is enough. */
  before?: Known | null;
  /** Accounts that made sign-in links of the actor's name. */
  linksMadeBy?: readonly string[];
}

interface PlannedClaim {
  claim: Claim;
  items: readonly ClaimItem[];
  event: ClaimEvent;
}

export interface Claimable {
  breakIds: readonly string[];
  sums: readonly ClaimSum[];
  /** Of breaks that are left out, by the reason. */
  refused: ReadonlyMap<string, number>;
}

/** Where the money of breaks is looked up. */
export interface ClaimRecords {
  /** Every break, in any state, of the records that are to be claimed. */
  records: readonly CurrentBreak[];
  /** Claims by break id. */
  taken: ReadonlyMap<string, string>;
}

const recordName = ({ kind, recordId }: CurrentBreak) => `${kind} ${recordId}`;

/** One answer a record: two breaks of one record have one money. */
function answers(chosen: readonly CurrentBreak[], { records, taken }: ClaimRecords) {
  const byRecord = Map.groupBy(records, recordName);
  const first = new Map<string, string>();
  return chosen.map((each) => {
    const name = recordName(each);
    const earlier = first.get(name);
    if (earlier !== undefined)
      return {
        why: 'its record is in the claim already',
        inFull: `break ${each.breakId.slice(0, 12)} is of ${name}, which break ${earlier.slice(0, 12)} claims already`,
      };
    const answer = claimOf({ chosen: each, record: byRecord.get(name) ?? [each], taken });
    if ('items' in answer) first.set(name, each.breakId);
    return answer;
  });
}

/** What of these breaks a claim can have: one against the Service, or, where nothing else is chosen, one for the host's own revenue. */
export function claimable(breaks: readonly CurrentBreak[], known: ClaimRecords): Claimable {
  const refused = new Map<string, number>();
  const refuse = (why: string) => refused.set(why, (refused.get(why) ?? 0) + 1);
  const found = answers(breaks, known).map((answer, i) => ({ answer, chosen: breaks[i] }));
  const isRevenue = found.every(({ answer, chosen }) => !('items' in answer) || chosen?.kind === 'payout');
  const claimed = found.flatMap(({ answer, chosen }) => {
    if (chosen === undefined) return [];
    if (!('items' in answer)) refuse(answer.why);
    else if ((chosen.kind === 'payout') === isRevenue) return [{ breakId: chosen.breakId, items: answer.items }];
    else refuse('your own revenue is claimed apart, with a letter of its own');
    return [];
  });
  return {
    breakIds: claimed.map(({ breakId }) => breakId),
    sums: claimSums(claimed.flatMap(({ items }) => items)),
    refused,
  };
}

/** @throws UsageError for no break, one whose money is claimed, waived or not proven, or revenue together with records */
export function planClaim(
  breaks: readonly CurrentBreak[],
  known: ClaimRecords,
  { title, reason, actor, at }: { title: string; reason: string; actor: Actor; at: Instant },
): PlannedClaim & { breaks: readonly CurrentBreak[] } {
  if (breaks.length === 0) throw new UsageError('a claim needs at least one break');
  if (new Set(breaks.map(({ kind }) => kind === 'payout')).size > 1)
    throw new UsageError("the host's own revenue is claimed apart, with a letter of its own; open two claims");
  const found = answers(breaks, known).map((answer) => {
    if ('items' in answer) return answer;
    throw new UsageError(answer.inFull);
  });
  const ordered = found.flatMap(({ items }) => items).sort((a, b) => (a.breakId < b.breakId ? -1 : 1));
  const identity = `${at}\n${title}\n${ordered.map(({ breakId }) => breakId).join('\n')}`;
  const claimId = `claim-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`;
  const claim: Claim = {
    claimId,
    title,
    state: 'open',
    reference: null,
    openedAt: at,
    openedBy: actor.name,
    remindOn: null,
    events: 1,
  };
  return {
    claim,
    items: ordered,
    event: { at, state: 'open', ...actor, reason },
    breaks: found.flatMap((each) => each.breaks),
  };
}

/** @throws UsageError */
export function changeClaim(
  claim: Claim,
  items: readonly ClaimItem[],
  change: ClaimChange,
  { reason, actor, at, before = null, linksMadeBy = [] }: ClaimReason,
): PlannedClaim {
  const { state, reference = claim.reference, remindOn = claim.remindOn } = change;
  if (state !== claim.state && !NEXT[claim.state].includes(state))
    throw new UsageError(`${claim.claimId} is ${claim.state}, so it cannot become ${state}`);
  const isSettling = state === 'accepted' || state === 'recovered';
  const [totals, parts] = [change.recovered ?? new Map(), change.recoveredOf ?? new Map()];
  const isMoney = totals.size + parts.size > 0;
  if (isMoney && !isSettling)
    throw new UsageError(`${claim.claimId} would be ${state}; only an accepted claim can recover money`);
  const needsTwo = isMoney || (state !== claim.state && OF_A_SECOND_PERSON.includes(state));
  if (before !== null && needsTwo && !areTwoPeople(before, { ...actor, linksMadeBy })) {
    throw new UsageError(
      `${claim.claimId} needs a second person for this (fourEyes.claims), and ${before.name} recorded its last step`,
    );
  }
  const spread = isMoney ? spreadRecovered(allocated(items, parts), totals, parts) : items;
  const odd = spread.find(({ recovered, currency }) => !inPlacesOf(recovered, currency).equals(recovered));
  if (isMoney && odd !== undefined)
    throw new UsageError(
      `break ${odd.breakId.slice(0, 12)}: ${odd.recovered} ${odd.currency} is no amount that can be paid`,
    );
  return {
    claim: { ...claim, state, reference, remindOn },
    items: spread,
    event: { at, state, ...actor, reason },
  };
}

/** What a person said of single breaks. */
function allocated(items: readonly ClaimItem[], parts: ReadonlyMap<string, Decimal>): readonly ClaimItem[] {
  const other = [...parts.keys()].find((id) => !items.some(({ breakId }) => breakId === id));
  if (other !== undefined) throw new UsageError(`break ${other.slice(0, 12)} is not in the claim`);
  return items.map((item) => {
    const recovered = parts.get(item.breakId) ?? item.recovered;
    if (recovered.greaterThan(item.claimed))
      throw new UsageError(
        `break ${item.breakId.slice(0, 12)}: ${showMoney(recovered, item.currency)} is more than the ${showMoney(item.claimed, item.currency)} claimed for it`,
      );
    return { ...item, recovered };
  });
}

/** Each break gets what it claims, in the order of ids, until the money is spent: what is recovered ties to breaks. */
function spreadRecovered(
  items: readonly ClaimItem[],
  recovered: ReadonlyMap<string, Decimal>,
  parts: ReadonlyMap<string, Decimal>,
): readonly ClaimItem[] {
  const left = new Map(recovered);
  for (const { breakId, currency, recovered: part } of items) {
    const total = left.get(currency);
    if (total === undefined || !parts.has(breakId)) continue;
    if (total.lessThan(part))
      throw new UsageError(
        `the parts of single breaks are more than the ${recovered.get(currency)} ${currency} in all`,
      );
    left.set(currency, total.minus(part));
  }
  for (const currency of left.keys()) {
    if (!items.some((item) => item.currency === currency)) throw new UsageError(`nothing was claimed in ${currency}`);
  }
  const spread = items.map((item) => {
    const rest = left.get(item.currency);
    if (rest === undefined || parts.has(item.breakId)) return item;
    const part = rest.lessThan(item.claimed) ? rest : item.claimed;
    left.set(item.currency, rest.minus(part));
    return { ...item, recovered: part };
  });
  for (const [currency, rest] of left)
    if (rest.isPositive) throw new UsageError(`${rest} ${currency} more than was claimed`);
  return spread;
}

/** What was claimed and given back in one currency. */
export type ClaimSum = Omit<ClaimItem, 'breakId'>;

/** Per currency, in its order; currencies are never added. */
export function claimSums(items: readonly ClaimItem[]): readonly ClaimSum[] {
  const sums = new Map<string, ClaimSum>();
  for (const { currency, claimed, recovered } of items) {
    const sum = sums.get(currency) ?? { currency, claimed: Decimal.ZERO, recovered: Decimal.ZERO };
    sums.set(currency, { currency, claimed: sum.claimed.plus(claimed), recovered: sum.recovered.plus(recovered) });
  }
  return [...sums.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** What the Service still owes of a claim: nothing of one that is rejected or written off. */
export function openOf({ state }: Pick<Claim, 'state'>, { claimed, recovered }: ClaimSum): Decimal {
  return GIVEN_UP_STATES.includes(state) ? Decimal.ZERO : claimed.minus(recovered);
}

/** Nothing more is expected: everything came, or the rest was rejected or written off. */
export function isSettled(claim: Pick<Claim, 'state'>, sums: readonly ClaimSum[]): boolean {
  if (claim.state !== 'recovered') return GIVEN_UP_STATES.includes(claim.state);
  return sums.every((sum) => openOf(claim, sum).isZero);
}

const DAY = 86_400_000;

/** Whole days since it was opened. */
export function ageOfClaim({ openedAt }: Pick<Claim, 'openedAt'>, now: Instant): number {
  return Math.max(0, Math.floor((now - openedAt) / DAY));
}

/** Whether its reminder is due: from its date on, until the claim is settled or the date is another. */
export function isReminderDue(
  { state, remindOn }: Pick<Claim, 'state' | 'remindOn'>,
  sums: readonly ClaimSum[],
  today: BusinessDate,
): boolean {
  return remindOn !== null && remindOn <= today && !isSettled({ state }, sums);
}

/** One line for people: `claim-3f9a1c77ab02 (Card fees) is sent, 21 days old, 4310.00 EUR still open`. */
export function reminderLine(claim: Claim, items: readonly ClaimItem[], now: Instant): string {
  const days = ageOfClaim(claim, now);
  const open = claimSums(items).map((sum) => showMoney(openOf(claim, sum), sum.currency));
  const said = claim.reference === null ? '' : `, reference ${claim.reference}`;
  return `Claim to ask about: ${claim.claimId} (${claim.title}) is ${claim.state}, ${counted(days, 'day')} old${said}; ${open.join(', ')} still open`;
}

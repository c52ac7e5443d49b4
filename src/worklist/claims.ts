/** The life of a claim, and its figures. Pure; refuses what the life of a claim does not allow. */

import { createHash } from 'node:crypto';
import type { Actor } from '../domain/actor.ts';
import { type Claim, type ClaimEvent, type ClaimItem, type ClaimState, SETTLED_STATES } from '../domain/claim.ts';
import { counted } from '../domain/counts.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import type { CurrentBreak } from '../ports/store/store.ts';

const NEXT: Readonly<Record<ClaimState, readonly ClaimState[]>> = {
  open: ['sent'],
  sent: ['accepted', 'rejected'],
  accepted: ['recovered', 'rejected'],
  rejected: ['sent'],
  recovered: [],
};

export function nextStates(state: ClaimState): readonly ClaimState[] {
  return NEXT[state];
}

/** Thrown where a claim's state or its amounts do not allow the change. Exit code 2. */
export class ClaimRefusedError extends UsageError {}

export interface ClaimChange {
  /** The same state, to change something else. */
  state: ClaimState;
  reference?: string | null;
  remindOn?: BusinessDate | null;
  /** The total recovered amount by currency; spread over the breaks in the order of their ids. */
  recovered?: ReadonlyMap<string, Decimal>;
}

interface PlannedClaim {
  claim: Claim;
  items: readonly ClaimItem[];
  event: ClaimEvent;
}

/** Why a break cannot be claimed; null where it can. */
function whyNot(each: CurrentBreak, taken: ReadonlyMap<string, string>): { why: string; inFull: string } | null {
  const other = taken.get(each.breakId);
  const short = each.breakId.slice(0, 12);
  if (other !== undefined)
    return { why: 'it is in another claim already', inFull: `break ${short} is in ${other} already` };
  if (each.leadingBreakId !== null && each.leadingBreakId !== each.breakId) {
    const leading = each.leadingBreakId.slice(0, 12);
    return {
      why: 'its money is on another break of the same record',
      inFull: `the money of break ${short} is on break ${leading} of the same record; claim that one`,
    };
  }
  const { moneyAtStake, recordCurrency } = each;
  if (moneyAtStake === null || recordCurrency === null || moneyAtStake.compare(Decimal.ZERO) === 0)
    return { why: 'no money is at stake', inFull: `break ${short} (${each.rule}) has no money at stake to claim` };
  if (moneyAtStake.greaterThan(Decimal.ZERO)) return null;
  return {
    why: 'what differs is to the Service’s loss, not to the user’s',
    inFull: `what differs in break ${short} (${each.rule}) is to the Service’s loss, so there is nothing to claim from it`,
  };
}

function itemOf({ breakId, moneyAtStake, recordCurrency }: CurrentBreak): ClaimItem[] {
  if (moneyAtStake === null || recordCurrency === null) return [];
  return [{ breakId, currency: recordCurrency, claimed: moneyAtStake, recovered: Decimal.ZERO }];
}

export interface Claimable {
  breakIds: readonly string[];
  sums: readonly ClaimSum[];
  /** Of breaks that are left out, by the reason. */
  refused: ReadonlyMap<string, number>;
}

/** What of these breaks a claim can have. */
export function claimable(breaks: readonly CurrentBreak[], taken: ReadonlyMap<string, string>): Claimable {
  const refused = new Map<string, number>();
  const items = breaks.flatMap((each) => {
    const reason = whyNot(each, taken)?.why;
    if (reason === undefined) return itemOf(each);
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
    return [];
  });
  return { breakIds: items.map(({ breakId }) => breakId), sums: claimSums(items), refused };
}

/** @throws ClaimRefusedError for no break, one without money, or one that is in another claim */
export function planClaim(
  breaks: readonly CurrentBreak[],
  taken: ReadonlyMap<string, string>,
  { title, reason, actor, at }: { title: string; reason: string; actor: Actor; at: Instant },
): PlannedClaim {
  if (breaks.length === 0) throw new ClaimRefusedError('a claim needs at least one break');
  const items = breaks.flatMap((each) => {
    const refused = whyNot(each, taken);
    if (refused !== null) throw new ClaimRefusedError(refused.inFull);
    return itemOf(each);
  });
  const ordered = items.sort((a, b) => (a.breakId < b.breakId ? -1 : 1));
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
  return { claim, items: ordered, event: { at, state: 'open', ...actor, reason } };
}

/** @throws ClaimRefusedError */
export function changeClaim(
  claim: Claim,
  items: readonly ClaimItem[],
  change: ClaimChange,
  { reason, actor, at }: { reason: string; actor: Actor; at: Instant },
): PlannedClaim {
  const { state, reference = claim.reference, remindOn = claim.remindOn } = change;
  if (state !== claim.state && !NEXT[claim.state].includes(state)) {
    throw new ClaimRefusedError(`${claim.claimId} is ${claim.state}, so it cannot become ${state}`);
  }
  const isSettling = state === 'accepted' || state === 'recovered';
  if (change.recovered !== undefined && change.recovered.size > 0 && !isSettling) {
    throw new ClaimRefusedError(`${claim.claimId} would be ${state}; money is recovered of an accepted claim`);
  }
  const spread = change.recovered === undefined ? items : spreadRecovered(items, change.recovered);
  return {
    claim: { ...claim, state, reference, remindOn },
    items: spread,
    event: { at, state, ...actor, reason },
  };
}

/** Each break gets what it claims, in the order of ids, until the money is spent: what is recovered ties to breaks. */
function spreadRecovered(items: readonly ClaimItem[], recovered: ReadonlyMap<string, Decimal>): ClaimItem[] {
  const left = new Map(recovered);
  for (const currency of left.keys()) {
    if (!items.some((item) => item.currency === currency))
      throw new ClaimRefusedError(`nothing was claimed in ${currency}`);
  }
  const spread = items.map((item) => {
    const rest = left.get(item.currency);
    if (rest === undefined) return item;
    const part = rest.lessThan(item.claimed) ? rest : item.claimed;
    left.set(item.currency, rest.minus(part));
    return { ...item, recovered: part };
  });
  for (const [currency, rest] of left) {
    if (rest.greaterThan(Decimal.ZERO)) throw new ClaimRefusedError(`${rest} ${currency} more than was claimed`);
  }
  return spread;
}

export interface ClaimSum {
  currency: string;
  claimed: Decimal;
  recovered: Decimal;
}

/** Per currency, in its order; currencies are never added. */
export function claimSums(items: readonly ClaimItem[]): readonly ClaimSum[] {
  const sums = new Map<string, ClaimSum>();
  for (const { currency, claimed, recovered } of items) {
    const sum = sums.get(currency) ?? { currency, claimed: Decimal.ZERO, recovered: Decimal.ZERO };
    sums.set(currency, { currency, claimed: sum.claimed.plus(claimed), recovered: sum.recovered.plus(recovered) });
  }
  return [...sums.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

export function isSettled({ state }: Pick<Claim, 'state'>): boolean {
  return SETTLED_STATES.includes(state);
}

const DAY = 86_400_000;

/** Whole days since it was opened. */
export function ageOfClaim({ openedAt }: Pick<Claim, 'openedAt'>, now: Instant): number {
  return Math.max(0, Math.floor((now - openedAt) / DAY));
}

/** Whether its reminder is due: from its date on, until the claim is settled or the date is another. */
export function isReminderDue({ state, remindOn }: Pick<Claim, 'state' | 'remindOn'>, today: BusinessDate): boolean {
  return remindOn !== null && remindOn <= today && !isSettled({ state });
}

/** One line for people: `claim-3f9a1c77ab02 (Card fees) is sent, 21 days old, 4310.00 EUR still open`. */
export function reminderLine(claim: Claim, items: readonly ClaimItem[], now: Instant): string {
  const days = ageOfClaim(claim, now);
  const open = claimSums(items).map(({ claimed, recovered, currency }) =>
    showMoney(claimed.minus(recovered), currency),
  );
  const said = claim.reference === null ? '' : `, reference ${claim.reference}`;
  return `Claim to ask about: ${claim.claimId} (${claim.title}) is ${claim.state}, ${counted(days, 'day')} old${said}; ${open.join(', ')} still open`;
}

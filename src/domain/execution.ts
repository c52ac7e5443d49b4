/**
 * When the price of a record was fixed: a purchase's when its payment arrived, a sale's when its transfer was confirmed. Where a body
 * (`actions[]`) or a webhook says when the payment arrived, and the order had not ended before, that is the moment; else it is a window,
 * from the creation to the first evidence that money moved. Before it, a purchase's tokens and rates, and a sale's fiat and rates, are
 * estimates. Pure.
 */
import { BANK_TRANSFERS, EXECUTED_BY_BANK, PRICED } from '../service/profile.ts';
import type { Case, ExecutionWindow, NotExecuted } from './case.ts';
import type { Instant } from './record.ts';
import { saysPaid, saysReleased } from './released.ts';
import type { RecordState, Snapshot } from './snapshot.ts';

/** Whether the price of a body is fixed. Of a sale without a status it is, unless an event brought the body: that is of its creation. */
export function isExecuted({ state, evidence }: Snapshot): boolean {
  const { kind, status, payoutStatus, paymentMethod } = state;
  if (status === null) return kind === 'sale' && evidence.origin === 'fetch';
  if (status === EXECUTED_BY_BANK && BANK_TRANSFERS.has(paymentMethod ?? '')) return false;
  // A sale may still say CREATED when its payout has begun.
  return PRICED.has(status) || (payoutStatus !== undefined && PRICED.has(payoutStatus));
}

type Observed = Pick<Case, 'observation' | 'history' | 'tracked'>;

/**
 * A sale without a status never says that its tokens arrived. Where its payout has moved since a body, and no release was announced before
 * that body, the payout was an estimate then.
 */
export function wasEstimate(body: Snapshot, { observation, tracked }: Observed): boolean {
  const { kind, status, fiatValue } = body.state;
  if (kind !== 'sale' || status !== null || observation.outcome !== 'verified') return false;
  return !fiatValue.equals(observation.snapshot.state.fiatValue) && !isAnnounced(body, { tracked });
}

/** Whether a release had been announced when a body came, or came with it. */
export function isAnnounced({ evidence }: Snapshot, { tracked }: Pick<Case, 'tracked'>): boolean {
  return tracked.webhookEvents.some(({ type, at }) => saysReleased(type) && at <= evidence.receivedAt);
}

/** By the body, or by the event that announced its release. */
export function isSaidFixed(body: Snapshot, observed: Pick<Case, 'tracked'>): boolean {
  return isExecuted(body) || (body.state.status === null && isAnnounced(body, observed));
}

/** The earliest body whose price was fixed; null before tonight where there is none. */
export function firstExecuted(observed: Observed): Snapshot | null {
  const { first, firstExecuted: next, firstTerminal } = observed.history;
  const isFixed = (body: Snapshot | null | undefined) =>
    body != null && isSaidFixed(body, observed) && !wasEstimate(body, observed);
  return [first, next, firstTerminal].find(isFixed) ?? null;
}

export function executionOf(observed: Observed): ExecutionWindow | NotExecuted {
  const { observation, tracked } = observed;
  if (observation.outcome !== 'verified' || !isExecuted(observation.snapshot)) return 'not executed yet';
  const { state } = observation.snapshot;
  const from = state.createdAt;
  if (from === null) return 'no creation time';
  const first = firstExecuted(observed);
  const { first: seen } = observed.history;
  const unpaid = seen === null || isExecuted(seen) ? null : seen;
  let to = evidentSince(observation.snapshot, unpaid);
  if (first !== null) to = Math.min(to, evidentSince(first, unpaid));
  for (const { type, at } of tracked.webhookEvents) if (saysReleased(type)) to = Math.min(to, at);
  if (to < from) return 'its moments are in the wrong order';
  const paid = state.paidAt ?? tracked.webhookEvents.find(({ type }) => saysPaid(type))?.at ?? null;
  if (paid === null) return { from, to };
  if (paid < from || paid > to) return 'its moments are in the wrong order';
  // A payment after the end is processed by hand (field facts): at the price at which the order ended, or at a later one.
  const { endTime } = state;
  return endTime !== null && endTime >= from && endTime < paid ? { from: endTime, to } : { from: paid, to: paid };
}

/** An order is not paid and delivered so soon, in milliseconds. */
const AT_ONCE = 1000;

/** Null where the body has no date of its last change, or that of its creation: some write it once, and it moves with nothing. */
export function lastChange({ createdAt, updatedAt }: RecordState): Instant | null {
  if (updatedAt === null || createdAt === null) return updatedAt;
  return Math.abs(updatedAt - createdAt) <= AT_ONCE ? null : updatedAt;
}

/** A body says when it was last changed; what it says was so then. The date of a record that was seen unpaid after it says nothing of this. */
function evidentSince({ state, evidence }: Snapshot, unpaid: Snapshot | null): Instant {
  const changed = lastChange(state);
  const isDenied = changed !== null && unpaid !== null && changed < unpaid.evidence.receivedAt;
  return changed === null || isDenied ? evidence.receivedAt : Math.min(changed, evidence.receivedAt);
}

/** The figures that are estimates until the execution. */
export function isEstimated(state: RecordState, field: string): boolean {
  return field === (state.kind === 'purchase' ? 'crypto_amount' : 'fiat_value');
}

/**
 * Whether a record's money has moved: from its status, the signs of a payment, and the time. Only then can anybody have lost money. Pure.
 * A status that is neither in the profile of the Service nor in the settings (`statuses`, `moneyMoved`) leaves it unknown.
 */
import { MONEY_BY_STATUS, PAYOUT_BEGUN, REFUND_WORKING_DAYS, RETURNED } from '../service/profile.ts';
import type { History, JudgingTerms, Observation, TrackedFacts } from './case.ts';
import type { Instant, Kind, RecordPosition } from './record.ts';
import { hasReleased, saysReleased } from './released.ts';
import type { RecordState } from './snapshot.ts';
import type { MoneyMoved, StatusModel } from './status.ts';
import { workingDaysAfter } from './working-days.ts';

/** By the settings, else by the table; of a sale any other status of the model is one on the way. */
function meaningOf(model: StatusModel, kind: Kind, status: string): MoneyMoved {
  const own = model[kind].get(status);
  const other = kind === 'sale' && own?.terminal === false ? 'pending' : 'unknown';
  return own?.moneyMoved ?? MONEY_BY_STATUS[kind].get(status)?.moved ?? other;
}

type Known = Pick<RecordPosition, 'kind'> & { tracked: TrackedFacts; history: History; observation: Observation };

interface Step {
  status: string;
  at: Instant;
}

/** What is owed back: a purchase that was paid, or a sale whose tokens were sent, and that ended without a release. */
export interface Refund {
  state: RecordState;
  /** The sign of the payment: `PAYMENT_EXECUTED seen on 2026-10-02`, as a status and its time. */
  paid: { sign: string; at: Instant | null };
  endedAt: Instant;
  dueAt: Instant;
}

type Terms = Pick<JudgingTerms, 'statuses' | 'timezone'>;

/** Null where nothing was paid, it was released, its end is not known, or a return was seen. */
export function refundOf(
  { tracked, history, observation }: Known,
  { statuses: model, timezone }: Terms,
): Refund | null {
  if (observation.outcome !== 'verified') return null;
  const { state } = observation.snapshot;
  if (tracked.webhookEvents.some(({ type }) => saysReleased(type))) return null;
  const paid = paidWithoutRelease(state, stepsOf(tracked, history), model);
  const endedAt = endOf(state, history.statusSince);
  return paid === null || endedAt === null ? null : { state, paid, endedAt, dueAt: refundDueAt(endedAt, timezone) };
}

/** Until then a refund may be on its way. */
export function refundDueAt(endedAt: Instant, timezone: string): Instant {
  return workingDaysAfter(endedAt, REFUND_WORKING_DAYS, timezone);
}

/**
 * The sign that a record was paid which ended without a release; null where there is none, it has not ended so, or a return was seen.
 * @param steps what it is known to have gone through
 */
export function paidWithoutRelease(
  state: RecordState,
  steps: readonly Step[],
  model: StatusModel,
): Refund['paid'] | null {
  const { kind, status, finalTxHash, returnedAt, releasedAt } = state;
  if (status === null || hasReleased(state) || RETURNED.has(status)) return null;
  const isEnd = model[kind].get(status)?.terminal === true || (kind === 'sale' && status === 'failed');
  if (!isEnd || (kind === 'purchase' && finalTxHash !== null)) return null;
  if (steps.some((step) => RETURNED.has(step.status)) || returnedAt !== undefined || releasedAt !== undefined)
    return null;
  return signOfPayment(state, steps, model);
}

/** The earliest moment that is known: it may have been looked at late, or been touched since. */
export function endOf({ updatedAt }: RecordState, since: Instant | null): Instant | null {
  return since !== null && updatedAt !== null ? Math.min(since, updatedAt) : (since ?? updatedAt);
}

/** What a record is known to have gone through, by the nights that saw it and by webhooks, oldest first. */
function stepsOf({ webhookEvents }: TrackedFacts, { passed = [] }: History): readonly Step[] {
  const announced = webhookEvents.map(({ type, at }) => ({ status: type, at }));
  return [...passed, ...announced].sort((a, b) => a.at - b.at);
}

function signOfPayment(state: RecordState, steps: readonly Step[], model: StatusModel): Refund['paid'] | null {
  const { kind } = state;
  if (kind === 'sale' && state.finalTxHash !== null) return { sign: `transaction ${state.finalTxHash}`, at: null };
  if (kind === 'sale' && state.cryptoStatus === 'completed')
    return { sign: 'its `crypto.status` is completed', at: null };
  if (kind === 'purchase' && state.paidAt !== undefined)
    return { sign: 'by its own list of moments', at: state.paidAt };
  const shows = (status: string) =>
    kind === 'purchase' ? meaningOf(model, kind, status) === 'pending' : PAYOUT_BEGUN.has(status);
  const seen = steps.find(({ status }) => shows(status));
  return seen === undefined ? null : { sign: seen.status, at: seen.at };
}

/**
 * What has moved of a record as it is known: by its body, else by the status that was last read. A payment that was not given back in
 * time counts as lost.
 */
export function moneyMoved(known: Known, terms: Terms & Pick<JudgingTerms, 'asOf'>): MoneyMoved {
  const { statuses: model, asOf } = terms;
  const { kind, observation, history } = known;
  if (observation.outcome !== 'verified') {
    const status = history.lastVerified?.status ?? null;
    return status === null ? 'unknown' : meaningOf(model, kind, status);
  }
  const { status, finalTxHash } = observation.snapshot.state;
  // The specification's sale has no status at all (§2.8): it is a record of what was paid out.
  if (status === null) return kind === 'sale' ? 'yes' : 'unknown';
  const moved = meaningOf(model, kind, status);
  if (moved === 'yes' || moved === 'pending') return moved;
  const refund = refundOf(known, terms);
  if (refund !== null) return asOf > refund.dueAt ? 'yes' : 'pending';
  if (moved === 'unknown') return moved;
  const isEnd = kind === 'purchase' && model.purchase.get(status)?.terminal === true;
  return isEnd && finalTxHash !== null ? 'yes' : 'no';
}

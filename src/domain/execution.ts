/**
 * When the price of a record was fixed: a purchase's when its payment arrived, a sale's when its transfer was confirmed. Where a body
 * (`actions[]`) or a webhook says when the payment arrived, that is the moment; else it is a window, from the creation to the first
 * evidence that money moved. Before it, a purchase's tokens and rates, and a
 * sale's fiat and rates, are estimates. Pure.
 */
import type { Case, History } from './case.ts';
import type { Instant } from './record.ts';
import { saysPaid, saysReleased, saysReleasing } from './released.ts';
import type { RecordState, Snapshot } from './snapshot.ts';

/** Both ends included. */
export interface ExecutionWindow {
  from: Instant;
  to: Instant;
}

type NotExecuted = 'not executed yet' | 'no creation time' | 'its moments are in the wrong order';

/** Whether the price of a body is fixed. Of a sale without a status it is, unless an event brought the body: that is of its creation. */
export function isExecuted({ state: { kind, status }, evidence }: Snapshot): boolean {
  if (status === null) return kind === 'sale' && evidence.origin === 'fetch';
  return saysReleased(status) || saysReleasing(status) || status === 'FIAT_RECEIVED';
}

/** The earliest body whose price was fixed; null before tonight where there is none. */
export function firstExecuted({ first, firstTerminal }: History): Snapshot | null {
  return [first, firstTerminal].find((each) => each !== null && isExecuted(each)) ?? null;
}

export function executionOf({
  observation,
  history,
  tracked,
}: Pick<Case, 'observation' | 'history' | 'tracked'>): ExecutionWindow | NotExecuted {
  if (observation.outcome !== 'verified' || !isExecuted(observation.snapshot)) return 'not executed yet';
  const { state } = observation.snapshot;
  const from = state.createdAt;
  if (from === null) return 'no creation time';
  const bodies = [observation.snapshot, firstExecuted(history)].filter((each) => each !== null);
  const announced = (says: (type: string) => boolean) =>
    tracked.webhookEvents.filter(({ type }) => says(type)).map((event) => event.at);
  const to = Math.min(...bodies.map(evidentSince), ...announced(saysReleased));
  if (to < from) return 'its moments are in the wrong order';
  const paid = state.paidAt ?? announced(saysPaid)[0] ?? null;
  if (paid === null) return { from, to };
  return paid < from || paid > to ? 'its moments are in the wrong order' : { from: paid, to: paid };
}

/** A body says when it was last changed; what it says was so then. */
function evidentSince({ state, evidence }: Snapshot): Instant {
  return Math.min(state.updatedAt ?? evidence.receivedAt, evidence.receivedAt);
}

/** The figures that are estimates until the execution. */
export function isEstimated(state: RecordState, field: string): boolean {
  return field === (state.kind === 'purchase' ? 'crypto_amount' : 'fiat_value');
}

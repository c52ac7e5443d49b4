/** The host share of a month: the steps from the shares of all its records to the booked and the expected one. */
import { type BridgeRecord, type HostBridge, HostBridgeTally, printedBridge } from '../books/host-bridge.ts';
import type { BookedFees } from '../books/journal/entries.ts';
import { knownShares } from '../books/known-records.ts';
import { earnedShare, type HostShare, linkedOf } from '../domain/host-share.ts';
import type { Instant } from '../domain/record.ts';
import { bookedIn, type Sign } from '../domain/record-months.ts';
import { hasReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { isTerminal, type StatusModel } from '../domain/status.ts';
import { earlierOf } from '../periods/figures.ts';
import { recordsOfSet } from '../periods/sealed-states.ts';
import type { PeriodStatus } from '../periods/status.ts';
import type { MonthSet } from '../ports/store/periods.ts';
import { thawTerms } from '../rules/terms.ts';
import type { App } from './app.ts';
import { periodEdges } from './periods.ts';

export { type HostBridge, printedBridge };

/** Of an open month as it is known today, of a closed one as it was sealed. */
export async function hostShareOf(app: App, status: PeriodStatus): Promise<readonly HostBridge[]> {
  if (status.state !== 'open') {
    const statements = await app.store.periods.statements(status.period);
    const close = statements.find(({ type, state }) => type === 'close' && state === 'sealed');
    return close === undefined ? [] : hostShareOfSet(app, close);
  }
  const { statuses, books } = app.settings;
  const tally = new HostBridgeTally();
  const { from, to } = status.range;
  const isIn = (at: Instant) => at >= from && at < to;
  const scope = books.revenueMonth === 'released' ? {} : { createdFrom: from, createdTo: to };
  for await (const { state, share, bookings, countedAt } of knownShares(app, scope)) {
    const booked = bookings.flatMap(({ at, sign }) => (isIn(at) ? [sign] : []));
    if (isIn(countedAt) || booked.length > 0) tally.add(bookedRecord(state, share, booked, statuses, isIn(countedAt)));
  }
  return tally.rows();
}

export async function hostShareOfSet(app: App, close: MonthSet): Promise<readonly HostBridge[]> {
  const tally = new HostBridgeTally();
  for await (const each of sealedShares(app, [close])) tally.add(each);
  return tally.rows();
}

/**
 * The records of a sealed month, and those of earlier months that the close or the newest delta has. By the terms that the close froze:
 * equal closes have equal shares, independent of today's settings.
 */
export async function* sealedShares(
  app: App,
  statements: readonly MonthSet[],
): AsyncGenerator<BridgeRecord & BookedFees> {
  const [close] = statements;
  if (close === undefined) return;
  const terms = thawTerms(close.terms);
  const earlier = earlierOf(statements.at(-1) ?? close);
  for await (const page of recordsOfSet(periodEdges(app), statements)) {
    for (const { state, quote, revenue } of page) {
      if (state === null) continue;
      const share = earnedShare(state, revenue, linkedOf(quote), terms);
      yield bookedRecord(state, share, bookedIn(close.period, revenue, earlier !== null), terms.statuses, true);
    }
  }
  for (const { sign, source, share: amount, ...record } of earlier ?? []) {
    const share = amount === null || source === null ? null : { source, amount };
    yield { ...record, share, isOwn: false, isReleased: sign === 1, isUnderWay: false, booked: [sign] };
  }
}

function bookedRecord(
  state: RecordState,
  share: HostShare | null,
  booked: readonly Sign[],
  statuses: StatusModel,
  isOwn: boolean,
): BridgeRecord & BookedFees {
  const isReleased = hasReleased(state);
  const isUnderWay = !isReleased && !isTerminal(statuses, state.kind, state.status);
  return { ...state, share, isOwn, isReleased, isUnderWay, booked };
}

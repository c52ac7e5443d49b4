/** The host share of a month: the steps from the shares of all its records to the booked and the expected one. */
import { type BridgeRecord, type HostBridge, HostBridgeTally } from '../books/host-bridge.ts';
import { knownRecords } from '../books/known-records.ts';
import { businessMonths } from '../domain/calendar.ts';
import { earnedShare, linkedOf } from '../domain/host-share.ts';
import { bookedIn, bookingsOf } from '../domain/record-months.ts';
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

export { type HostBridge, type KnownBridge, knownAmounts } from '../books/host-bridge.ts';

/** Of an open month as it is known today, of a closed one as it was sealed. */
export async function hostShareOf(app: App, status: PeriodStatus): Promise<readonly HostBridge[]> {
  const { periods, tracked } = app.store;
  if (status.state !== 'open') {
    const statements = await periods.statements(status.period);
    const close = statements.find(({ type, state }) => type === 'close' && state === 'sealed');
    return close === undefined ? [] : hostShareOfSet(app, close);
  }
  const { statuses, books, timezone } = app.settings;
  const tally = new HostBridgeTally();
  const { from, to, period } = status.range;
  const byRelease = books.revenueMonth === 'released';
  const monthOf = businessMonths(timezone);
  const all = { kind: null, createdFrom: byRelease ? null : from, createdTo: to, quotes: true };
  for await (const known of knownRecords(tracked, all)) {
    const { state, linked, earned } = known;
    if (state === null) continue;
    const booked = bookingsOf(known, byRelease).filter(({ at }) => monthOf(at) === period);
    const isOwn = known.countedAt >= from;
    const share = earnedShare(state, earned, linked, app.terms);
    const signs = isOwn || byRelease ? booked.map(({ sign }) => sign) : [];
    tally.add(bridgeRecord(state, share, isOwn, signs, statuses));
  }
  return tally.rows();
}

/** By the terms that the close froze: equal closes have equal shares, independent of today's settings. */
export async function hostShareOfSet(app: App, close: MonthSet): Promise<readonly HostBridge[]> {
  const tally = new HostBridgeTally();
  const earlier = earlierOf(close);
  const terms = thawTerms(close.terms);
  for await (const page of recordsOfSet(periodEdges(app), [close])) {
    for (const { state, quote, revenue } of page) {
      if (state === null) continue;
      const booked = bookedIn(close.period, revenue, earlier !== null);
      const share = earnedShare(state, revenue, linkedOf(quote), terms);
      tally.add(bridgeRecord(state, share, true, booked, terms.statuses));
    }
  }
  for (const { kind, recordId, fiatCurrency: currency, share, source, sign } of earlier ?? []) {
    const known = share === null || source === null ? null : { basis: source, amount: share };
    const isReleased = sign === 1;
    tally.add({ kind, recordId, currency, share: known, isOwn: false, isReleased, isUnderWay: false, booked: [sign] });
  }
  return tally.rows();
}

function bridgeRecord(
  state: RecordState,
  share: BridgeRecord['share'],
  isOwn: boolean,
  booked: BridgeRecord['booked'],
  statuses: StatusModel,
): BridgeRecord {
  const { kind, recordId, fiatCurrency: currency, status } = state;
  const isReleased = hasReleased(state);
  const isUnderWay = !isReleased && !isTerminal(statuses, kind, status);
  return { kind, recordId, currency, share, isOwn, isReleased, isUnderWay, booked };
}

/** The host share of a month: the steps from the shares of all its records to the booked and the expected one. */
import { type BridgeRecord, type HostBridge, HostBridgeTally } from '../books/host-bridge.ts';
import { knownRecords } from '../books/known-records.ts';
import { businessMonths } from '../domain/calendar.ts';
import type { RevenueMonths } from '../domain/earned.ts';
import { earnedShare, linkedOf } from '../domain/host-share.ts';
import { bookedIn } from '../domain/record-months.ts';
import { hasReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { isTerminal, type StatusModel } from '../domain/status.ts';
import type { Tolerances } from '../domain/tolerance.ts';
import { earlierOf } from '../periods/figures.ts';
import { recordsOfSet } from '../periods/sealed-states.ts';
import type { PeriodStatus } from '../periods/status.ts';
import type { MonthSet } from '../ports/store/periods.ts';
import type { KnownRecord } from '../ports/store/store.ts';
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
  const { tolerances, statuses, books, timezone } = app.settings;
  const tally = new HostBridgeTally();
  const { from, to, period } = status.range;
  const byRelease = books.revenueMonth === 'released';
  const monthOf = businessMonths(timezone);
  const all = { kind: null, createdFrom: byRelease ? null : from, createdTo: to, quotes: true };
  for await (const { state, linked, earned, countedAt } of knownRecords(tracked, all)) {
    if (state === null) continue;
    const taken = earned?.takenBackAt ?? null;
    const revenue =
      earned === null
        ? null
        : { month: monthOf(earned.at), takenBackMonth: taken === null ? null : monthOf(taken), share: earned.share };
    const isOwn = countedAt >= from;
    tally.add(bridgeRecord({ state, revenue, linked, isOwn }, { period, byRelease, tolerances, statuses }));
  }
  return tally.rows();
}

/** By the terms that the close froze: equal closes have equal shares, independent of today's settings. */
export async function hostShareOfSet(app: App, close: MonthSet): Promise<readonly HostBridge[]> {
  const tally = new HostBridgeTally();
  const earlier = earlierOf(close);
  const { tolerances, statuses } = thawTerms(close.terms);
  const terms = { period: close.period, byRelease: earlier !== null, tolerances, statuses };
  for await (const page of recordsOfSet(periodEdges(app), [close])) {
    for (const { state, quote, revenue } of page)
      if (state !== null) tally.add(bridgeRecord({ state, revenue, linked: linkedOf(quote), isOwn: true }, terms));
  }
  for (const { kind, fiatCurrency: currency, share, source, sign } of earlier ?? []) {
    const known = share === null || source === null ? null : { basis: source, amount: share };
    const isReleased = sign === 1;
    tally.add({ kind, currency, share: known, isOwn: false, isReleased, isUnderWay: false, booked: [sign] });
  }
  return tally.rows();
}

interface Terms {
  period: string;
  byRelease: boolean;
  tolerances: Tolerances;
  statuses: StatusModel;
}

type Known = Pick<KnownRecord, 'linked'> & { state: RecordState; revenue: RevenueMonths | null; isOwn: boolean };

function bridgeRecord({ state, revenue, linked, isOwn }: Known, terms: Terms): BridgeRecord {
  const { kind, fiatCurrency: currency, status } = state;
  const booked = isOwn || terms.byRelease ? bookedIn(terms.period, { state, revenue }, terms.byRelease) : [];
  return {
    kind,
    currency,
    share: earnedShare({ state, revenue, linked }, terms.tolerances),
    isOwn,
    isReleased: hasReleased(state),
    isUnderWay: !hasReleased(state) && !isTerminal(terms.statuses, kind, status),
    booked,
  };
}

/** The host share of a month: the steps from the shares of all its records to the booked and the expected one. */
import { type HostBridge, HostBridgeTally } from '../books/host-bridge.ts';
import { knownRecords } from '../books/known-records.ts';
import { linkedOf } from '../domain/host-share.ts';
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
  const tally = new HostBridgeTally(app.settings.tolerances);
  const { from, to } = status.range;
  const created = { kind: null, createdFrom: from, createdTo: to, quotes: true };
  for await (const { state, linked } of knownRecords(tracked, created)) if (state !== null) tally.add(state, linked);
  return tally.rows();
}

/** By the tolerances that the close froze: equal closes have equal shares, independent of today's settings. */
export async function hostShareOfSet(app: App, close: MonthSet): Promise<readonly HostBridge[]> {
  const tally = new HostBridgeTally(thawTerms(close.terms).tolerances);
  for await (const page of recordsOfSet(periodEdges(app), [close])) {
    for (const { state, quote } of page) {
      if (state !== null) tally.add(state, linkedOf(quote));
    }
  }
  return tally.rows();
}

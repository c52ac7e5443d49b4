/**
 * What a month earned of records that belong to others: created before it and released in it, or taken back in it. The host's date of a
 * creation may also lie after the release, and in a later month.
 */
import { businessMonths } from '../domain/calendar.ts';
import { earnedShare, linkedOf } from '../domain/host-share.ts';
import { bookedIn, recordMonths } from '../domain/record-months.ts';
import type { EarlierShare } from '../ports/period.ts';
import type { MonthSetRecord, PeriodBasis } from '../ports/store/periods.ts';
import type { RunBook, ThawedRun } from '../reconcile/run-book.ts';
import type { MonthStore } from './edges.ts';
import { earlierOf } from './figures.ts';
import type { PeriodRange } from './month.ts';
import { periodPage } from './pages.ts';
import { type PeriodRecord, periodRecords } from './standing.ts';

/** As of a basis. A record that was released in the month was read after its beginning: the others are not looked at. */
export async function earlierShares(
  store: MonthStore,
  book: RunBook,
  { period, from, to, last }: PeriodRange,
  basis: PeriodBasis,
  timezone: string,
): Promise<readonly EarlierShare[]> {
  const monthOf = businessMonths(timezone);
  // What was created in those is booked there, whenever it is released.
  const byCreation = new Set(
    (await store.periods.list()).flatMap((each) => (earlierOf(each) === null ? each.period : [])),
  );
  const earlier = { from: 0, to: from, verifiedSince: from };
  const later = { from: to, to: Number.MAX_SAFE_INTEGER, verifiedSince: from, bodyBefore: to };
  const facts = { runId: `period-${period}`, businessDate: last, timezone };
  const found: EarlierShare[] = [];
  for (const range of [earlier, later])
    for await (const page of periodRecords(store, book, range, basis)) await add(page);
  return found;

  async function add(page: readonly PeriodRecord[]): Promise<void> {
    const own: { record: MonthSetRecord; terms: ThawedRun['terms'] }[] = [];
    for (const { record, verified, state } of page) {
      if (verified === null || state === null) continue;
      const { run, terms } = await book.of(verified.runKey);
      const { businessMonth, revenue } = recordMonths(verified.stored, run.asOf, monthOf);
      if (businessMonth !== null && byCreation.has(businessMonth)) continue;
      if (bookedIn(period, revenue, true).length > 0) own.push({ record, terms });
    }
    const records = own.map(({ record }) => record);
    for (const [i, { settled }] of (await periodPage(store, book, facts, basis, records)).entries()) {
      const { state, revenue, quote } = settled;
      const terms = own[i]?.terms;
      if (state === null || terms === undefined) continue;
      const { kind, recordId, fiatCurrency, appliedFee, baseFee, networkFee } = state;
      // Of one that came back, its linked quote may still be all that states a share.
      const { source, amount: share } = earnedShare(state, revenue, linkedOf(quote), terms) ?? UNKNOWN;
      for (const sign of bookedIn(period, revenue, true))
        found.push({ kind, recordId, fiatCurrency, sign, share, source, appliedFee, baseFee, networkFee });
    }
  }
}

const UNKNOWN = { source: null, amount: null };

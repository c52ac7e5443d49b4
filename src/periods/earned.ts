/** What a month earned of records that belong to earlier ones: created before it and released in it, or taken back in it. */
import { businessMonths } from '../domain/calendar.ts';
import { bookedIn, recordMonths } from '../domain/record-months.ts';
import type { EarlierShare } from '../ports/period.ts';
import type { PeriodBasis } from '../ports/store/periods.ts';
import type { RunBook } from '../reconcile/run-book.ts';
import type { MonthStore } from './edges.ts';
import type { PeriodRange } from './month.ts';
import { periodPage } from './pages.ts';
import { type PeriodRecord, periodRecords } from './standing.ts';

/** As of a basis. A record that was released in the month was read after its beginning: the others are not looked at. */
export async function earlierShares(
  store: MonthStore,
  book: RunBook,
  { period, from, last }: PeriodRange,
  basis: PeriodBasis,
  timezone: string,
): Promise<readonly EarlierShare[]> {
  const monthOf = businessMonths(timezone);
  const facts = { runId: `period-${period}`, businessDate: last, timezone };
  const found: EarlierShare[] = [];
  for await (const page of periodRecords(store, book, { from: 0, to: from, verifiedSince: from }, basis)) {
    const own: PeriodRecord[] = [];
    for (const each of page) if (await isBooked(each)) own.push(each);
    const records = own.map(({ record }) => record);
    for (const { settled } of await periodPage(store, book, facts, basis, records)) {
      const { state, revenue, share } = settled;
      if (state === null) continue;
      const { kind, recordId, fiatCurrency, appliedFee, baseFee, networkFee } = state;
      const source = share?.source ?? (revenue?.share == null ? null : 'record');
      const amount = share?.amount ?? revenue?.share ?? null;
      for (const sign of bookedIn(period, revenue, true))
        found.push({ kind, recordId, fiatCurrency, sign, share: amount, source, appliedFee, baseFee, networkFee });
    }
  }
  return found;

  async function isBooked({ verified, state }: PeriodRecord): Promise<boolean> {
    if (verified === null || state === null) return false;
    const { run } = await book.of(verified.runKey);
    const { revenue } = recordMonths(verified.stored, run.asOf, monthOf);
    return bookedIn(period, revenue, true).length > 0;
  }
}

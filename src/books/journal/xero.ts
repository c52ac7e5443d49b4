/**
 * Xero's manual journal import (help.xero.com, "Enter multiple manual journals using an import template"): dates as dd/mm/yyyy,
 * account codes, the name of a tax rate as the organisation has it, one signed amount with debits positive, at most 300 lines a
 * file. Lines with one narration and one date are one journal. A manual journal is in the organisation's currency: one currency
 * a file.
 */
import { stringify } from 'csv-stringify/sync';
import { inMinorUnits } from '../../domain/currency.ts';
import type { JournalEntry } from './entries.ts';
import { dateAs, type Layout } from './layout.ts';

const HEADER =
  '*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2'.split(
    ',',
  );

const MOST_LINES = 300;

export const xero: Layout = {
  extension: 'csv',
  split: (entries) => [...Map.groupBy(entries, ({ currency }) => currency).values()].flatMap(inPortions),
  write: ({ entries, chart, settings }) =>
    stringify([
      HEADER,
      ...entries.flatMap(({ key, date, currency, postings }) =>
        postings.map(({ role, debit, credit, memo }) => [
          key,
          dateAs('DD/MM/YYYY', date),
          memo,
          chart[role],
          settings.xero.taxRate,
          inMinorUnits(debit ?? credit?.negated() ?? null, currency),
          ...['', '', '', ''],
        ]),
      ),
    ]),
};

/** No entry is cut in two: each file has to balance. */
function inPortions(entries: readonly JournalEntry[]): readonly (readonly JournalEntry[])[] {
  const portions: JournalEntry[][] = [];
  let lines = MOST_LINES;
  for (const entry of entries) {
    lines += entry.postings.length;
    if (lines > MOST_LINES) {
      portions.push([]);
      lines = entry.postings.length;
    }
    portions.at(-1)?.push(entry);
  }
  return portions;
}

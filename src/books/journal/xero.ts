/**
 * Xero's manual journal import (help.xero.com, "Enter multiple manual journals using an import template"): dates as dd/mm/yyyy,
 * account codes, the name of a tax rate as the organisation has it, one signed amount with debits positive, at most 300 lines a
 * file. Lines with one narration and one date are one journal. A manual journal is in the organisation's currency: one currency
 * a file.
 */
import type { JournalEntry } from './entries.ts';
import { csvOf, dateAs, type Layout, signedAmount } from './layout.ts';

const MOST_LINES = 300;

export const xero: Layout = {
  extension: 'csv',
  split: (entries) => [...Map.groupBy(entries, ({ currency }) => currency).values()].flatMap(inPortions),
  write: csvOf({
    '*Narration': ({ entry }) => entry.key,
    '*Date': ({ entry }) => dateAs('DD/MM/YYYY', entry.date),
    Description: ({ line }) => line.memo,
    '*AccountCode': ({ account }) => account,
    '*TaxRate': (_, { settings }) => settings.xero.taxRate,
    '*Amount': ({ entry, line }) => signedAmount(line, entry.currency),
    TrackingName1: () => '',
    TrackingOption1: () => '',
    TrackingName2: () => '',
    TrackingOption2: () => '',
  }),
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

/**
 * NetSuite's CSV import of journal entries ("Journal Entry and Intercompany Journal Entry Line-Level Fields Table"): an external id
 * that keeps an entry from being imported twice, line fields headed `Journal Entry - Line:`, amounts with at most ten digits before the
 * point and two after it. Dates are as the importing user's preference has them, which is a setting.
 */
import { stringify } from 'csv-stringify/sync';
import { inMinorUnits } from '../../domain/currency.ts';
import { amountRefused, dateAs, type Layout } from './layout.ts';

const HEADER =
  'External ID,Date,Currency,Memo,Journal Entry - Line: Account,Journal Entry - Line: Debit,Journal Entry - Line: Credit,Journal Entry - Line: Memo'.split(
    ',',
  );

const AMOUNT = /^\d{1,10}(?:\.\d{1,2})?$/;

export const netsuite: Layout = {
  extension: 'csv',
  refuses: (entry) =>
    amountRefused(
      entry,
      (amount, currency) => AMOUNT.test(inMinorUnits(amount, currency)),
      'NetSuite takes at most ten digits before the point and two after it',
    ),
  write: ({ entries, chart, settings }) =>
    stringify([
      HEADER,
      ...entries.flatMap(({ key, date, currency, memo, postings }) =>
        postings.map((line) => [
          key,
          dateAs(settings.netsuite.dateFormat, date),
          currency,
          memo,
          chart[line.role],
          inMinorUnits(line.debit, currency),
          inMinorUnits(line.credit, currency),
          line.memo,
        ]),
      ),
    ]),
};

/**
 * NetSuite's CSV import of journal entries ("Journal Entry and Intercompany Journal Entry Line-Level Fields Table"): an external id
 * that keeps an entry from being imported twice, line fields headed `Journal Entry - Line:`, amounts with at most ten digits before the
 * point and two after it. Dates are as the importing user's preference has them, which is a setting.
 */
import { inMinorUnits } from '../../domain/currency.ts';
import { amountRefused, csvOf, dateAs, type Layout } from './layout.ts';

const AMOUNT = /^\d{1,10}(?:\.\d{1,2})?$/;

export const netsuite: Layout = {
  extension: 'csv',
  refuses: (entry) =>
    amountRefused(
      entry,
      (amount, currency) => AMOUNT.test(inMinorUnits(amount, currency)),
      'NetSuite takes at most ten digits before the point and two after it',
    ),
  write: csvOf({
    'External ID': ({ entry }) => entry.key,
    Date: ({ entry }, { settings }) => dateAs(settings.netsuite.dateFormat, entry.date),
    Currency: ({ entry }) => entry.currency,
    Memo: ({ entry }) => entry.memo,
    'Journal Entry - Line: Account': ({ account }) => account,
    'Journal Entry - Line: Debit': ({ debit }) => debit,
    'Journal Entry - Line: Credit': ({ credit }) => credit,
    'Journal Entry - Line: Memo': ({ line }) => line.memo,
  }),
};

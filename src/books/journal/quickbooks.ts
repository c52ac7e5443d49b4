/**
 * QuickBooks Online's import of journal entries ("Import journal entries"): dates as MM/DD/YYYY, sub-accounts as `Parent:Sub`,
 * debits and credits in columns of their own without signs, a JournalNo (DocNumber) of at most 21 characters that lines of one
 * entry share.
 */
import { UsageError } from '../../domain/errors.ts';
import { csvOf, dateAs, type Layout } from './layout.ts';

const LONGEST_NUMBER = 21;

const write = csvOf({
  JournalNo: ({ entry }) => entry.key,
  JournalDate: ({ entry }) => dateAs('MM/DD/YYYY', entry.date),
  AccountName: ({ account }) => account,
  Debits: ({ debit }) => debit,
  Credits: ({ credit }) => credit,
  Description: ({ line }) => line.memo,
  Name: () => '',
  Currency: ({ entry }) => entry.currency,
  Location: () => '',
  Class: () => '',
});

export const quickbooks: Layout = {
  extension: 'csv',
  write: (input) => {
    const long = input.entries.find(({ key }) => key.length > LONGEST_NUMBER);
    if (long === undefined) return write(input);
    const what = `JournalNo ${long.key} has ${long.key.length} characters, QuickBooks takes ${LONGEST_NUMBER}`;
    throw new UsageError(what, { remedy: 'make books.entryPrefix shorter' });
  },
};

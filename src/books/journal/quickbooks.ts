/**
 * QuickBooks Online's import of journal entries ("Import journal entries"): dates as MM/DD/YYYY, sub-accounts as `Parent:Sub`,
 * debits and credits in columns of their own without signs, a JournalNo (DocNumber) of at most 21 characters that lines of one
 * entry share.
 */
import { stringify } from 'csv-stringify/sync';
import { inMinorUnits } from '../../domain/currency.ts';
import { UsageError } from '../../domain/errors.ts';
import { dateAs, type Layout } from './layout.ts';

const HEADER = 'JournalNo,JournalDate,AccountName,Debits,Credits,Description,Name,Currency,Location,Class'.split(',');

const LONGEST_NUMBER = 21;

export const quickbooks: Layout = {
  extension: 'csv',
  write: ({ entries, chart }) => {
    const long = entries.find(({ key }) => key.length > LONGEST_NUMBER);
    if (long !== undefined) {
      throw new UsageError(
        `JournalNo ${long.key} has ${long.key.length} characters, QuickBooks takes ${LONGEST_NUMBER}`,
        {
          remedy: 'make books.entryPrefix shorter',
        },
      );
    }
    return stringify([
      HEADER,
      ...entries.flatMap(({ key, date, currency, postings }) =>
        postings.map(({ role, debit, credit, memo }) => [
          key,
          dateAs('MM/DD/YYYY', date),
          chart[role],
          inMinorUnits(debit, currency),
          inMinorUnits(credit, currency),
          memo,
          '',
          currency,
          '',
          '',
        ]),
      ),
    ]);
  },
};

/** A CSV file for any ledger: ISO dates, one line for each posting. */
import { csvOf, type Layout } from './layout.ts';

export const generic: Layout = {
  extension: 'csv',
  write: csvOf({
    entry: ({ entry }) => entry.key,
    date: ({ entry }) => entry.date,
    account: ({ account }) => account,
    currency: ({ entry }) => entry.currency,
    debit: ({ debit }) => debit,
    credit: ({ credit }) => credit,
    memo: ({ line }) => line.memo,
    evidence_sha256: ({ entry }) => entry.evidence ?? '',
  }),
};

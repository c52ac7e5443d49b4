/** A CSV file for any ledger: ISO dates, one line for each posting. */
import { stringify } from 'csv-stringify/sync';
import { type Layout, plainAmount } from './layout.ts';

const HEADER = ['entry', 'date', 'account', 'currency', 'debit', 'credit', 'memo', 'evidence_sha256'];

export const generic: Layout = {
  extension: 'csv',
  write: ({ entries, chart }) =>
    stringify([
      HEADER,
      ...entries.flatMap(({ key, date, currency, postings, evidence }) =>
        postings.map(({ role, debit, credit, memo }) => [
          key,
          date,
          chart[role],
          currency,
          plainAmount(debit, currency),
          plainAmount(credit, currency),
          memo,
          evidence ?? '',
        ]),
      ),
    ]),
};

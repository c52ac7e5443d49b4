/** A CSV file for any ledger: ISO dates, one line for each posting. */
import { stringify } from 'csv-stringify/sync';
import { inMinorUnits } from '../../domain/currency.ts';
import type { Layout } from './layout.ts';

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
          inMinorUnits(debit, currency),
          inMinorUnits(credit, currency),
          memo,
          evidence ?? '',
        ]),
      ),
    ]),
};

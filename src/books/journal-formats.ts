/** Journal lines as the import files of common ledgers. */
import { minorUnitDigits } from '../domain/currency.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { JournalLine } from './journal.ts';

export const JOURNAL_FORMATS = ['generic', 'quickbooks', 'xero', 'netsuite'] as const;
export type JournalFormat = (typeof JOURNAL_FORMATS)[number];

type Row = readonly string[];

interface Layout {
  header: Row;
  row: (line: JournalLine) => Row;
}

function amount(value: Decimal | null, currency: string): string {
  return value === null ? '' : value.toPlaces(minorUnitDigits(currency) ?? 2);
}

const LAYOUTS: Readonly<Record<JournalFormat, Layout>> = {
  generic: {
    header: ['entry', 'date', 'account', 'currency', 'debit', 'credit', 'memo'],
    row: (line) => [
      line.entry,
      line.date,
      line.account,
      line.currency,
      amount(line.debit, line.currency),
      amount(line.credit, line.currency),
      line.memo,
    ],
  },
  quickbooks: {
    header: ['JournalNo', 'JournalDate', 'Currency', 'Memo', 'AccountName', 'Debits', 'Credits', 'Description'],
    row: (line) => [
      line.entry,
      line.date,
      line.currency,
      line.entry,
      line.account,
      amount(line.debit, line.currency),
      amount(line.credit, line.currency),
      line.memo,
    ],
  },
  // One signed amount: debits positive, credits negative. Manual journals have one currency a file; see --currency.
  xero: {
    header: ['*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount'],
    row: (line) => [
      line.entry,
      line.date,
      line.memo,
      line.account,
      'Tax Exempt',
      line.debit !== null ? amount(line.debit, line.currency) : amount(line.credit?.negated() ?? null, line.currency),
    ],
  },
  netsuite: {
    header: ['External ID', 'Date', 'Currency', 'Account', 'Debit', 'Credit', 'Memo'],
    row: (line) => [
      line.entry,
      line.date,
      line.currency,
      line.account,
      amount(line.debit, line.currency),
      amount(line.credit, line.currency),
      line.memo,
    ],
  },
};

/** The header, then one row a line. */
export function journalRows(lines: readonly JournalLine[], format: JournalFormat): readonly Row[] {
  const { header, row } = LAYOUTS[format];
  return [header, ...lines.map(row)];
}

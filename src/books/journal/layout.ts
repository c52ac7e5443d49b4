/** What the layouts of accounting programs have in common. */
import { inMinorUnits } from '../../domain/currency.ts';
import type { Decimal } from '../../domain/decimal.ts';
import type { BusinessDate, Instant } from '../../domain/record.ts';
import { csvText } from '../../text/csv-text.ts';
import type { Chart } from './accounts.ts';
import type { JournalEntry, Posting } from './entries.ts';

/** The settings that only one program needs. */
interface ProgramSettings {
  xero: { taxRate: string };
  netsuite: { dateFormat: 'MM/DD/YYYY' | 'DD/MM/YYYY' | 'YYYY-MM-DD' };
  datev: { consultant: number; client: number; accountLength: number; fiscalYearStart: string };
}

export interface LayoutInput {
  entries: readonly JournalEntry[];
  chart: Chart;
  settings: ProgramSettings;
  /** When the statement was made, for formats that hold a time; never the present, so that equal statements give equal bytes. */
  statedAt: Instant;
  timezone: string;
}

export interface Layout {
  /** `csv` */
  extension: string;
  /** Groups of entries that may share a file, in order; absent where all entries may share one. */
  split?: (entries: readonly JournalEntry[]) => readonly (readonly JournalEntry[])[];
  /** Why the program cannot take an entry; absent where it takes all. */
  refuses?: (entry: JournalEntry) => string | null;
  /** One file. */
  write: (input: LayoutInput) => string | Uint8Array;
}

/** Debits plus, credits minus, with every place of the currency. */
export const signedAmount = ({ debit, credit }: Posting, currency: string) =>
  inMinorUnits(debit ?? credit?.negated() ?? null, currency);

interface CsvLine {
  entry: JournalEntry;
  line: Posting;
  account: string;
  /** With every place of the currency; empty for none. */
  debit: string;
  credit: string;
}

/** A CSV with a line for each posting. @param columns by their headers */
export function csvOf(
  columns: Readonly<Record<string, (line: CsvLine, input: LayoutInput) => string>>,
): Layout['write'] {
  return (input) =>
    csvText([
      Object.keys(columns),
      ...input.entries.flatMap((entry) =>
        entry.postings.map((line) => {
          const shown = (amount: Decimal | null) => inMinorUnits(amount, entry.currency);
          const amounts = { debit: shown(line.debit), credit: shown(line.credit) };
          const each = { entry, line, account: input.chart[line.role], ...amounts };
          return Object.values(columns).map((cell) => cell(each, input));
        }),
      ),
    ]);
}

/** Why one of an entry's amounts does not fit, in the words of `wanted`. */
export function amountRefused(
  { key, currency, postings }: JournalEntry,
  fits: (amount: Decimal, currency: string) => boolean,
  wanted: string,
): string | null {
  const amounts = postings.flatMap(({ debit, credit }) => [debit, credit].filter((amount) => amount !== null));
  const wrong = amounts.find((amount) => !fits(amount, currency));
  return wrong === undefined ? null : `${key}: ${wanted}, not ${inMinorUnits(wrong, currency)} ${currency}`;
}

/** `2026-10-31` by a pattern of DD, MM and YYYY. */
export function dateAs(pattern: string, date: BusinessDate): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return pattern.replace('YYYY', year).replace('MM', month).replace('DD', day);
}

/** What a report definition says of its columns; the writers know nothing else of a report. */
import type { Decimal } from '../domain/decimal.ts';
import type { Instant } from '../domain/record.ts';

interface ColumnBase {
  /** snake_case; a contract with whoever reads the file. */
  name: string;
  /** One line for people: shown in documentation and in workbooks. */
  description: string;
}

/**
 * `text` and `id` are defused where a spreadsheet would run them. `amount` is money or tokens and is totalled per
 * currency in the manifest; `percent` is any other exact number (rates, percentages, tolerances); `units` is an integer
 * text of any length. Null is an empty cell, whatever the type: unknown is empty, never zero.
 */
export type Column<Row> =
  | (ColumnBase & { type: 'text' | 'id' | 'date' | 'units'; value: (row: Row) => string | null })
  | (ColumnBase & { type: 'instant'; value: (row: Row) => Instant | null })
  | (ColumnBase & { type: 'percent'; value: (row: Row) => Decimal | null })
  | (ColumnBase & {
      type: 'amount';
      /** Name of the column with the amount's currency. */
      currencyColumn: string;
      /**
       * Where amounts are rounded for printing, this one takes what rounding leaves, so that the row still foots:
       * `of` minus `without`, as printed.
       */
      rest?: { of: string; without: readonly string[] };
      value: (row: Row) => Decimal | null;
    })
  | (ColumnBase & { type: 'count'; value: (row: Row) => number | null })
  | (ColumnBase & { type: 'boolean'; value: (row: Row) => boolean | null });

export interface ReportDefinition<Row> {
  /** `records` */
  name: string;
  /** `records.csv` */
  file: string;
  description: string;
  columns: readonly Column<Row>[];
}

export const PROFILES = ['standard', 'excel', 'excel-eu', 'google-sheets'] as const;
export type ProfileName = (typeof PROFILES)[number];

/** `minor-units` rounds amounts half to even to their currency's own places when printing; comparing is always exact. */
export type DecimalsMode = 'exact' | 'minor-units';

/** What a finished file is, for the manifest. */
export interface WrittenFile {
  name: string;
  bytes: number;
  rows: number;
  sha256: string;
  /** Per currency, per amount column: the exact sum of the printed values. */
  totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Anything that opens a file per report: a publication, or a comparison that keeps nothing. */
export interface FileOpener {
  open<Row>(definition: ReportDefinition<Row>): { write: (rows: readonly Row[]) => void };
}

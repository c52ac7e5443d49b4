/** A report: its file and its columns. Writers, workbooks and the finance guide are made from it and know nothing else of a report. */
import type { Decimal } from '../domain/decimal.ts';
import type { Instant } from '../domain/record.ts';

interface ColumnBase {
  /** snake_case; a contract with the readers of the file. */
  name: string;
  /** What the column says, for people; shown in the finance guide and in workbooks. Code words stand in backticks. */
  description: string;
  /** The unit, where the type and the currency column do not give it: `tokens`. */
  unit?: string;
  /** What a plus or a minus means: `plus: the user paid more`. */
  sign?: string;
  /** When the cell is empty; absent for a column that never is. */
  empty?: string;
}

/**
 * `text` and `id` are defused where a spreadsheet would run them. `amount` is money or tokens and is totalled per
 * currency in the manifest; `percent` is any other exact number (rates, percentages, tolerances); `units` is an integer
 * text of any length. Null is an empty cell in every type: unknown is empty, never zero.
 */
export type Column<Row> =
  | (ColumnBase & {
      type: 'text';
      /** If the cell is a plain number (as `expected` may be), print it as the profile prints numbers. */
      mayBeNumber?: true;
      value: (row: Row) => string | null;
    })
  | (ColumnBase & { type: 'id'; value: (row: Row) => string | null })
  | (ColumnBase & { type: 'date' | 'units'; value: (row: Row) => string | null })
  | (ColumnBase & { type: 'instant'; value: (row: Row) => Instant | null })
  | (ColumnBase & { type: 'percent'; value: (row: Row) => Decimal | null })
  | (ColumnBase & {
      type: 'amount';
      /** Name of the `text` or `id` column with the amount's currency. */
      currencyColumn: string;
      /**
       * Where amounts are rounded for printing, this one is `of` minus `without` as printed, so that the row still
       * foots. Several columns in one place are added up before they are rounded.
       */
      rest?: { of: PrintedColumns; without: readonly PrintedColumns[] };
      /** The rows measure different things (money, rates): the sum is a check of the file, and is shown as no total. */
      isCheckOnly?: true;
      value: (row: Row) => Decimal | null;
    })
  | (ColumnBase & { type: 'count'; value: (row: Row) => number | null })
  | (ColumnBase & { type: 'boolean'; value: (row: Row) => boolean | null });

export type PrintedColumns = string | readonly string[];

/** A report: its name, its columns and how they are described. Columns are added at the end. */
export interface ReportDefinition<Row> {
  /** `records`: its files are `records.csv` and `records.ndjson`. */
  name: string;
  /** Content of the report: a line of a workbook's summary, and the first sentence in the finance guide. */
  description: string;
  /** Further notes, only for the finance guide. */
  notes?: string;
  columns: readonly Column<Row>[];
  /** Columns that together name one row. */
  key?: readonly string[];
  /** Columns whose values name a row of a report: its `to` columns, or those of the same names. Empty values name none. */
  refersTo?: readonly { fields: readonly string[]; report: string; to?: readonly string[] }[];
}

export const PROFILES = ['standard', 'excel', 'excel-eu', 'google-sheets'] as const;
/** Which spreadsheet program the files are for. */
export type ProfileName = (typeof PROFILES)[number];

/** `minor-units` rounds amounts half to even to their currency's own places when printing; comparing is always exact. */
export type DecimalsMode = 'exact' | 'minor-units';

/** Tables that a set can be written as: `records.csv`, and `records.ndjson` with one JSON object per row. */
export const TABLE_FORMATS = ['csv', 'json'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Currency → amount column → exact sum of the printed values, as a plain decimal with a point. */
export type Totals = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A finished file's entry in the manifest. */
export interface WrittenFile {
  name: string;
  bytes: number;
  /** Rows without the header; null for a document that has none (a workbook, a page). */
  rows: number | null;
  /** Of the file's bytes, 64 hexadecimal digits. */
  sha256: string;
  totals: Totals;
  /** Amount column → the column with its currency, for adding the file up again. */
  currency_columns: Readonly<Record<string, string>>;
  /** Where amounts are rounded: the exact sum minus the sum as printed, per currency and column, where they differ. */
  rounding?: Totals;
}

/** Takes a report's rows. */
export interface RowSink<Row> {
  write: (rows: readonly Row[]) => void;
}

/** Anything that opens a file per report: a publication, or a comparison that keeps nothing. */
export interface FileOpener {
  open<Row>(definition: ReportDefinition<Row>): RowSink<Row>;
}

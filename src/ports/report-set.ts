/** A report set as the main line uses it. */
import { EXIT, TieoutError } from '../domain/errors.ts';
import type { RecordPosition } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import type { JudgedPage, Tally } from './settled.ts';

/** Sums of the amount columns: currency → column → scale → unscaled sum. */
export type ColumnSums = ReadonlyMap<string, readonly (readonly (bigint | undefined)[])[]>;

/** The sums of a table as printed, and before rounding where it rounds. */
export interface AmountSums {
  printed: ColumnSums;
  exact: ColumnSums | null;
}

/** Rows of one table that a thread rendered for a range of records. */
export interface RenderedTable {
  rows: number;
  totals: AmountSums;
  /** The text of the rows, in UTF-8. */
  pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** The part of a report set for a range of records. */
export interface RenderedRange {
  /** In the order in which the set's tables were opened. */
  tables: readonly RenderedTable[];
  /** Per report, the sums of those that add up; null for the others. */
  sums: readonly unknown[];
}

/** A report cannot print a record: it is judged again, and quarantined then. */
export class RecordNotPrintedError extends TieoutError {
  override readonly name = 'RecordNotPrintedError';
  override readonly exitCode = EXIT.unavailable;
  readonly record: RecordPosition;
  constructor({ kind, recordId }: RecordPosition, cause: unknown) {
    super(`${kind} ${recordId} cannot be printed`, { cause });
    this.record = { kind, recordId };
  }
}

/** Where judged pages go, in report order. */
export interface ReportSink {
  /** @throws RecordNotPrintedError */
  write(page: JudgedPage): void;
  /** The same for records that another thread judged and rendered. */
  append(range: RenderedRange): void;
}

/** The files of a run while they are written: all are published, or none. */
export interface ReportSet extends ReportSink {
  /** Verifies, then makes the set visible at once. Returns its folder relative to the out folder; empty where there is none. */
  publish(run: Run, tally: Tally, state: 'complete' | 'incomplete'): Promise<string>;
  /** Removes the unpublished set; nothing of it was visible. */
  discard(): Promise<void>;
}

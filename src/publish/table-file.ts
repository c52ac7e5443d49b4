/** One report as a table, while rows go into it: in a file of a set, or in the memory of a thread that renders a range. */
import type { ReportDefinition, RowSink, TableFormat, WrittenFile } from '../ports/report-definition.ts';
import type { AmountSums } from '../ports/report-set.ts';
import { type Amounts, roundingOf } from './amounts.ts';
import type { Measured } from './hashed-file.ts';

/** `records.csv`, or `records.ndjson`. */
export function fileOf({ name }: Pick<ReportDefinition<never>, 'name'>, format: TableFormat = 'csv'): string {
  return `${name}.${format === 'csv' ? 'csv' : 'ndjson'}`;
}

/** Where a table's text goes. */
export interface TextTarget {
  /** @param text whole characters: a surrogate pair must not be split between two calls. */
  write(text: string): void;
  writeBytes(bytes: Uint8Array): void;
  finish(): Measured;
  close(): void;
}

/** What rows add to a table besides their text. */
interface TablePart {
  rows: number;
  totals: AmountSums;
}

export interface TableFile<Row> extends RowSink<Row> {
  /** The rows written so far, for another table to append. */
  partial(): TablePart;
  /** Appends rows that another thread rendered, with their text. */
  append(part: TablePart, pieces: readonly Uint8Array[]): void;
  /** Writes the buffered rest, makes it durable and closes the file. */
  finish(): WrittenFile;
  /** Closes without finishing; for a set that is thrown away. */
  abandon(): void;
}

/** Rows that are printed at once: a record at a time, the printer's set-up would take longer than its work. */
const AT_ONCE = 64;

/**
 * A table of lines of text, CSV or NDJSON: rows go in in batches; bytes, rows, hash and exact totals come out.
 * @param lineOf what is printed of a row, after `amounts` has read it
 * @param print the text of such lines, each with its end
 */
export function textTable<Row, Line>(
  name: string,
  target: TextTarget,
  amounts: Amounts<Row>,
  lineOf: (row: Row) => Line,
  print: (lines: Line[]) => string,
): TableFile<Row> {
  let waiting: Line[] = [];
  let count = 0;
  const flush = () => {
    if (waiting.length === 0) return;
    target.write(print(waiting));
    waiting = [];
  };
  return {
    write: (rows) => {
      for (const row of rows) {
        amounts.read(row);
        waiting.push(lineOf(row));
        if (waiting.length === AT_ONCE) flush();
      }
      count += rows.length;
    },
    partial: () => {
      flush();
      return { rows: count, totals: amounts.partial() };
    },
    append: ({ rows, totals }, pieces) => {
      flush();
      for (const piece of pieces) target.writeBytes(piece);
      count += rows;
      amounts.absorb(totals);
    },
    finish: () => {
      flush();
      const measured = target.finish();
      const totals = amounts.totals();
      return {
        name,
        ...measured,
        rows: count,
        totals,
        currency_columns: amounts.currencyColumns,
        ...roundingOf(amounts),
      };
    },
    abandon: () => target.close(),
  };
}

/** One report as a table, while rows go into it: in a file of a set, or in the memory of a thread that renders a range. */
import type { RowSink, WrittenFile } from '../ports/report-definition.ts';
import type { AmountSums } from '../ports/report-set.ts';
import { type Amounts, roundingOf } from './amounts.ts';
import type { Measured } from './hashed-file.ts';

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

/** A table of lines of text, CSV or NDJSON: rows go in in batches; bytes, rows, hash and exact totals come out. */
export class TextTable<Row> implements TableFile<Row> {
  private readonly name: string;
  private readonly target: TextTarget;
  private readonly amounts: Amounts<Row>;
  private readonly print: (row: Row) => string;
  private rows = 0;

  /** @param print the line of a row, with its end; it has `amounts` read the row first. */
  constructor(name: string, target: TextTarget, amounts: Amounts<Row>, print: (row: Row) => string) {
    this.name = name;
    this.target = target;
    this.amounts = amounts;
    this.print = print;
  }

  write(rows: readonly Row[]): void {
    for (const row of rows) this.target.write(this.print(row));
    this.rows += rows.length;
  }

  partial(): TablePart {
    return { rows: this.rows, totals: this.amounts.partial() };
  }

  append({ rows, totals }: TablePart, pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.target.writeBytes(piece);
    this.rows += rows;
    this.amounts.absorb(totals);
  }

  finish(): WrittenFile {
    return {
      name: this.name,
      ...this.target.finish(),
      rows: this.rows,
      totals: this.amounts.totals(),
      currency_columns: this.amounts.currencyColumns,
      ...roundingOf(this.amounts),
    };
  }

  abandon(): void {
    this.target.close();
  }
}

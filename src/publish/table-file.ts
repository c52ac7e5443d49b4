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

/** Rows that are printed at once: a record at a time, the printer's set-up would take longer than its work. */
const AT_ONCE = 64;

/** A table of lines of text, CSV or NDJSON: rows go in in batches; bytes, rows, hash and exact totals come out. */
export class TextTable<Row, Line> implements TableFile<Row> {
  private readonly name: string;
  private readonly target: TextTarget;
  private readonly amounts: Amounts<Row>;
  private readonly lineOf: (row: Row) => Line;
  private readonly print: (lines: Line[]) => string;
  private waiting: Line[] = [];
  private rows = 0;

  /**
   * @param lineOf what is printed of a row, after `amounts` has read it
   * @param print the text of such lines, each with its end
   */
  constructor(
    name: string,
    target: TextTarget,
    amounts: Amounts<Row>,
    lineOf: (row: Row) => Line,
    print: (lines: Line[]) => string,
  ) {
    this.name = name;
    this.target = target;
    this.amounts = amounts;
    this.lineOf = lineOf;
    this.print = print;
  }

  write(rows: readonly Row[]): void {
    for (const row of rows) {
      this.amounts.read(row);
      this.waiting.push(this.lineOf(row));
      if (this.waiting.length === AT_ONCE) this.flush();
    }
    this.rows += rows.length;
  }

  private flush(): void {
    if (this.waiting.length === 0) return;
    this.target.write(this.print(this.waiting));
    this.waiting = [];
  }

  partial(): TablePart {
    this.flush();
    return { rows: this.rows, totals: this.amounts.partial() };
  }

  append({ rows, totals }: TablePart, pieces: readonly Uint8Array[]): void {
    this.flush();
    for (const piece of pieces) this.target.writeBytes(piece);
    this.rows += rows;
    this.amounts.absorb(totals);
  }

  finish(): WrittenFile {
    this.flush();
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

/** One report as a table, while rows go into it: in a file of a set, or in the memory of a thread that renders a range. */
import type { RowSink, WrittenFile } from '../ports/report-definition.ts';
import type { AmountSums } from '../ports/report-set.ts';
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
export interface TablePart {
  rows: number;
  totals: AmountSums;
}

export interface TableFile<Row> extends RowSink<Row> {
  /** The rows written so far, for another table to append. */
  partial(): TablePart;
  /** Appends rows that another thread rendered, with their text. */
  append(part: TablePart, pieces: readonly Uint8Array[]): void;
  /** Writes what is left, makes it durable and closes the file. */
  finish(): WrittenFile;
  /** Closes without finishing; for a set that is thrown away. */
  abandon(): void;
}

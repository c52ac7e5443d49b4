/** One report as CSV: rows go in in batches; bytes, rows, hash and exact totals come out. Memory does not grow with rows. */

import type { DecimalsMode, ReportDefinition, RowSink, WrittenFile } from '../ports/report-definition.ts';
import { Amounts } from './amounts.ts';
import { createLinePrinter, headerLine } from './cells.ts';
import type { FileSystem } from './file-system.ts';
import { HashedFile } from './hashed-file.ts';
import type { Profile } from './profiles.ts';

/** A report's file while rows go into it. */
export interface TableFile<Row> extends RowSink<Row> {
  /** Writes what is left, makes it durable and closes the file. */
  finish(): WrittenFile;
  /** Closes without finishing; for a set that is thrown away. */
  abandon(): void;
}

export class CsvFile<Row> implements TableFile<Row> {
  private readonly definition: ReportDefinition<Row>;
  private readonly amounts: Amounts<Row>;
  private readonly print: (row: Row) => string;
  private readonly file: HashedFile;
  private rows = 0;

  /** @throws the file system's own errors; Error for a definition that does not hold together. */
  constructor(
    path: string,
    definition: ReportDefinition<Row>,
    profile: Profile,
    decimals: DecimalsMode,
    fileSystem: FileSystem,
  ) {
    this.definition = definition;
    this.amounts = new Amounts(definition, decimals);
    this.print = createLinePrinter(definition, profile, this.amounts);
    this.file = new HashedFile(path, fileSystem);
    this.file.write(`${profile.bom ? '\uFEFF' : ''}${headerLine(definition, profile)}`);
  }

  write(rows: readonly Row[]): void {
    for (const row of rows) this.file.write(this.print(row));
    this.rows += rows.length;
  }

  finish(): WrittenFile {
    return {
      name: this.definition.file,
      ...this.file.finish(),
      rows: this.rows,
      totals: this.amounts.totals(),
      currency_columns: this.amounts.currencyColumns,
    };
  }

  abandon(): void {
    this.file.close();
  }
}

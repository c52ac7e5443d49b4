/**
 * One report as NDJSON: an object per row with the columns' names, for programs. Amounts, rates and units are texts, so
 * that no reader takes them for binary floating point; unknown is null; texts are as they are, as no spreadsheet opens it.
 */

import { visibleJson } from '../domain/visible.ts';
import type { Column, DecimalsMode, ReportDefinition, WrittenFile } from '../ports/report-definition.ts';
import { Amounts, roundingOf } from './amounts.ts';
import { createInstantPrinter } from './csv-file.ts';
import type { TableFile, TablePart, TextTarget } from './table-file.ts';

/** `records.csv` → `records.ndjson`. */
export function jsonFileName(definition: { file: string }): string {
  return `${definition.file.replace(/\.csv$/, '')}.ndjson`;
}

export class JsonFile<Row> implements TableFile<Row> {
  private readonly definition: ReportDefinition<Row>;
  private readonly amounts: Amounts<Row>;
  private readonly fields: readonly ((row: Row) => string)[];
  private readonly target: TextTarget;
  private rows = 0;

  /** @throws the target's own errors; Error for a definition that does not hold together. */
  constructor(target: TextTarget, definition: ReportDefinition<Row>, decimals: DecimalsMode) {
    this.definition = definition;
    this.amounts = new Amounts(definition, decimals);
    this.fields = definition.columns.map((column) => fieldPrinter(column, this.amounts));
    this.target = target;
  }

  write(rows: readonly Row[]): void {
    for (const row of rows) {
      this.amounts.read(row);
      this.target.write(`{${this.fields.map((field) => field(row)).join(',')}}\n`);
    }
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
      name: jsonFileName(this.definition),
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

/** `"name":value` */
function fieldPrinter<Row>(column: Column<Row>, amounts: Amounts<Row>): (row: Row) => string {
  const name = `${JSON.stringify(column.name)}:`;
  const value = fieldValue(column, amounts);
  return (row) => name + visibleJson(JSON.stringify(value(row)));
}

function fieldValue<Row>(column: Column<Row>, amounts: Amounts<Row>): (row: Row) => string | number | boolean | null {
  switch (column.type) {
    case 'instant': {
      const print = createInstantPrinter();
      return (row) => {
        const instant = column.value(row);
        return instant === null ? null : print(instant);
      };
    }
    case 'percent':
      return (row) => column.value(row)?.toString() ?? null;
    case 'amount': {
      const position = amounts.position(column.name);
      return () => amounts.texts[position] || null;
    }
    default:
      return column.value;
  }
}

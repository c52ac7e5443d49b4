/**
 * One report as NDJSON: an object per row with the columns' names, for programs. Amounts, rates and units are texts, so
 * that no reader takes them for binary floating point; unknown is null; texts are as they are, as no spreadsheet opens it.
 */

import type { Column, DecimalsMode, ReportDefinition } from '../ports/report-definition.ts';
import { visibleJson } from '../text/visible.ts';
import { Amounts } from './amounts.ts';
import { instantText } from './csv-file.ts';
import { fileOf, type TableFile, type TextTarget, textTable } from './table-file.ts';

/** @throws the target's own errors; Error for a definition that does not hold together. */
export function jsonTable<Row>(
  target: TextTarget,
  definition: ReportDefinition<Row>,
  decimals: DecimalsMode,
): TableFile<Row> {
  const amounts = new Amounts(definition, decimals);
  // `"name":value`
  const fields = definition.columns.map((column) => {
    const name = `${JSON.stringify(column.name)}:`;
    const value = fieldValue(column, amounts);
    return (row: Row) => name + visibleJson(JSON.stringify(value(row)));
  });
  const lineOf = (row: Row) => `{${fields.map((field) => field(row)).join(',')}}\n`;
  return textTable(fileOf(definition, 'json'), target, amounts, lineOf, (lines) => lines.join(''));
}

function fieldValue<Row>(column: Column<Row>, amounts: Amounts<Row>): (row: Row) => string | number | boolean | null {
  switch (column.type) {
    case 'instant':
      return (row) => {
        const instant = column.value(row);
        return instant === null ? null : instantText(instant);
      };
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

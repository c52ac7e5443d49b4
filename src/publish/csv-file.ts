/** One report as CSV: rows go in in batches; bytes, rows, hash and exact totals come out. Memory does not grow with rows. */

import { type Instant, isInCalendar } from '../domain/record.ts';
import type { Column, DecimalsMode, ReportDefinition } from '../ports/report-definition.ts';
import { csvText } from '../text/csv-text.ts';
import { isPlainNumber } from '../text/visible.ts';
import { Amounts } from './amounts.ts';
import { exported, guardedUnits, type Profile, pointed } from './profiles.ts';
import { fileOf, type TableFile, type TextTarget, textTable } from './table-file.ts';

/**
 * @param target a file, or the memory of a thread that renders a range; the header is written where `isWhole`.
 * @throws the target's own errors; Error for a definition that does not hold together.
 */
export function csvTable<Row>(
  target: TextTarget,
  definition: ReportDefinition<Row>,
  profile: Profile,
  decimals: DecimalsMode,
  isWhole = true,
): TableFile<Row> {
  const amounts = new Amounts(definition, decimals);
  const cells = definition.columns.map((column) => cellOf(column, profile, amounts));
  const print = (rows: string[][]) => textOf(rows, profile);
  if (isWhole) target.write(`${profile.bom ? '\uFEFF' : ''}${print([definition.columns.map(({ name }) => name)])}`);
  return textTable(fileOf(definition), target, amounts, (row) => cells.map((cell) => cell(row)), print);
}

/** Rows without anything to quote, as most are, are their cells in a row: csv-stringify took a ninth of a replay's time for these alone. */
function textOf(rows: string[][], { delimiter, lineEnd }: Profile): string {
  let plain = '';
  for (const cells of rows) {
    const line = cells.join(delimiter);
    if (QUOTED.test(line) || countOf(delimiter, line) >= cells.length)
      return csvText(rows, { delimiter, record_delimiter: lineEnd });
    plain += line + lineEnd;
  }
  return plain;
}

const QUOTED = /["\r\n]/;

function countOf(mark: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) count++;
  return count;
}

type Cell<Row> = (row: Row) => string;

/** Cells before they are quoted: a text that a spreadsheet would run or change is marked here, by its column. */
function cellOf<Row>(column: Column<Row>, profile: Profile, amounts: Amounts<Row>): Cell<Row> {
  switch (column.type) {
    case 'text':
    case 'id':
      return printed(column.value, textCell(column, profile));
    case 'units':
      return printed(column.value, (text) => guardedUnits(text, profile));
    case 'instant':
      return printed(column.value, instantText);
    case 'percent':
      return printed(column.value, (value) => pointed(value.toString(), profile));
    case 'date':
    case 'count':
    case 'boolean':
      return printed<Row, string | number | boolean>(column.value, String);
    case 'amount': {
      const position = amounts.position(column.name);
      return () => pointed(amounts.texts[position] ?? '', profile);
    }
  }
}

/** An unknown value is empty. */
function printed<Row, Value>(value: (row: Row) => Value | null, print: (value: Value) => string): Cell<Row> {
  return (row) => {
    const each = value(row);
    return each === null ? '' : print(each);
  };
}

function textCell<Row>(
  column: Extract<Column<Row>, { type: 'text' | 'id' }>,
  profile: Profile,
): (text: string) => string {
  const mayBeNumber = column.type === 'text' && column.mayBeNumber === true;
  return (text) => {
    if (mayBeNumber && isPlainNumber(text)) return pointed(text, profile);
    return exported(text, profile);
  };
}

/** In the years 0 to 9999. @throws RangeError for others: they have a sign before them, which a spreadsheet takes for a formula */
export function instantText(instant: Instant): string {
  if (!isInCalendar(instant)) throw new RangeError(`no instant of a calendar: ${instant}`);
  return new Date(instant).toISOString();
}

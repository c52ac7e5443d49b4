/** Documents of a report set. They are made from its finished CSV files, so that they show the published figures. */

import { join } from 'node:path';
import { Decimal } from '../domain/decimal.ts';
import type { SetFacts, SetFigures } from '../ports/html-view.ts';
import type { Column, DecimalsMode, ReportDefinition, Totals, WrittenFile } from '../ports/report-definition.ts';
import { Amounts } from './amounts.ts';
import type { FileSystem } from './file-system.ts';
import { type Profile, undefuse } from './profiles.ts';
import { piecesOf, readerOf } from './read-back.ts';
import { fileOf } from './table-file.ts';

/** A set whose tables are complete and whose manifest is not yet written. */
export interface FinishedTables {
  /** The temporary folder with the files. */
  folder: string;
  /** In the order of the manifest; documents are not among them. */
  files: readonly WrittenFile[];
  definitions: readonly ReportDefinition<never>[];
  facts: SetFacts;
  figures: SetFigures;
  profile: Profile;
  decimals: DecimalsMode;
  fileSystem: FileSystem;
}

/** A workbook or a page of a set. The same tables give the same bytes. */
export interface SetDocument {
  /** `report.xlsx` */
  name: string;
  pieces(tables: FinishedTables): AsyncIterable<Uint8Array>;
}

/** The entry of a report's CSV file; undefined where the set has none. */
export function csvOf(tables: FinishedTables, definition: ReportDefinition<never>): WrittenFile | undefined {
  return tables.files.find(({ name }) => name === fileOf(definition));
}

/**
 * The rows of a report's CSV file, in batches and without the header: texts as they were before the profile marked them,
 * numbers with a point. An empty text is unknown.
 *
 * @throws the file system's own errors; CsvSyntaxError for a file that was damaged since it was written.
 */
export async function* tableRows(
  tables: FinishedTables,
  definition: ReportDefinition<never>,
): AsyncGenerator<readonly string[][]> {
  const { profile, fileSystem } = tables;
  const reader = readerOf(fileOf(definition), profile);
  if (reader === null) return;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const plain = plainCells(definition, profile);
  let isHeader = true;
  const take = (rows: string[][]): string[][] => {
    const data = isHeader ? rows.slice(1) : rows;
    if (rows.length > 0) isHeader = false;
    for (const row of data) plain(row);
    return data;
  };
  for await (const piece of piecesOf(join(tables.folder, fileOf(definition)), fileSystem))
    yield take(reader.push(decoder.decode(piece, { stream: true })));
  yield take(reader.push(decoder.decode()));
  yield take(reader.end());
}

/** Undoes the profile's spelling in place: each row is read once, by one reader. */
function plainCells({ columns }: ReportDefinition<never>, profile: Profile): (row: string[]) => void {
  const texts: number[] = [];
  const numbers: number[] = [];
  for (const [index, column] of columns.entries()) {
    if (column.type === 'text' || column.type === 'id' || column.type === 'units') texts.push(index);
    const mayBeNumber = column.type === 'text' && column.mayBeNumber === true;
    if (column.type === 'amount' || column.type === 'percent' || mayBeNumber) numbers.push(index);
  }
  const spelled = profile.decimalPoint === '.' ? [] : numbers;
  return (row) => {
    for (const at of texts) {
      const cell = row[at] ?? '';
      // Most texts have no mark, and most rows have many texts.
      if (cell.charCodeAt(0) === 39) row[at] = undefuse(cell, profile);
    }
    for (const at of spelled) row[at] = pointed(row[at] ?? '', profile.decimalPoint);
  };
}

const SPELLED_NUMBER = /^-?\d+,\d+$/;

function pointed(cell: string, decimalPoint: Profile['decimalPoint']): string {
  return SPELLED_NUMBER.test(cell) ? cell.replace(decimalPoint, '.') : cell;
}

/** Rows with the sums of their amounts, which are known when all rows are taken. */
interface SummedRows {
  rows: AsyncGenerator<readonly string[][]>;
  totals: () => Totals;
  /** Exact sums minus the sums of these rows, where they differ. */
  rounding: () => Totals;
}

/** The rows of a CSV file as they are, with the sums of the manifest. */
export function summedRows(tables: FinishedTables, definition: ReportDefinition<never>): SummedRows {
  const file = csvOf(tables, definition);
  return {
    rows: tableRows(tables, definition),
    totals: () => file?.totals ?? {},
    rounding: () => file?.rounding ?? {},
  };
}

/** The same with fiat amounts at the places of their currency, each row footing as it would in a file that is written so. */
export function roundedRows(tables: FinishedTables, definition: ReportDefinition<never>): SummedRows {
  const amounts = new Amounts(ofCells(definition), 'minor-units');
  return {
    rows: rounded(tables, definition, amounts),
    totals: () => amounts.totals(),
    rounding: () => amounts.rounding() ?? {},
  };
}

async function* rounded(
  tables: FinishedTables,
  definition: ReportDefinition<never>,
  amounts: Amounts<readonly string[]>,
): AsyncGenerator<readonly string[][]> {
  const places = definition.columns.flatMap(({ type, name }, at) =>
    type === 'amount' ? [{ at, from: amounts.position(name) }] : [],
  );
  for await (const rows of tableRows(tables, definition)) {
    for (const row of rows) {
      amounts.read(row);
      for (const { at, from } of places) row[at] = amounts.texts[from] ?? '';
    }
    yield rows;
  }
}

/** The definition for rows of cells as a CSV file has them. */
function ofCells({ columns, ...rest }: ReportDefinition<never>): ReportDefinition<readonly string[]> {
  const cells = columns.map((column, at): Column<readonly string[]> => {
    const text = (row: readonly string[]) => row[at] || null;
    if (column.type !== 'amount')
      return { name: column.name, description: column.description, type: 'text', value: text };
    const { name, description, type, currencyColumn, rest: left } = column;
    const value = (row: readonly string[]) => {
      const cell = text(row);
      return cell === null ? null : Decimal.parse(cell);
    };
    return { name, description, type, currencyColumn, value, ...(left === undefined ? {} : { rest: left }) };
  });
  return { ...rest, columns: cells };
}

/** One report as one worksheet, or several where a sheet cannot hold its rows; a stream of XML. */
import type { ReportDefinition, Totals } from '../../ports/report-definition.ts';
import { fileOf } from '../table-file.ts';
import {
  cellPrinter,
  columnName,
  isNumeric,
  MAIN,
  moneyStyle,
  numberCell,
  type Precision,
  STYLE,
  styledText,
  wraps,
  XML,
  xmlText,
} from './cells.ts';

/** Rows that a worksheet holds, its header included. */
const MOST_ROWS = 1_048_576;
/** More of them would leave a page no room for the rest. */
const MOST_NAMING = 4;
/** Characters gathered before they are compressed. */
const PIECE = 256 * 1024;

export interface SheetPlan {
  /** As its tab says: at most 31 characters. */
  name: string;
  definition: ReportDefinition<never>;
  /** Rows without the header. */
  rows: number;
}

/** The sheets of a report: usually one; `records`, `records_2`, … where there are more rows than one holds. */
export function planSheets(definition: ReportDefinition<never>, rows: number, most = MOST_ROWS): SheetPlan[] {
  const each = most - 1;
  const count = Math.max(1, Math.ceil(rows / each));
  return Array.from({ length: count }, (_, i) => ({
    // Characters that tabs cannot have are left out.
    name: (i === 0 ? definition.name : `${definition.name}_${i + 1}`).replace(/[[\]:*?/\\']/g, '').slice(0, 31),
    definition,
    rows: Math.min(each, rows - i * each),
  }));
}

/** `A1:AC2001` */
export function rangeOf({ definition, rows }: SheetPlan): string {
  return `A1:${columnName(definition.columns.length - 1)}${rows + 1}`;
}

/**
 * The columns that tell which row it is, first and last: those of the host's own name for it, or else what stands first. They are
 * repeated at the left of a table's further printed pages.
 */
export function namingColumns({ columns }: ReportDefinition<never>): { first: number; last: number } | null {
  const reference = columns.findIndex(({ name }) => name === 'host_reference');
  if (reference >= 0)
    return { first: columns[reference - 1]?.name === 'kind' ? reference - 1 : reference, last: reference };
  const isName = (column: (typeof columns)[number]) =>
    (column.type === 'text' || column.type === 'date') && !wraps(column);
  const end = columns.slice(0, MOST_NAMING).findIndex((column) => !isName(column));
  const last = (end < 0 ? Math.min(MOST_NAMING, columns.length) : end) - 1;
  return last < 0 ? null : { first: 0, last };
}

/**
 * @param rows batches to come; exactly `plan.rows` of them are taken, so that the next sheet of the report continues with
 * the same source.
 */
export async function* sheetXml(
  plan: SheetPlan,
  rows: RowSource,
  widths: readonly number[],
  precision: Precision,
  totals: (() => Totals) | null = null,
): AsyncGenerator<string> {
  const { columns } = plan.definition;
  const places = new Map(columns.map(({ name }, index) => [name, index]));
  const printers = columns.map((column) => cellPrinter(column, places, precision));
  const names = columns.map((_, index) => columnName(index));
  const wrapped = columns.flatMap((column, index) => (wraps(column) ? [index] : []));
  let text = `${opening(plan, widths)}<row r="1">${columns.map((column, i) => styledText(`${names[i]}1`, column.name, isNumeric(column) ? STYLE.numberHeader : STYLE.header)).join('')}</row>`;
  for (let line = 2; line < plan.rows + 2; line++) {
    const row = rows.next() ?? (await rows.refill());
    if (row === null) throw new Error(`${fileOf(plan.definition)} ended after ${line - 2} of ${plan.rows} rows`);
    text += `<row r="${line}"${heightOf(row, wrapped)}>`;
    for (let i = 0; i < printers.length; i++) {
      const cell = row[i] ?? '';
      // Unknown is empty: no cell at all.
      if (cell !== '') text += printers[i]?.(`${names[i]}${line}`, cell, row) ?? '';
    }
    text += '</row>';
    if (text.length > PIECE) {
      yield text;
      text = '';
    }
  }
  yield text + (totals === null ? '' : totalRows(plan, names, totals())) + closing(plan, widths);
}

/** A row per currency below the table, outside its filter; none where there is no amount to add, or no room. */
function totalRows({ definition, rows }: SheetPlan, names: readonly string[], totals: Totals): string {
  const { columns } = definition;
  const summed = columns.filter((column) => column.type === 'amount' && column.isCheckOnly !== true);
  const lines = Object.entries(totals).filter(([, sums]) => summed.some(({ name }) => sums[name] !== undefined));
  if (rows === 0 || rows + 2 + lines.length > MOST_ROWS) return '';
  return lines
    .map(([currency, sums], i) => {
      const line = rows + 3 + i;
      const cells = columns.map((column, at) => {
        const ref = `${names[at]}${line}`;
        if (at === 0) return styledText(ref, `Total ${currency || '(no unit)'}`, STYLE.strong);
        const sum = column.type === 'amount' && column.isCheckOnly !== true ? sums[column.name] : undefined;
        return sum === undefined ? '' : numberCell(moneyStyle(currency), sum)(ref);
      });
      return `<row r="${line}">${cells.join('')}</row>`;
    })
    .join('');
}

function opening(plan: SheetPlan, widths: readonly number[]): string {
  const columns = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`);
  return `${XML}<worksheet xmlns="${MAIN}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><dimension ref="${rangeOf(plan)}"/><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${columns.join('')}</cols><sheetData>`;
}

/** Characters that a landscape page holds at the smallest size that is read without a glass. */
const PAGE_CHARACTERS = 210;

const sumOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, 0);

function closing(plan: SheetPlan, widths: readonly number[]): string {
  const naming = namingColumns(plan.definition);
  const repeated = naming === null ? 0 : sumOf(widths.slice(naming.first, naming.last + 1));
  const further = Math.max(0, sumOf(widths) - PAGE_CHARACTERS);
  const pages = 1 + Math.ceil(further / Math.max(PAGE_CHARACTERS / 2, PAGE_CHARACTERS - repeated));
  // Ids and units are numbers stored as texts on purpose: no green triangle on every one of them.
  return `</sheetData><autoFilter ref="${rangeOf(plan)}"/><pageMargins left="0.4" right="0.4" top="0.6" bottom="0.6" header="0.3" footer="0.3"/><pageSetup paperSize="9" orientation="landscape" pageOrder="overThenDown" fitToWidth="${pages}" fitToHeight="0"/><headerFooter><oddFooter>&amp;L${xmlText(plan.name)}&amp;R&amp;P / &amp;N</oddFooter></headerFooter><ignoredErrors><ignoredError sqref="${rangeOf(plan)}" numberStoredAsText="1"/></ignoredErrors></worksheet>`;
}

/** Rows one by one out of batches: waiting for each row would cost more than printing it. */
export type RowSource = ReturnType<typeof rowSource>;

export function rowSource(batches: AsyncIterator<readonly string[][]>, first: readonly string[][] = []) {
  let batch = first;
  let at = 0;
  return {
    /** The next row of the batch at hand; null where it is used up. */
    next: (): string[] | null => batch[at++] ?? null,

    /** The first row of the next batch that has one; null at the end. */
    async refill(): Promise<string[] | null> {
      for (;;) {
        const { value, done } = await batches.next();
        if (done === true) return null;
        batch = value;
        at = 1;
        const row = value[0];
        if (row !== undefined) return row;
      }
    },

    async close(): Promise<void> {
      await batches.return?.();
    },
  };
}

/** Of a column of sentences, in characters. */
const WRAPPED_WIDTH = 60;

/** Characters of a line of a wrapped column: fewer than its width, for words are not broken and some letters are broad. */
const LINE = WRAPPED_WIDTH - 6;
const LINE_POINTS = 15;

/** A row as high as its longest sentence needs: not every program makes room by itself. */
function heightOf(row: readonly string[], wrapped: readonly number[]): string {
  const longest = wrapped.reduce((most, at) => Math.max(most, row[at]?.length ?? 0), 0);
  return longest <= LINE ? '' : ` ht="${Math.ceil(longest / LINE) * LINE_POINTS}" customHeight="1"`;
}

/** Widths that fit the header and what the first rows hold; long texts are cut off by the next column. */
export function columnWidths(definition: ReportDefinition<never>, sample: readonly (readonly string[])[]): number[] {
  return definition.columns.map((column, i) => {
    const { name, type } = column;
    if (wraps(column)) return WRAPPED_WIDTH;
    const longest = sample.reduce((most, row) => Math.max(most, (row[i] ?? '').length), 0);
    switch (type) {
      case 'date':
        return Math.max(11, name.length + 4);
      case 'instant':
        return 20;
      case 'amount':
        return Math.max(14, name.length + 4);
      case 'percent':
      case 'count':
      case 'boolean':
        return Math.max(10, name.length + 4);
      default:
        // Room for the filter's button beside the name.
        return Math.min(60, Math.max(longest + 2, name.length + 4));
    }
  });
}

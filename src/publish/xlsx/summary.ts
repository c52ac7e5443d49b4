/** The sheets of a workbook that no CSV file has: the summary, the control totals, and what the columns mean. */

import { showMoney } from '../../domain/currency.ts';
import type { Decimal } from '../../domain/decimal.ts';
import { VERDICTS } from '../../domain/finding.ts';
import { kindsInWords } from '../../domain/record.ts';
import { BEARER_WORDS } from '../../domain/stake-tally.ts';
import type { SetFigures } from '../../ports/html-view.ts';
import type { DecimalsMode, Totals } from '../../ports/report-definition.ts';
import { count } from '../../text/counts.ts';
import { csvOf, type FinishedTables } from '../documents.ts';
import {
  columnName,
  MAIN,
  moneyStyle,
  numberCell,
  type Precision,
  STYLE,
  significantDigits,
  styledText,
  XML,
} from './cells.ts';
import type { SheetPlan } from './sheet.ts';

/** A cell of a sheet that is laid out by hand. */
type Cell = { text: string; style?: number } | { number: string; style: number } | null;
type Row = readonly Cell[];

export interface SmallSheet {
  name: string;
  widths: readonly number[];
  rows: readonly Row[];
  /** Whether the first row is a header: frozen, with a filter. */
  isTable: boolean;
}

const text = (value: string, style?: number): Cell => (style === undefined ? { text: value } : { text: value, style });
const countCell = (value: number): Cell => ({ number: String(value), style: STYLE.count });
const header = (...names: string[]): Row => names.map((name) => text(name, STYLE.header));
const numberHeader = (name: string): Cell => text(name, STYLE.numberHeader);
const beside = (value: string): Cell => text(value, STYLE.beside);

const waivedHeader: Row = [
  ...header('Waived by'),
  numberHeader('Breaks'),
  numberHeader('Amount'),
  ...header('Currency'),
];

/** Money at stake per currency, and what people waived. */
function stakeRows({ stake }: SetFigures): Row[] {
  if (stake === null) return [];
  const money = (amount: Decimal, currency: string): Cell => ({
    number: amount.toString(),
    style: moneyStyle(currency),
  });
  return [
    [...header('Money at stake'), numberHeader('Records'), numberHeader('Amount'), ...header('What it says')],
    ...stake.open.map(
      ({ currency, bearer, records, total, pending, claimed }): Row => [
        text(currency),
        countCell(records),
        money(total, currency),
        beside(
          [
            BEARER_WORDS[bearer],
            ...(pending.isZero ? [] : [`pending ${showMoney(pending, currency)}`]),
            ...(claimed.isZero ? [] : [`claimed ${showMoney(claimed, currency)}`]),
          ].join(', '),
        ),
      ],
    ),
    [text('records with an open break', STYLE.strong), countCell(stake.recordsAtRisk)],
    ...(stake.waived.length === 0 ? [] : [waivedHeader]),
    ...stake.waived.map(
      ({ by, currency, breaks, total }): Row => [
        text(by),
        countCell(breaks),
        total === null ? null : money(total, currency ?? ''),
        beside(currency ?? ''),
      ],
    ),
    [],
  ];
}

export function summarySheet(
  tables: FinishedTables,
  sheets: readonly SheetPlan[],
  precision: Precision,
  decimals: DecimalsMode,
): SmallSheet {
  const { facts } = tables;
  const pair = (name: string, value: string): Row => [text(name, STYLE.strong), text(value)];
  const rows: Row[] = [
    [text(`Tieout: ${facts.job}, ${facts.business_date}`, STYLE.title)],
    pair('Run', facts.run_id),
    pair('Status', statusInWords(facts)),
    pair('Time zone of business dates', facts.timezone),
    pair('Started, finished (UTC)', `${facts.started_at} to ${facts.finished_at}`),
    pair('Supersedes', facts.supersedes ?? 'nothing'),
    [],
    ...stakeRows(tables.figures),
    [...header('Verdict'), numberHeader('Records'), ...header('What it says')],
    ...VERDICTS.map((verdict): Row => [text(verdict), countCell(facts.verdicts[verdict]), beside(MEANING[verdict])]),
    [text('population', STYLE.strong), countCell(facts.population), beside('The six verdicts add up to it')],
    ...(facts.retracted ? [[text('retracted'), countCell(facts.retracted), beside(outOfPopulation(facts))]] : []),
    ...sourceRows(facts),
    [],
    [
      ...header('Sheet'),
      numberHeader('Rows'),
      ...header('What it holds', 'SHA-256 of the CSV file that it was made from'),
    ],
    ...sheets.map(
      ({ name, rows: held, definition }): Row => [
        text(name),
        countCell(held),
        beside(definition.description),
        text(csvOf(tables, definition)?.sha256 ?? ''),
      ],
    ),
    [],
    header('How to read it'),
    ...notes(decimals === 'minor-units' ? decimals : tables.decimals, precision).map((note): Row => [text(note)]),
  ];
  return { name: 'Summary', widths: [34, 14, 68, 68], rows, isTable: false };
}

function statusInWords({ status, incomplete_because: reasons = [] }: FinishedTables['facts']): string {
  if (status === 'complete') return 'complete';
  return `incomplete: ${reasons.length === 0 ? 'something due was not verified' : reasons.join('. ')}`;
}

function sourceRows({ sources = [] }: FinishedTables['facts']): Row[] {
  if (sources.length === 0) return [];
  const rows = sources.map(({ name, read, accepted, rejected, failed }): Row => {
    const rest = `${accepted} accepted, ${rejected} rejected; ${failed} files or queries could not be read`;
    return [text(name), countCell(read), beside(rest)];
  });
  return [[], header('Source', 'Lines read', 'What became of them'), ...rows];
}

const MEANING = {
  matched: 'Verified, finished, and nothing to object to',
  pending: 'Verified, not finished yet',
  break: 'Verified, with an open break',
  unverified: 'Could not be read: neither matched nor a break',
  quarantined: 'Answered, but not in a form that can be judged',
  waived: 'Verified, and every break of it waived by a person: accepted, not matched',
} as const;

function notes(decimals: DecimalsMode, { amounts, beyond }: Precision): string[] {
  return [
    'The CSV files beside this workbook are the record; it was made from them, and its totals are theirs.',
    'An empty cell is unknown, never zero. Times are UTC.',
    decimals === 'exact'
      ? 'Amounts are shown to the places of their currency and hold all digits underneath; tokens are shown to 8 places.'
      : 'Fiat amounts are rounded to the places of their currency, row by row, so that each row foots. "Control totals" has the exact sums, and what rounding took from them.',
    `Spreadsheets calculate with 15 digits: ${count(beyond)} of ${count(amounts)} amounts in this workbook have more, and are rounded there when it is opened. The sheet "Control totals" gives every total exactly, as text.`,
    'Ids, hashes and units are texts, so that no digit of them is lost.',
  ];
}

/**
 * Each total of the manifest: as a number to calculate with, and exactly.
 * @param roundings per file: what rounding took from the sums of its rows, as they are in this workbook.
 */
export function totalsSheet({ files }: FinishedTables, roundings: ReadonlyMap<string, Totals> = new Map()): SmallSheet {
  const rows = files
    .filter(({ name }) => name.endsWith('.csv'))
    .flatMap(({ name, totals }) =>
      Object.entries(totals).flatMap(([currency, columns]) =>
        Object.entries(columns).map(
          ([column, total]): Row => [
            text(name),
            text(column),
            text(currency),
            { number: total, style: moneyStyle(currency) },
            text(total),
            text(significantDigits(total) > 15 ? 'rounded' : 'exact'),
            text(roundings.get(name)?.[currency]?.[column] ?? '0'),
          ],
        ),
      ),
    );
  return {
    name: 'Control totals',
    widths: [22, 30, 12, 24, 44, 22, 30],
    rows: [
      [
        ...header('file', 'column', 'currency'),
        numberHeader('total'),
        ...header('total_exact', 'total_as_number_is', 'rounding_of_rows'),
      ],
      ...rows,
    ],
    isTable: true,
  };
}

export function columnsSheet({ definitions }: FinishedTables): SmallSheet {
  const rows = definitions.flatMap(({ name, columns }) =>
    columns.map(
      (column): Row => [text(name), text(column.name), text(column.type), text(column.description.replaceAll('`', ''))],
    ),
  );
  return {
    name: 'Columns',
    widths: [22, 30, 12, 90],
    rows: [header('sheet', 'column', 'type', 'meaning'), ...rows],
    isTable: true,
  };
}

export function smallSheetXml({ widths, rows, isTable }: SmallSheet): string {
  const columns = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`);
  const range = `A1:${columnName(widths.length - 1)}${rows.length}`;
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view = isTable
    ? `<sheetView workbookViewId="0">${pane}</sheetView>`
    : '<sheetView showGridLines="0" tabSelected="1" workbookViewId="0"/>';
  return `${XML}<worksheet xmlns="${MAIN}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews>${view}</sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${columns.join('')}</cols><sheetData>${rows.map(rowXml).join('')}</sheetData>${isTable ? `<autoFilter ref="${range}"/>` : ''}<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>`;
}

function rowXml(row: Row, index: number): string {
  const cells = row.map((cell, i) => {
    const ref = `${columnName(i)}${index + 1}`;
    if (cell === null) return '';
    return 'number' in cell
      ? numberCell(cell.style, cell.number)(ref)
      : styledText(ref, cell.text, cell.style ?? STYLE.text);
  });
  const isTitle = row.some((cell) => cell?.style === STYLE.title);
  return `<row r="${index + 1}"${isTitle ? ' ht="24" customHeight="1"' : ''}>${cells.join('')}</row>`;
}

function outOfPopulation({ retracted_by_kind: kinds }: FinishedTables['facts']): string {
  return `Out of the population by decision${kinds === undefined ? '' : `: ${kindsInWords(kinds)}`}`;
}

/** One report as CSV: rows go in in batches; bytes, rows, hash and exact totals come out. Memory does not grow with rows. */

import { type Instant, isInCalendar } from '../domain/record.ts';
import type { Column, DecimalsMode, ReportDefinition } from '../ports/report-definition.ts';
import { isPlainNumber } from '../text/visible.ts';
import { Amounts } from './amounts.ts';
import { exported, guardedUnits, isNumeral, type Profile, pointed } from './profiles.ts';
import { TextTable, type TextTarget } from './table-file.ts';

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
): TextTable<Row> {
  const amounts = new Amounts(definition, decimals);
  const print = createLinePrinter(definition, profile, amounts);
  if (isWhole) target.write(`${profile.bom ? '\uFEFF' : ''}${headerLine(definition, profile)}`);
  return new TextTable(definition.file, target, amounts, print);
}

/** Texts that need no quotes, and a mark only where they are numerals: most texts. */
const HARMLESS = /^[0-9A-Za-z][^",;\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u;
const SPECIAL = /["\r\n]/;

/** A cell by RFC 4180: quoted where it holds the delimiter, a quote or a line break. */
export function quoted(cell: string, delimiter: string): string {
  if (!SPECIAL.test(cell) && !cell.includes(delimiter)) return cell;
  return `"${cell.replaceAll('"', '""')}"`;
}

type Print<Row> = (row: Row) => string;

/** The header line, with its end. */
function headerLine(definition: ReportDefinition<never>, profile: Profile): string {
  const names = definition.columns.map(({ name }) => quoted(name, profile.delimiter));
  return `${names.join(profile.delimiter)}${profile.lineEnd}`;
}

/**
 * Makes a line of each row. Written by hand because it is seven times as fast as a general CSV library; a property test
 * holds it equal to csv-stringify.
 *
 * @param amounts reads the row's amounts, and adds them up, before the line is put together.
 */
function createLinePrinter<Row>(
  definition: ReportDefinition<Row>,
  profile: Profile,
  amounts: Amounts<Row>,
): Print<Row> {
  const printers = definition.columns.map((column) => printerOf(column, profile, amounts));
  const cells = printers.map(() => '');
  const { delimiter, lineEnd } = profile;
  return (row) => {
    amounts.read(row);
    for (let i = 0; i < cells.length; i++) cells[i] = printers[i]?.(row) ?? '';
    return cells.join(delimiter) + lineEnd;
  };
}

function printerOf<Row>(column: Column<Row>, profile: Profile, amounts: Amounts<Row>): Print<Row> {
  switch (column.type) {
    case 'text':
    case 'id':
      return rememberLast(column.value, textCell(column, profile));
    case 'units':
      return rememberLast(column.value, (text) => guardedUnits(text, profile));
    case 'date':
      return rememberLast(column.value, (text) => quoted(text, profile.delimiter));
    case 'instant': {
      const print = createInstantPrinter();
      return (row) => {
        const instant = column.value(row);
        return instant === null ? '' : print(instant);
      };
    }
    case 'percent':
      return (row) => {
        const value = column.value(row);
        return value === null ? '' : pointed(value.toString(), profile);
      };
    case 'count':
    case 'boolean':
      return (row) => {
        const value = column.value(row);
        return value === null ? '' : String(value);
      };
    case 'amount': {
      const position = amounts.position(column.name);
      return () => pointed(amounts.texts[position] ?? '', profile);
    }
  }
}

/** Many columns repeat their text (run, kind, currency, status): an equal text is not checked again. */
function rememberLast<Row>(value: (row: Row) => string | null, toCell: (text: string) => string): Print<Row> {
  let lastText: string | null = null;
  let lastCell = '';
  return (row) => {
    const text = value(row);
    if (text === lastText) return lastCell;
    lastText = text;
    lastCell = text === null ? '' : toCell(text);
    return lastCell;
  };
}

function textCell<Row>(
  column: Extract<Column<Row>, { type: 'text' | 'id' }>,
  profile: Profile,
): (text: string) => string {
  const mayBeNumber = column.type === 'text' && column.mayBeNumber === true;
  return (text) => {
    if (mayBeNumber && isPlainNumber(text)) return pointed(text, profile);
    if (HARMLESS.test(text) && !(profile.guardsNumerals && isNumeral(text))) return text;
    return quoted(exported(text, profile), profile.delimiter);
  };
}

const DAY = 86_400_000;

const two = (n: number) => String(n).padStart(2, '0');
const THOUSAND = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));
/** `10:02:` for each minute of a day. */
const MINUTES = Array.from({ length: 1440 }, (_, n) => `${two(Math.floor(n / 60))}:${two(n % 60)}:`);
const SECONDS = Array.from({ length: 60 }, (_, n) => `${two(n)}.`);

/** A printer that remembers the last day it saw. */
export function createInstantPrinter(): (instant: Instant) => string {
  let knownDay = Number.NaN;
  let date = '';
  return (instant) => {
    const day = Math.floor(instant / DAY);
    if (day !== knownDay) {
      if (!isInCalendar(instant)) throw new RangeError(`no instant of a calendar: ${instant}`);
      date = new Date(day * DAY).toISOString().slice(0, -'00:00:00.000Z'.length);
      knownDay = day;
    }
    const ms = Math.trunc(instant - day * DAY);
    const second = Math.trunc(ms / 1000);
    return `${date}${MINUTES[Math.trunc(second / 60)]}${SECONDS[second % 60]}${THOUSAND[ms % 1000]}Z`;
  };
}

/** Cells of CSV as cells of SpreadsheetML, by the type of their column. */

import { minorUnitDigits } from '../../domain/currency.ts';
import type { Column } from '../../ports/report-definition.ts';

/** Digits that a spreadsheet keeps of a number, at the least. */
const EXACT_DIGITS = 15;
/** 1899-12-30, day 0 of spreadsheets. */
const DAY_ZERO = Date.UTC(1899, 11, 30);
const DAY = 86_400_000;

/** Prints one cell: `ref` is where (`B7`), `cell` what, `row` the whole row. Empty for an unknown value. */
type PrintCell = (ref: string, cell: string, row: readonly string[]) => string;

/** How many amounts of a column went in, and how many of them have more digits than a spreadsheet keeps. */
export interface Precision {
  amounts: number;
  beyond: number;
}

/** @param places where in the row each column is; amounts are shown by their currency. */
export function cellPrinter(
  column: Column<never>,
  places: ReadonlyMap<string, number>,
  precision: Precision,
): PrintCell {
  switch (column.type) {
    case 'text':
      return wraps(column) ? wrappedCell : column.mayBeNumber === true ? numberOrText : textCell;
    case 'id':
    case 'units':
      return textCell;
    case 'date':
      return remembered((cell) =>
        numberCell(STYLE.date, String((Date.parse(`${cell}T00:00:00.000Z`) - DAY_ZERO) / DAY)),
      );
    case 'instant':
      return (ref, cell) => numberCell(STYLE.instant, String((Date.parse(cell) - DAY_ZERO) / DAY))(ref);
    case 'percent':
      return (ref, cell) => numberCell(STYLE.general, cell)(ref);
    case 'count':
      return (ref, cell) => numberCell(STYLE.general, cell)(ref);
    case 'boolean':
      return (ref, cell) => `<c r="${ref}" t="b"><v>${cell === 'true' ? 1 : 0}</v></c>`;
    case 'amount': {
      const currency = places.get(column.currencyColumn) ?? -1;
      return (ref, cell, row) => {
        precision.amounts++;
        if (significantDigits(cell) > EXACT_DIGITS) precision.beyond++;
        // The file has all digits; the program that opens it keeps fifteen to seventeen of them.
        return numberCell(moneyStyle(row[currency] ?? ''), cell)(ref);
      };
    }
  }
}

const SENTENCES = new Set(['explanation', 'memo', 'detail']);

/** Columns of sentences: their texts are in lines, and the rows grow with them. */
export function wraps({ type, name }: Column<never>): boolean {
  return type === 'text' && (SENTENCES.has(name) || name.endsWith('_reason'));
}

/** Whether a column's cells are numbers, which stand at the right. */
export function isNumeric({ type }: Column<never>): boolean {
  return type === 'amount' || type === 'percent' || type === 'count';
}

const wrappedCell: PrintCell = (ref, cell) => styledText(ref, cell, STYLE.wrapped);

/** A number where the cell is one that a spreadsheet keeps; a status or an address otherwise. */
const numberOrText: PrintCell = (ref, cell) =>
  PLAIN_NUMBER.test(cell) && significantDigits(cell) <= EXACT_DIGITS
    ? numberCell(STYLE.numberAmongTexts, cell)(ref)
    : styledText(ref, cell, STYLE.text);

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Ids, hashes and units keep every digit, and a text is never run as a formula. */
export const textCell: PrintCell = (ref, cell) => styledText(ref, cell, STYLE.text);

export function styledText(ref: string, text: string, style: number): string {
  // Without this attribute, programs drop line breaks and blanks at the ends.
  return `<c r="${ref}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;
}

/** @param number plain digits. */
export function numberCell(style: number, number: string): (ref: string) => string {
  const rest = `" s="${style}"><v>${number}</v></c>`;
  return (ref) => `<c r="${ref}${rest}`;
}

/** Dates repeat themselves down a column. */
function remembered(make: (cell: string) => (ref: string) => string): PrintCell {
  let last: string | null = null;
  let print: (ref: string) => string = () => '';
  return (ref, cell) => {
    if (cell !== last) {
      last = cell;
      print = make(cell);
    }
    return print(ref);
  };
}

/** Of plain digits: leading zeros do not count, nor does the point. */
export function significantDigits(number: string): number {
  // Most amounts are short, and short ones need no second look.
  if (number.length <= EXACT_DIGITS) return number.length;
  return number.replace(/^-?0*\.?0*/, '').replace('.', '').length;
}

/** Name → number format; the order gives the style its number. */
const FORMATS = {
  general: 'General',
  text: '@',
  count: '#,##0',
  date: 'yyyy-mm-dd',
  /** Milliseconds are in the value; the column would be too wide to show them. */
  instant: 'yyyy-mm-dd hh:mm:ss',
  money0: '#,##0',
  money1: '#,##0.0',
  money2: '#,##0.00',
  money3: '#,##0.000',
  money4: '#,##0.0000',
  tokens: '#,##0.00######',
  header: '@',
  /** Above a column of numbers. */
  numberHeader: '@',
  /** A number in a column of texts. */
  numberAmongTexts: 'General',
  /** A sentence, in lines. */
  wrapped: '@',
  title: '@',
  strong: '@',
  /** Text right of a number. */
  beside: '@',
} as const;
export type Style = keyof typeof FORMATS;

const NAMES = Object.keys(FORMATS) as Style[];

export const STYLE: Readonly<Record<Style, number>> = Object.fromEntries(
  NAMES.map((name, index) => [name, index]),
) as Record<Style, number>;

/** An amount is shown to its currency's places (ISO 4217), and holds all its digits; tokens have places of their own. */
export function moneyStyle(currency: string): number {
  switch (minorUnitDigits(currency)) {
    case 0:
      return STYLE.money0;
    case 1:
      return STYLE.money1;
    case 2:
      return STYLE.money2;
    case 3:
      return STYLE.money3;
    case 4:
      return STYLE.money4;
    default:
      return STYLE.tokens;
  }
}

const FONT: Partial<Record<Style, number>> = { header: 1, numberHeader: 1, title: 2, strong: 3 };
const FILL: Partial<Record<Style, number>> = { header: 2, numberHeader: 2 };
const BESIDE_NUMBERS = '<alignment horizontal="left" vertical="top" indent="1"/>';

const ALIGNMENT: Partial<Record<Style, string>> = {
  text: BESIDE_NUMBERS,
  header: BESIDE_NUMBERS,
  numberAmongTexts: BESIDE_NUMBERS,
  beside: BESIDE_NUMBERS,
  numberHeader: '<alignment horizontal="right" vertical="top"/>',
  wrapped: '<alignment horizontal="left" vertical="top" indent="1" wrapText="1"/>',
};
/** Numbers of formats of our own begin here; those below are built in. */
const FIRST_FORMAT = 164;

export function stylesXml(): string {
  const formats = NAMES.map(
    (name, i) => `<numFmt numFmtId="${FIRST_FORMAT + i}" formatCode="${FORMATS[name].replaceAll('"', '&quot;')}"/>`,
  );
  const cells = NAMES.map((name, i) => {
    const alignment = ALIGNMENT[name] ?? '<alignment vertical="top"/>';
    return `<xf numFmtId="${FIRST_FORMAT + i}" fontId="${FONT[name] ?? 0}" fillId="${FILL[name] ?? 0}" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyAlignment="1">${alignment}</xf>`;
  });
  const font = (size: number, more = '', color = '<color theme="1"/>') =>
    `<font>${more}<sz val="${size}"/>${color}<name val="Calibri"/><family val="2"/></font>`;
  return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${formats.length}">${formats.join('')}</numFmts><fonts count="4">${font(11)}${font(11, '<b/>', '<color rgb="FFFFFFFF"/>')}${font(16, '<b/>')}${font(11, '<b/>')}</fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF1F3A5F"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length}">${cells.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}

// Text inside SpreadsheetML: escaped, and with what XML cannot hold spelled as the format prescribes.

/** The most characters that a spreadsheet cell takes; a longer one makes the file "damaged". */
const LONGEST_CELL = 32_767;
const NEEDS_CARE = /[&<>"\p{Cc}\p{Cs}\ufffe\uffff]|_x[0-9A-Fa-f]{4}_/u;
/** Tabs and line feeds may stay; a carriage return would be read as a line feed. */
const UNSPEAKABLE = /(?![\t\n])[\p{Cc}\ufffe\uffff]/gu;
/** A text that looks like the spelling of a character must not be read as one. */
const SPELLING = /_(?=x[0-9A-Fa-f]{4}_)/g;

/** For element content and attributes. Lone surrogates become U+FFFD, as no file can hold them. */
export function xmlText(text: string): string {
  const fits = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL - 1)}…` : text;
  if (!NEEDS_CARE.test(fits)) return fits;
  return fits
    .toWellFormed()
    .replace(SPELLING, '_x005F_')
    .replace(UNSPEAKABLE, (c) => `_x${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** 0 → A, 26 → AA. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

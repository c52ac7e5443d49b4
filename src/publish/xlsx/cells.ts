/** Cells of CSV as cells of SpreadsheetML, by the type of their column. */
import type { Column } from '../../ports/report-definition.ts';
import { moneyStyle, STYLE } from './styles.ts';
import { xmlText } from './xml.ts';

/** Digits that a spreadsheet keeps of a number, at the least. */
const EXACT_DIGITS = 15;
/** 1899-12-30, day 0 of spreadsheets. */
const DAY_ZERO = Date.UTC(1899, 11, 30);
const DAY = 86_400_000;

/** Prints one cell: `ref` is where (`B7`), `cell` what, `row` the whole row. Empty for an unknown value. */
export type PrintCell = (ref: string, cell: string, row: readonly string[]) => string;

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
    case 'id':
    case 'units':
      return textCell;
    case 'date':
      return remembered((cell) => numberCell(STYLE.date, String(dayNumber(cell))));
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
        // All digits go into the file; it is the program that opens it which keeps fifteen to seventeen of them.
        return numberCell(moneyStyle(row[currency] ?? ''), cell)(ref);
      };
    }
  }
}

/** Ids, hashes and units stay what they are; a text is never run, whatever it begins with. */
export const textCell: PrintCell = (ref, cell) => styledText(ref, cell, STYLE.text);

export function styledText(ref: string, text: string, style: number): string {
  // Programs drop blanks at the ends and line breaks, unless told not to.
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

function dayNumber(date: string): number {
  return (Date.parse(`${date}T00:00:00.000Z`) - DAY_ZERO) / DAY;
}

/** Of plain digits: leading zeros do not count, nor does the point. */
export function significantDigits(number: string): number {
  // Most amounts are short, and short ones need no second look.
  if (number.length <= EXACT_DIGITS) return number.length;
  return number.replace(/^-?0*\.?0*/, '').replace('.', '').length;
}

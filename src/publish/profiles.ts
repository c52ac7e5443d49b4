/**
 * How a CSV file is spelled for the program that opens it: bytes, delimiters, and marks. A text that a spreadsheet would run
 * as a formula, or turn into another number, gets a leading apostrophe, which makes a text of any cell. The mark can be
 * undone: no two texts are printed alike. See docs/decisions/0004-what-spreadsheets-do-to-cells.md.
 */

import type { DecimalsMode, ProfileName } from '../ports/report-definition.ts';
import { isFormula, visible } from '../text/visible.ts';

export interface Profile {
  name: ProfileName;
  /** Excel takes a file without it for an old code page. */
  bom: boolean;
  delimiter: ',' | ';';
  lineEnd: '\n' | '\r\n';
  /** Never the delimiter, so numbers need no quotes. */
  decimalPoint: '.' | ',';
  /** Whether texts that this program would turn into another number (`00322`, `322`, `12e5`) are marked as texts. */
  guardsNumerals: boolean;
}

const STANDARD: Profile = {
  name: 'standard',
  bom: false,
  delimiter: ',',
  lineEnd: '\n',
  decimalPoint: '.',
  guardsNumerals: false,
};
const EXCEL: Profile = { ...STANDARD, name: 'excel', bom: true, lineEnd: '\r\n', guardsNumerals: true };

const ALL: Readonly<Record<ProfileName, Profile>> = {
  standard: STANDARD,
  excel: EXCEL,
  'excel-eu': { ...EXCEL, name: 'excel-eu', delimiter: ';', decimalPoint: ',' },
  'google-sheets': { ...STANDARD, name: 'google-sheets', guardsNumerals: true },
};

/** The setting `reports.decimals`. */
export type DecimalsChoice = DecimalsMode | 'by-profile';

/** How the tables of a set print amounts: exact for programs, at the places of the currency for spreadsheets. */
export function tableDecimals(choice: DecimalsChoice, profile: ProfileName): DecimalsMode {
  if (choice !== 'by-profile') return choice;
  return profile === 'standard' ? 'exact' : 'minor-units';
}

/** How workbooks hold amounts, independent of the profile of the CSV files. */
export function documentDecimals(choice: DecimalsChoice): DecimalsMode {
  return choice === 'by-profile' ? 'minor-units' : choice;
}

export function profileOf(name: ProfileName): Profile {
  return ALL[name];
}

/** Plain digits with a point, as the profile prints numbers. */
export function pointed(number: string, profile: Profile): string {
  return profile.decimalPoint === '.' ? number : number.replace('.', profile.decimalPoint);
}

/** An id of digits alone is no number: spreadsheets drop its leading zeros, keep 15 digits, and read `12e5` as 1,200,000. */
const NUMERAL = /^(?:\d+|\d+(?:\.\d+)?[eE][+-]?\d+)$/;
/** Of a number. */
const SPREADSHEET_DIGITS = 15;

function isActive(text: string, profile: Profile): boolean {
  if (isFormula(text)) return true;
  return profile.guardsNumerals && isNumeral(text);
}

/**
 * A text that is itself an apostrophe before something active needs a mark too, to distinguish it from a marked text.
 */
function needsMark(text: string, profile: Profile): boolean {
  return isActive(text.startsWith("'") ? text.replace(/^'+/, '') : text, profile);
}

/** The text as a cell of a `text` or `id` column. */
export function defuse(text: string, profile: Profile): string {
  return needsMark(text, profile) ? `'${text}` : text;
}

/** A text from outside as an export shows it: nothing in it commands a terminal, turns the writing round or runs. */
export function exported(text: string, profile: Profile): string {
  return defuse(visible(text), profile);
}

/** The text that a cell of a `text` or `id` column was made from. */
export function undefuse(cell: string, profile: Profile): string {
  if (!cell.startsWith("'")) return cell;
  const text = cell.slice(1);
  return needsMark(text, profile) ? text : cell;
}

/** Units of crypto, of any length: a number that a spreadsheet keeps, or else a text. */
export function guardedUnits(digits: string, profile: Profile): string {
  return profile.guardsNumerals && digits.length > SPREADSHEET_DIGITS ? `'${digits}` : digits;
}

/** A text that spreadsheets would turn into another number. */
export function isNumeral(text: string): boolean {
  return NUMERAL.test(text);
}

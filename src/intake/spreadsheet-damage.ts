/**
 * What a spreadsheet makes of ids and tokens when it saves a file: numbers of 15 digits, dates, error values. The
 * original text is lost, so the line is refused rather than tracked under an id that does not exist.
 */

/** English, German and Polish; a formula that failed leaves one of them. */
const ERROR_VALUES = new Set(
  'N/A NAME? REF! VALUE! DIV/0! NUM! NULL! SPILL! CALC! NV BEZUG! WERT! ZAHL! N/D! N/D ADR! ARG! LICZBA! NAZWA?'
    .split(' ')
    .map((name) => `#${name}`),
);

const SCIENTIFIC = /^\d(?:[.,]\d+)?E[+-]\d{1,3}$/i;
const MONTH =
  'jan|feb|mar|mär|mrz|apr|mai|may|jun|jul|aug|sep|oct|okt|nov|dec|dez|sty|lut|kwi|maj|cze|lip|sie|wrz|paź|lis|gru';
const DATE = new RegExp(
  `^(?:\\d{1,2}-(?:${MONTH})(?:-\\d{2,4})?|(?:${MONTH})-\\d{2,4}|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[./]\\d{1,2}[./]\\d{2,4})$`,
  'iu',
);
const UUID_START = /^[0-9a-f]{8}-[0-9a-f]{4}-/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Spreadsheets keep so many digits of a number, and write zeros after them. */
const DIGITS_KEPT = 15;

export type DamagedColumn = 'id' | 'view_token' | 'quote_id' | 'host_reference';

/** How the text was damaged, as the end of a sentence; null where there is no sign of it. Never repeats a token. */
export function spreadsheetDamage(column: DamagedColumn, text: string): string | null {
  if (ERROR_VALUES.has(text.toUpperCase())) return 'is an error value of a spreadsheet: the formula found nothing';
  if (SCIENTIFIC.test(text))
    return 'is a number that a spreadsheet rounded: format the column as text before the file is opened';
  if (column !== 'id') return null;
  if (/^\d+$/.test(text) && text.length > DIGITS_KEPT && /^0+$/.test(text.slice(DIGITS_KEPT)))
    return 'has lost its digits after the fifteenth in a spreadsheet: format the column as text before the file is opened';
  if (DATE.test(text)) return 'is a date that a spreadsheet made of the id';
  return UUID_START.test(text) && !UUID.test(text) ? 'is a UUID that was cut' : null;
}

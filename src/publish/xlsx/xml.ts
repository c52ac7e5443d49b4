/** Text inside SpreadsheetML: escaped, and with what XML cannot hold spelled as the format prescribes. */

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

/**
 * Texts on their way to PostgreSQL and back. It stores every character but U+0000, which a body of the Service may hold in
 * any of its fields: refused by the server, one such body would stop the whole batch that it came in.
 */

/** SUBSTITUTE: a control character that nothing here has a use for. It introduces the two characters below. */
const ESCAPE = '\u001a';
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these two are what this file is about.
const SPECIAL = /[\u0000\u001a]/g;

function encodeText(text: string): string {
  return text.includes('\u0000') || text.includes(ESCAPE)
    ? text.replace(SPECIAL, (character) => (character === '\u0000' ? `${ESCAPE}0` : `${ESCAPE}1`))
    : text;
}

/** The text as it was given to `encodeParameter`. */
export function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, '\u0000').replaceAll(`${ESCAPE}1`, ESCAPE);
}

/** A parameter of a statement; texts in lists too. Equal texts stay equal, so comparisons in SQL go on working. */
export function encodeParameter(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value);
  return Array.isArray(value) ? value.map(encodeParameter) : value;
}

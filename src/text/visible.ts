/** What a text from outside must not do where it is shown: command a terminal, turn the writing round, run in a spreadsheet. */

/**
 * Characters that command a terminal or turn the direction of writing: a text that holds them is shown otherwise than it is
 * stored. Tabs and line breaks are not among them.
 */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/u;
const EVERY = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/gu;

function hasUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

/**
 * What ends a cell before a formula where a spreadsheet takes another separator than the file has, as one in German does
 * with commas: there quotes within a line mean nothing. Two texts of a cell with a blank between are not run.
 */
const CELL_END = /[\t\n\r,;](?=["\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])/gu;

/** Each of them as its code: `\x1b`, `\u202e`, `\x3b`. */
export function visible(text: string): string {
  const seen = hasUnseen(text) ? text.replace(EVERY, (mark) => escapeOf(mark, mark < '\u0100' ? '\\x' : '\\u')) : text;
  return seen.replace(CELL_END, (mark) => escapeOf(mark, '\\x'));
}

/** The same on one line: a text from outside must not forge another line of a letter or a notice. */
export function oneLine(text: string): string {
  return visible(text.replace(/[\t\n\r\u2028\u2029]+/g, ' '));
}

/** For JSON, where the escape is another spelling of the same text. */
export function visibleJson(json: string): string {
  return hasUnseen(json) ? json.replace(EVERY, (mark) => escapeOf(mark, '\\u', 4)) : json;
}

function escapeOf(mark: string, prefix: '\\x' | '\\u', digits = prefix === '\\x' ? 2 : 4): string {
  return prefix + mark.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** A cell or a header may have megabytes, and a message begins with the field and ends with the remedy. */
export function shortened(message: string): string {
  return message.length <= 500 ? message : `${message.slice(0, 300)} … ${message.slice(-150)}`;
}

/** A long word with a digit: in a file without a header, the view token of its first record stands in place of a name. */
const TOKEN_LIKE = /^(?=\S*\d)\S{10,}$/;

/** The names of a header, for a message. */
export function headerText(names: readonly string[]): string {
  return shortened(names.map((name) => (TOKEN_LIKE.test(name) ? '…' : name)).join(', '));
}

/**
 * What a spreadsheet would run: a formula sign at the start or behind blanks, control characters and invisible marks that
 * programs skip. Full-width and small forms count, because some programs fold them into the plain sign.
 */
const LIVE = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212]|^ *[\t\r\n\0]/u;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Whether a spreadsheet would run the text. A plain negative number is no formula; spreadsheets show it as it is. */
export function isFormula(text: string): boolean {
  return LIVE.test(text) && !PLAIN_NUMBER.test(text);
}

export function isPlainNumber(text: string): boolean {
  return PLAIN_NUMBER.test(text);
}

/** For a cell of a CSV file that has no profile: an apostrophe before what a spreadsheet would run. */
export function harmless(text: string): string {
  const shown = visible(text);
  return isFormula(shown.replace(/^'+/, '')) ? `'${shown}` : shown;
}

/** Showing a bad line without its token. Where the token's place is unknown, every long word is cut. */
import { looksLikeName } from './tracked-facts.ts';

export const CUT = '[cut]';

/** An id, or a text that cannot be a token, which has visible ASCII characters only. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$|[^\x21-\x7e]/;

/** Short: a token may be digits alone. */
const AMOUNT = /^[\d., ]{1,15}$/;

/**
 * Columns that may be shown, and their allowed values. Everything else is cut: the token, unknown columns, and a value
 * in a column that it does not fit.
 */
const SHOWN: Readonly<Record<string, RegExp>> = {
  kind: /^[a-zA-Z]{0,12}$/,
  id: ID,
  created_at: /^[\d:TZ+./ -]*$/,
  host_reference: /^.*$/s,
  quote_id: /^.*$/s,
  expected_status: /^.*$/s,
  shown_total: AMOUNT,
  shown_fee: AMOUNT,
};

function mayShow(column: string, text: string): boolean {
  return Object.hasOwn(SHOWN, column) && SHOWN[column]?.test(text.trim()) === true;
}

const MAX_SHOWN = 500;

/** For a line whose cells are certain. */
export function cutCells(header: readonly string[], cells: readonly string[]): string {
  const id = cells[header.indexOf('id')] ?? '';
  const token = cells[header.indexOf('view_token')] ?? '';
  const shown = cells.map((cell, index) => {
    if (cell === '') return '';
    const column = header[index] ?? '';
    if (!mayShow(column, cell) || isSuspect(column, cell, id, token)) return CUT;
    return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return shown.join(',').slice(0, MAX_SHOWN);
}

/**
 * Where the id is not one, cells may have shifted: then any free cell may be the token, and so may one that repeats it.
 */
function isSuspect(column: string, cell: string, id: string, token: string): boolean {
  if (token !== '' && cell.includes(token)) return true;
  return FREE.includes(column) && id !== '' && !ID.test(id.trim());
}

/** Columns that take any text. */
const FREE = ['host_reference', 'quote_id', 'expected_status'];

/** For a parsed JSON object. */
export function cutObject(object: Readonly<Record<string, unknown>>): string {
  const [id, token] = [object.id, object.view_token].map((value) => (typeof value === 'string' ? value : ''));
  const isShown = (key: string, value: string) => mayShow(key, value) && !isSuspect(key, value, id ?? '', token ?? '');
  const shown = Object.entries(object).map(([key, value], place) => [
    looksLikeName(key) ? key : `(${place + 1})`,
    value === null || (typeof value !== 'object' && isShown(key, String(value))) ? value : CUT,
  ]);
  return JSON.stringify(Object.fromEntries(shown)).slice(0, MAX_SHOWN);
}

/**
 * For a line that cannot be taken apart: its punctuation stays, so that the stray quote can be seen, and every word that
 * is long enough to be a token goes.
 */
export function cutWords(text: string): string {
  return text
    .slice(0, MAX_SHOWN)
    .replace(/[^\s,;:"'{}[\]]+/g, (word) => (word.length < 6 || word === 'purchase' ? word : CUT));
}

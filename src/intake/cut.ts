/** Showing a bad line without its token. Where the token's place is unknown, every long word is cut. */

export const CUT = '[cut]';

/**
 * Columns that may be shown, and what may stand in them. Everything else is cut: the token, what we do not know, and
 * what has slipped into a column where it does not belong.
 */
const SHOWN: Readonly<Record<string, RegExp>> = {
  kind: /^[a-zA-Z]{0,12}$/,
  id: /^.*$/s,
  created_at: /^[\d:TZ+./ -]*$/,
  host_reference: /^.*$/s,
  quote_id: /^.*$/s,
  expected_status: /^.*$/s,
};

function mayShow(column: string, text: string): boolean {
  return Object.hasOwn(SHOWN, column) && SHOWN[column]?.test(text) === true;
}

const MAX_SHOWN = 500;

/** For a line whose cells are certain. */
export function cutCells(header: readonly string[], cells: readonly string[]): string {
  const shown = cells.map((cell, index) => {
    if (cell === '') return '';
    if (!mayShow(header[index] ?? '', cell)) return CUT;
    return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return shown.join(',').slice(0, MAX_SHOWN);
}

/** For a parsed JSON object. */
export function cutObject(object: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(object).map(([key, value]) => [
    key,
    value === null || (typeof value !== 'object' && mayShow(key, String(value))) ? value : CUT,
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

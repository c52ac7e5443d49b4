/** The name that was probably meant: settings, rules, jobs, columns, widget parameters, assets. */

/** Longer words are not misspelt names; the limit keeps the table of edits small. */
const LONGEST = 60;

/** Edits (insert, delete, replace, swap neighbours) that turn one word into the other. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replace = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      // Before the first letter of a word there is no letter, which equals no letter of the other word.
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : replace;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replace, swap));
    }
  }
  return at(a.length, b.length);
}

/** Case, hyphens and underscores are the most common mistakes, so they cost nothing. */
function folded(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

/** The nearest of the names, or undefined where none is near enough to be meant; a third of the letters may be wrong. */
export function nearestName(word: string, names: Iterable<string>): string | undefined {
  const wanted = folded(word).slice(0, LONGEST);
  if (wanted === '') return undefined;
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const edits = distance(wanted, folded(name));
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
}

/** What a message has before a name that is near. */
export const MEANT = 'did you mean';

/** `did you mean service?`, or a list of what is allowed where nothing is near. */
export function suggestion(word: string, allowed: readonly string[]): string {
  const near = nearestName(word, allowed);
  if (near !== undefined) return `${MEANT} ${near}?`;
  return allowed.length === 0 ? 'there is none' : `allowed: ${allowed.join(', ')}`;
}

/** The name that was probably meant: parameters, flows, assets. */

/** Edits (insert, delete, replace) that turn one word into the other. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      line.push(Math.min((above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1, replace));
    }
    above = line;
  }
  return above[b.length] ?? 0;
}

/** Case, hyphens and underscores are what people get wrong most, so they cost nothing. */
const folded = (word: string) => word.toLowerCase().replace(/[-_ ]/g, '');

/** The nearest of the names, or undefined where none is near enough to be meant; a third of the letters may be wrong. */
export function nearestName(word: string, names: Iterable<string>): string | undefined {
  const wanted = folded(word).slice(0, 60);
  if (wanted === '') return undefined;
  let best: string | undefined;
  let bestEdits = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const edits = distance(wanted, folded(name));
    if (edits < bestEdits) [best, bestEdits] = [name, edits];
  }
  return best;
}

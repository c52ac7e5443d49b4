/** Tables of text that fit a width: one line a row, sentences wrapped in their column or below their row. */

export interface Column<T> {
  title: string;
  cell: (row: T) => string;
  align?: 'left' | 'right';
  /** Wraps into what the other columns leave of the width. At most one column of a table. */
  wide?: boolean;
  /** No column of its own: a sentence below each row, indented. */
  below?: boolean;
}

/** A narrower column of sentences is harder to read than lines wrapped by the terminal. */
const MIN_WIDE = 24;
const GAP = 2;
const INDENT = 4;

/** @param width in characters; single cells that are longer than it stay whole @param head how the first line is painted */
export function tableText<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
  head: (text: string) => string,
): string {
  const across = columns.filter(({ below }) => below !== true);
  const below = columns.filter((column) => column.below === true);
  const cells = rows.map((row) => across.map(({ cell }) => oneLine(cell(row))));
  const natural = across.map(({ title }, at) => Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const others = across.reduce((sum, { wide }, at) => sum + (wide ? 0 : (natural[at] ?? 0)), GAP * (across.length - 1));
  const widths = across.map(({ wide }, at) =>
    wide ? Math.min(natural[at] ?? 0, Math.max(MIN_WIDE, width - others)) : (natural[at] ?? 0),
  );
  const printed = (line: readonly string[]): string[] => {
    const wrapped = line.map((cell, at) => (across[at]?.wide ? wrap(cell, widths[at] ?? 0) : [cell]));
    return Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, n) =>
      across
        .map(({ align }, at) => {
          const text = wrapped[at]?.[n] ?? '';
          return align === 'right' ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
        })
        .join(' '.repeat(GAP))
        .trimEnd(),
    );
  };
  const sentences = (row: T): string[] =>
    below
      .flatMap(({ cell }) => wrap(oneLine(cell(row)), Math.max(MIN_WIDE, width - INDENT)))
      .filter((line) => line !== '')
      .map((line) => ' '.repeat(INDENT) + line);
  return [
    ...printed(across.map(({ title }) => title)).map(head),
    ...rows.flatMap((row, at) => [...printed(cells[at] ?? []), ...sentences(row)]),
  ].join('\n');
}

/** Between words; a longer word is cut. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** Printable, on one line. */
export function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '));
}

/** A text from outside may hold escape sequences that would command the terminal; they are shown, not obeyed. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (mark) => `\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Controls but the line feed, and marks that turn the direction of writing. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

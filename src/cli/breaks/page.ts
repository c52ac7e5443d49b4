/** Text laid out for a terminal of a hundred columns: sections, wrapped sentences, aligned pairs. */
import { printable } from '../table.ts';

const WIDTH = 100;
const INDENT = '  ';
/** A label wider than this stands on a line of its own, rather than pushing every value to the right. */
const WIDEST_LABEL = 26;

/** A null value is unknown: the pair is left out. */
export type Pair = readonly [label: string, value: string | null];

/** Wraps at blanks; a word wider than the line stays whole, because it may be an id or a hash. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of printable(text).split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** A sentence below a heading. */
export function sentence(text: string): string[] {
  return wrapped(text, WIDTH - INDENT.length).map((line) => `${INDENT}${line}`);
}

/** `  label   value`, values aligned and wrapped below themselves. */
export function pairs(all: readonly Pair[]): string[] {
  const known = all.flatMap(([label, value]) => (value === null || value === '' ? [] : [[label, value] as const]));
  const widest = Math.min(WIDEST_LABEL, Math.max(0, ...known.map(([label]) => label.length)));
  const hanging = ' '.repeat(INDENT.length + widest + 2);
  return known.flatMap(([label, value]) => {
    const lines = wrapped(value, WIDTH - hanging.length);
    if (label.length > widest) return [`${INDENT}${label}`, ...lines.map((line) => `${hanging}${line}`)];
    return lines.map((line, i) => (i === 0 ? `${INDENT}${label.padEnd(widest)}  ${line}` : `${hanging}${line}`));
  });
}

export interface Section {
  title: string;
  lines: readonly string[];
}

/** Empty sections are left out. */
export function page(sections: readonly Section[], heading: (title: string) => string): string {
  return sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => [heading(title), ...lines].join('\n'))
    .join('\n\n');
}

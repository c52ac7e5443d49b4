/** Tables: framed on a terminal, aligned columns elsewhere. */

import type { styleText } from 'node:util';
import Table from 'cli-table3';
import { printable } from './output.ts';

export interface Column<T> {
  title: string;
  cell: (row: T) => string;
  align?: 'left' | 'right';
  /** Takes the width that is left on a terminal, in several lines. At most one column of a table. */
  wide?: boolean;
}

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Narrower than this a column of sentences is worse than a line that the terminal breaks. */
const MIN_WIDE = 24;

export function plainTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map((column) => oneLine(column.cell(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, index) =>
        columns[index]?.align === 'right' ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}

export function ttyTable<T>(columns: readonly Column<T>[], rows: readonly T[], width: number, paint: Paint): string {
  const body = rows.map((row) => columns.map((column) => printable(column.cell(row))));
  const natural = columns.map(({ title }, index) =>
    Math.max(title.length, ...body.map((line) => line[index]?.length ?? 0)),
  );
  // Each column costs its text, two blanks and a border; the last border comes on top.
  const others = columns.reduce((sum, { wide }, index) => sum + 3 + (wide ? 0 : (natural[index] ?? 0)), 1);
  const table = new Table({
    head: columns.map(({ title }) => paint('bold', title)),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    colWidths: columns.map(({ wide }, index) =>
      wide ? Math.min((natural[index] ?? 0) + 2, Math.max(MIN_WIDE, width - others) + 2) : null,
    ),
    wordWrap: true,
    // The library's own colours would ignore NO_COLOR.
    style: { head: [], border: [], compact: true },
  });
  table.push(...body);
  return table.toString();
}

function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '));
}

/** Standard output: only data, as JSON with --json, otherwise as tables. */

import { styleText } from 'node:util';
import Table from 'cli-table3';
import { count, counted } from '../domain/counts.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { VerdictCounts } from '../domain/run.ts';
import { visibleJson } from '../domain/visible.ts';
import type { Pruned } from '../ports/store/store.ts';
import type { Terminal } from './world.ts';

interface OutputOptions {
  json: boolean;
  color: boolean;
}

type Format = Parameters<typeof styleText>[0];

export class Output {
  readonly json: boolean;
  private readonly stream: Terminal;
  private readonly color: boolean;
  private broken = false;

  constructor(stream: Terminal, options: OutputOptions) {
    this.stream = stream;
    this.json = options.json;
    this.color = options.color;
    // `tieout breaks list | head -1` closes the pipe early; that is no error.
    stream.on('error', () => {
      this.broken = true;
    });
  }

  /** True once the pipe is closed: further output is not needed. */
  get closed(): boolean {
    return this.broken || this.stream.destroyed;
  }

  /** Resolves when the text is handed over, so that a slow reader applies backpressure instead of filling memory. */
  async write(text: string | Uint8Array): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => this.stream.write(text, () => resolve()));
  }

  line(text = ''): Promise<void> {
    return this.write(`${text}\n`);
  }

  /** One JSON value; decimals and big integers as exact text. */
  value(value: unknown): Promise<void> {
    return this.line(visibleJson(JSON.stringify(value, exactly, 2)));
  }

  async table<T>(columns: readonly Column<T>[], rows: readonly T[]): Promise<void> {
    if (rows.length === 0) return;
    if (this.stream.isTTY === true) await this.line(ttyTable(columns, rows, this.stream.columns ?? 100, this.paint));
    else await this.line(plainTable(columns, rows));
  }

  /** A list as JSON, or else as a table; `none` says that it is empty. */
  async list<T>(rows: readonly T[], columns: readonly Column<T>[], asJson: (row: T) => unknown, none: string) {
    if (this.json) await this.value(rows.map(asJson));
    else if (rows.length === 0) await this.line(none);
    else await this.table(columns, rows);
  }

  /** One result as JSON, or else in words. */
  result(value: unknown, words: string): Promise<void> {
    return this.json ? this.value(value) : this.line(words);
  }

  /** `label: value` lines, aligned; unknown values are left out. */
  async pairs(pairs: readonly (readonly [string, string | number | null])[]): Promise<void> {
    const known = pairs.filter(([, value]) => value !== null && value !== '');
    const width = Math.max(0, ...known.map(([label]) => label.length));
    for (const [label, value] of known) {
      await this.line(`${this.paint('dim', label.padEnd(width))}  ${printable(String(value))}`);
    }
  }

  /** Colour where the terminal shows it, the bare text everywhere else. */
  readonly paint = (format: Format, text: string): string =>
    this.color ? styleText(format, text, { validateStream: false }) : text;
}

function exactly(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  return value;
}

/** A text from outside may hold escape sequences that would command the terminal; they are shown, not obeyed. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (mark) => `\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Controls but the line feed, and marks that turn the direction of writing. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

/** Decimals print themselves; null stays unknown, which a table shows as an empty cell. */
export function shown(value: Decimal | number | string | null): string {
  return value === null ? '' : String(value);
}

export interface Column<T> {
  title: string;
  cell: (row: T) => string;
  align?: 'left' | 'right';
  /** Wraps into the remaining width of the terminal. At most one column of a table. */
  wide?: boolean;
}

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** A narrower column of sentences is harder to read than lines wrapped by the terminal. */
const MIN_WIDE = 24;

function plainTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
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

function ttyTable<T>(columns: readonly Column<T>[], rows: readonly T[], width: number, paint: Paint): string {
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
    // The colours of the library ignore NO_COLOR.
    style: { head: [], border: [], compact: true },
  });
  table.push(...body);
  return table.toString();
}

function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '));
}

/** `12 evidence texts, 0 sealed bodies and 3 deliveries` */
export function prunedInWords({ bodies, sealedBodies, deliveries, snapshots, contents }: Pruned): string {
  return (
    `${counted(bodies, 'evidence text')}, ${counted(sealedBodies, 'sealed body', 'sealed bodies')}, ` +
    `${counted(deliveries, 'delivery', 'deliveries')}, ${counted(snapshots, 'snapshot')} and the figures of ` +
    counted(contents, 'body', 'bodies')
  );
}

/** `1,990 matched, 3 pending, …` */
export function verdictsInWords(verdicts: VerdictCounts): string {
  return Object.entries(verdicts)
    .map(([name, n]) => `${count(n)} ${name}`)
    .join(', ');
}

/** Figures as a small table, with what they were measured on: a figure without its machine says nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

export type Row = Readonly<Record<string, string | number>>;

/** Columns are those of the first row; numbers are set to the right. */
export function printTable(rows: readonly Row[]): void {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '')))];
  const widths = names.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const isNumber = names.map((name) => rows.every((row) => typeof row[name] === 'number'));
  for (const line of cells) {
    const padded = line.map((cell, at) =>
      isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
    );
    console.log(padded.join('  ').trimEnd());
  }
}

const DOCUMENT = fileURLToPath(new URL('../README.md', import.meta.url));

/**
 * Prints a table, and writes it with its machine and date between the markers of that name in bench/README.md.
 * @param name of the benchmark, as in `<!-- measured, throughput: begin -->`
 */
export function publishTable(name: string, rows: readonly Row[]): void {
  printTable(rows);
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [`<!-- measured, ${name}: begin -->`, `<!-- measured, ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`bench/README.md has lost its markers ${begin} and ${end}`);
  const measured = `Measured: ${new Date().toISOString().slice(0, 10)}, ${machine('after')}.`;
  writeFileSync(DOCUMENT, `${text.slice(0, from + begin.length)}\n${markdown(rows)}\n\n${measured}\n${text.slice(to)}`);
}

function markdown(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [
    line(names),
    line(names.map((name) => (rows.every((row) => typeof row[name] === 'number') ? '---:' : '---'))),
    ...rows.map((row) => line(names.map((name) => cell(row[name] ?? '')))),
  ].join('\n');
}

const cell = (value: string | number) => (typeof value === 'number' ? value.toLocaleString('en') : value);

export function round(value: number, places = 1): number {
  return Math.round(value * 10 ** places) / 10 ** places;
}

/** Cores, memory, Node, and how busy the machine was already. */
export function machine(when: 'before' | 'after' = 'before'): string {
  const load = loadavg()[0] ?? 0;
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores, ${memory} GB, Node ${process.version}, load ${when} ${load.toFixed(2)}`;
}

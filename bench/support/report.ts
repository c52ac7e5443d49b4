/** Figures as a small table, with what they were measured on: a figure without its machine says nothing. */
import { cpus, loadavg, totalmem } from 'node:os';

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

export function round(value: number, places = 1): number {
  return Math.round(value * 10 ** places) / 10 ** places;
}

/** Cores, memory, Node, and how busy the machine was already. */
export function machine(): string {
  const load = loadavg()[0] ?? 0;
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores, ${memory} GB, Node ${process.version}, load before ${load.toFixed(2)}`;
}

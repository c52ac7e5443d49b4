/** Standard output: only data, as JSON with --json, otherwise as tables. */
import { styleText } from 'node:util';
import type { Decimal } from '../domain/decimal.ts';
import { isoInstant } from '../domain/record.ts';
import type { Pruned } from '../ports/store/store.ts';
import { counted } from '../text/counts.ts';
import { visibleJson } from '../text/visible.ts';
import { type Column, oneLine, printable, tableText } from './table.ts';
import type { Terminal } from './world.ts';

type Pairs = readonly (readonly [string, string | number | null])[];

/** Where no terminal says its own. */
const WIDTH = 120;

export type Output = ReturnType<typeof outputTo>;

export function outputTo(stream: Terminal, { json, color }: { json: boolean; color: boolean }) {
  let broken = false;
  // `tieout breaks list | head -1` closes the pipe early; that is no error.
  stream.on('error', () => {
    broken = true;
  });
  const isClosed = () => broken || stream.destroyed;
  /** Colour where the terminal shows it, the bare text everywhere else. */
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    color ? styleText(format, text, { validateStream: false }) : text;
  /** Resolves when the text is handed over, so that a slow reader applies backpressure instead of filling memory. */
  const write = async (text: string | Uint8Array): Promise<void> => {
    if (!isClosed()) await new Promise<void>((resolve) => stream.write(text, () => resolve()));
  };
  const line = (text = '') => write(`${text}\n`);
  /** One JSON value; decimals and big integers as exact text. */
  const value = (each: unknown) => line(visibleJson(JSON.stringify(each, exactly, 2)));
  const table = async <T>(columns: readonly Column<T>[], rows: readonly T[]): Promise<void> => {
    if (rows.length === 0) return;
    // A terminal without a window, as `script` makes in a cron job, has 0 columns.
    const width = (stream.isTTY === true && stream.columns) || WIDTH;
    await line(tableText(columns, rows, width, (text) => paint('bold', text)));
  };
  /** `label: value` lines, aligned; unknown values are left out. */
  const pairs = async (all: Pairs): Promise<void> => {
    const known = all.filter(([, each]) => each !== null && each !== '');
    const width = Math.max(0, ...known.map(([label]) => label.length));
    for (const [label, each] of known) await line(`${paint('dim', label.padEnd(width))}  ${printable(String(each))}`);
  };
  return {
    json,
    /** True once the pipe is closed: further output is not needed. */
    isClosed,
    write,
    line,
    value,
    table,
    /** A list as JSON, or else as a table; `none` says that it is empty. */
    async list<T>(all: unknown, rows: readonly T[], columns: readonly Column<T>[], none: string): Promise<void> {
      if (json) await value(all);
      else if (rows.length === 0) await line(none);
      else await table(columns, rows);
    },
    /** One result as JSON, or else in words, or as pairs. */
    result: (each: unknown, words: string | Pairs): Promise<void> =>
      json ? value(each) : typeof words === 'string' ? line(words) : pairs(words),
    /** `holds  FOLDER: 12 files`, or `FAILS  FOLDER` and each problem below it. */
    async verified(folder: string, problems: readonly string[], contents = ''): Promise<void> {
      const holds = problems.length === 0;
      await line(
        `${holds ? paint('green', 'holds') : paint('red', 'FAILS')}  ${oneLine(`${folder}${holds ? contents : ''}`)}`,
      );
      // The name of a file may have control characters, or a line break before a text that looks like another result.
      for (const problem of problems) await line(`       ${oneLine(problem)}`);
    },
    pairs,
    paint,
  };
}

function exactly(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  return value;
}

/** Decimals print themselves; null stays unknown, which a table shows as an empty cell. */
export function shown(value: Decimal | number | string | null): string {
  return value === null ? '' : String(value);
}

/** `12 evidence texts, 0 sealed bodies, 3 deliveries, …` */
export function prunedInWords({ bodies, sealedBodies, deliveries, snapshots, contents, captures }: Pruned): string {
  return (
    `${counted(bodies, 'evidence text')}, ${counted(sealedBodies, 'sealed body', 'sealed bodies')}, ` +
    `${counted(deliveries, 'delivery', 'deliveries')}, ${counted(snapshots, 'snapshot')}, the figures of ` +
    `${counted(contents, 'body', 'bodies')} and ${counted(captures, 'capture')} of reference data`
  );
}

/** The fields of these names, in this order. */
export function picked<T extends object, Name extends keyof T>(from: T, ...names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}

/** `neverLookedAt` is a count. */
const INSTANT = /(?:^at|^until|(?<!Looked)At|Since|Until|asOf)$/;

/** Names in snake_case and instants as ISO 8601, at every depth. Keys that are data (currencies, codes) have no small letter before a capital. */
export function snakeCase(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/(?<=[a-z\d])[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      typeof value === 'number' && INSTANT.test(name) ? isoInstant(value) : inSnakeCase(value),
    ]),
  );
}

/** Decimals and maps print themselves. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? snakeCase(value) : value;
}

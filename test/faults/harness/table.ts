/** The table in docs/reference/reliability.md, written from records and from nothing else. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Group, isIn, numberOf } from './groups.ts';
import type { StoredRecord } from './record.ts';

const DOCUMENT = fileURLToPath(new URL('../../../docs/reference/reliability.md', import.meta.url));

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function resultOf({ result, why, gaps }: StoredRecord): string {
  const remarks = [...(why === null ? [] : [why]), ...gaps.map((gap) => `not tried here: ${gap}`)];
  return [result === 'held' ? result : `**${result}**`, ...remarks].join('; ');
}

/**
 * Pure: the text between the markers.
 * @param files names of all rows' files: those without a record are named below.
 * @param seconds of the whole run; null where the records come from several.
 */
export function tableOf(
  records: readonly StoredRecord[],
  files: readonly string[],
  seconds: number | null,
  before: Measured = NOTHING,
): string {
  const lines = new Map(before.lines);
  for (const record of records) {
    const { number, fault, how, mustHold, figure, seconds } = record;
    const cells = [number, fault, how, mustHold, figure, resultOf(record), seconds];
    lines.set(number, `| ${cells.map(String).map(cell).join(' | ')} |`);
  }
  const known = new Set(files.map(numberOf).filter((number) => lines.has(number)));
  const rows = [...known].sort((a, b) => a - b).map((number) => lines.get(number) ?? '');
  const machines = [
    ...new Set([
      ...before.machines,
      ...records.map(({ at, machine, seed }) => `${at.slice(0, 10)}, ${machine}, seed ${seed}`),
    ]),
  ];
  const missing = files.filter((name) => !known.has(numberOf(name))).map((name) => name.split('.', 1)[0]);
  return [
    '| # | fault | how it is made | must hold | measured | result | seconds |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `Measured: ${machines.join(' · ') || 'nothing yet'}${together(seconds)}.`,
    ...(missing.length === 0 ? [] : ['', `Not measured yet: ${missing.join(', ')}.`]),
  ].join('\n');
}

/** What an earlier run has written: rows that were not made again since stay as they were measured then. */
interface Measured {
  /** Of the table, by number. */
  lines: ReadonlyMap<number, string>;
  machines: readonly string[];
}

const NOTHING: Measured = { lines: new Map(), machines: [] };

function measuredIn(table: string): Measured {
  const lines = table.split('\n').flatMap((line) => {
    const number = Number.parseInt(line.slice(2), 10);
    return line.startsWith('| ') && !Number.isNaN(number) ? [[number, line] as const] : [];
  });
  const told = /^Measured: (.*?)(?:;[^;]*)?\.$/m.exec(table)?.[1] ?? '';
  return { lines: new Map(lines), machines: told === '' ? [] : told.split(' · ') };
}

function together(seconds: number | null): string {
  if (seconds === null) return '; over several runs';
  return `; all of them in one run of ${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

function rowFiles(group: Group): string[] {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.fault.test.ts') && isIn(group, numberOf(name)))
    .sort();
}

/** Rewrites what stands between the group's markers; everything around it is prose. */
export function writeTable(group: Group, records: readonly StoredRecord[], seconds: number | null): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = ['begin', 'end'].map((word) => `<!-- measured, ${group.name}: ${word} -->`) as [string, string];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${DOCUMENT} has lost its markers ${begin} and ${end}`);
  // A whole run measures every row anew.
  const before = seconds === null ? measuredIn(text.slice(from, to)) : NOTHING;
  const table = tableOf(records, rowFiles(group), seconds, before);
  writeFileSync(DOCUMENT, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
}

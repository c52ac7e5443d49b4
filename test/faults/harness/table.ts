/** The table in docs/reliability.md, written from records and from nothing else. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { StoredRecord } from './record.ts';

const DOCUMENT = fileURLToPath(new URL('../../../docs/reliability.md', import.meta.url));
const BEGIN = '<!-- measured: begin -->';
const END = '<!-- measured: end -->';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function resultOf({ result, why, gaps }: StoredRecord): string {
  const remarks = [...(why === null ? [] : [why]), ...gaps.map((gap) => `not tried here: ${gap}`)];
  return [result === 'held' ? result : `**${result}**`, ...remarks].join('; ');
}

/** Pure: the text between the markers. @param files names of all rows' files: those without a record are named below. */
export function tableOf(records: readonly StoredRecord[], files: readonly string[]): string {
  const rows = records.map((record) => {
    const { number, fault, how, mustHold, figure, seconds } = record;
    return `| ${[number, fault, how, mustHold, figure, resultOf(record), seconds].map(String).map(cell).join(' | ')} |`;
  });
  const machines = [...new Set(records.map(({ at, machine, seed }) => `${at.slice(0, 10)}, ${machine}, seed ${seed}`))];
  const known = new Set(records.map(({ number }) => number));
  const missing = files.filter((name) => !known.has(Number(name.slice(0, 2)))).map((name) => name.split('.', 1)[0]);
  return [
    '| # | fault | how it is made | must hold | measured | result | seconds |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `Measured: ${machines.join(' · ') || 'nothing yet'}.`,
    ...(missing.length === 0 ? [] : ['', `Not measured yet: ${missing.join(', ')}.`]),
  ].join('\n');
}

function rowFiles(): string[] {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.fault.test.ts'))
    .sort();
}

/** Rewrites what stands between the markers; everything around it is prose. */
export function writeTable(records: readonly StoredRecord[]): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${DOCUMENT} has lost its markers ${BEGIN} and ${END}`);
  writeFileSync(
    DOCUMENT,
    `${text.slice(0, begin + BEGIN.length)}\n${tableOf(records, rowFiles())}\n${text.slice(end)}`,
  );
}

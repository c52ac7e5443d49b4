/** The table in docs/reliability.md, written from records and from nothing else. */
import { readFileSync, writeFileSync } from 'node:fs';
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

/** Pure: the text between the markers. */
export function tableOf(records: readonly StoredRecord[]): string {
  const rows = records.map((record) => {
    const { number, fault, how, mustHold, figure, seconds } = record;
    return `| ${[number, fault, how, mustHold, figure, resultOf(record), seconds].map(String).map(cell).join(' | ')} |`;
  });
  const machines = [...new Set(records.map(({ at, machine, seed }) => `${at.slice(0, 10)}, ${machine}, seed ${seed}`))];
  return [
    '| # | fault | how it is made | must hold | measured | result | seconds |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `Measured: ${machines.join(' · ') || 'nothing yet'}.`,
  ].join('\n');
}

/** Rewrites what stands between the markers; everything around it is prose. */
export function writeTable(records: readonly StoredRecord[]): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${DOCUMENT} has lost its markers ${BEGIN} and ${END}`);
  writeFileSync(DOCUMENT, `${text.slice(0, begin + BEGIN.length)}\n${tableOf(records)}\n${text.slice(end)}`);
}

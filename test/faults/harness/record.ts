/** The result of a row, kept in a file of its own below var/ until the table is written from all of them. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Group, isIn } from './groups.ts';

export interface RowText {
  /** Its place in the table, and the number that its file begins with. */
  number: number;
  /** The injected fault, and its moment. */
  fault: string;
  /** How the test injects it. */
  how: string;
  /** The promise. */
  mustHold: string;
}

export interface RowRecord extends RowText {
  figure: string;
  result: 'held' | 'fell' | 'could not be injected';
  /** Why it fell or could not be injected. */
  why: string | null;
  /** Variants that cannot be injected on this machine. */
  gaps: readonly string[];
  seconds: number;
  seed: number;
}

/** A record with the machine that it was made on. */
export interface StoredRecord extends RowRecord {
  at: string;
  machine: string;
}

/** Set by `npm run test:faults:short`. */
export const isShort = process.env.TIEOUT_FAULTS === 'short';
export const seedOfRun = Number(process.env.TIEOUT_FAULTS_SEED ?? 20_261_121);

/** `var/` is not in the repository. Short records are kept apart: the document is never written from them. */
export function recordFolder(short: boolean): string {
  return fileURLToPath(new URL(`../../../var/faults/${short ? 'short' : 'full'}`, import.meta.url));
}

export function saveRecord(record: RowRecord): void {
  const folder = recordFolder(isShort);
  mkdirSync(folder, { recursive: true });
  const stored: StoredRecord = {
    ...record,
    at: new Date().toISOString(),
    machine: `Node ${process.version}, ${availableParallelism()} cores, ${process.platform} ${release()}`,
  };
  writeFileSync(join(folder, fileOf(record.number)), `${JSON.stringify(stored, null, 2)}\n`);
}

/** By number. */
export function readRecords(short: boolean): StoredRecord[] {
  const folder = recordFolder(short);
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as StoredRecord)
    .sort((a, b) => a.number - b.number);
}

export function forgetRecords(short: boolean, group: Group): void {
  for (const { number } of readRecords(short)) {
    if (isIn(group, number)) rmSync(join(recordFolder(short), fileOf(number)));
  }
}

const fileOf = (number: number) => `${String(number).padStart(2, '0')}.json`;

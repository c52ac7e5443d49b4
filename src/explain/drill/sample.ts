/** Which records a change is planted in: chosen by the seed, the same ones each time, in one pass over the run. */
import type { RecordPosition } from '../../domain/record.ts';
import type { JudgeableRun } from '../../domain/run.ts';
import { pagesOf } from '../../ports/store/pages.ts';
import type { ItemStore } from '../../ports/store/store.ts';
import type { Change } from './catalogue.ts';
import { mayFit } from './fits.ts';

const PAGE = 500;
/** Of so many records for each that is wanted, some lack what the change needs, or have breaks of their own. */
const SPARE = 12;
const AT_LEAST = 60;

interface Drawn extends RecordPosition {
  rank: number;
}

/** By change, in the order in which they are tried. Only their names are kept, so a night of any length takes no more memory. */
export async function sampleOf(
  run: JudgeableRun,
  changes: readonly Change[],
  { perRule, seed }: { perRule: number; seed: number },
  items: Pick<ItemStore, 'cases'>,
): Promise<ReadonlyMap<Change, readonly RecordPosition[]>> {
  const kept = Math.max(AT_LEAST, perRule * SPARE);
  const draws = changes.map((change) => ({ change, salt: hashOf(`${seed} ${change.id}`), drawn: [] as Drawn[] }));
  for await (const page of pagesOf((after) => items.cases(run, after, PAGE))) {
    for (const { kind, recordId, observation } of page) {
      if (observation.outcome !== 'verified') continue;
      const { state } = observation.snapshot;
      const name = hashOf(`${kind} ${recordId}`);
      for (const { change, salt, drawn } of draws) {
        if (change.kind !== null && change.kind !== kind) continue;
        const rank = mixed(name ^ salt);
        const isFull = drawn.length === kept;
        if (isFull && rank >= (drawn.at(-1)?.rank ?? 0)) continue;
        if (!change.when.every((word) => mayFit(word, state, run.asOf))) continue;
        if (isFull) drawn.pop();
        const at = drawn.findIndex((each) => each.rank > rank);
        drawn.splice(at === -1 ? drawn.length : at, 0, { kind, recordId, rank });
      }
    }
  }
  return new Map(draws.map(({ change, drawn }) => [change, drawn]));
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** The finaliser of MurmurHash3: each bit depends on every one. */
function mixed(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Parts of the machine for the measured processes, by `taskset`. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const CORES = { two: '0,1', others: '2,3' };
export type Part = keyof typeof CORES;

/** False where there are fewer than four cores or no `taskset`: then nothing can be measured on a part of them. */
export const canPart =
  availableParallelism() >= 4 &&
  Object.values(CORES).every((cores) => spawnSync('taskset', ['-c', cores, 'true'], { stdio: 'ignore' }).status === 0);

/** The command that runs this one on a part of the machine, or on all of it. */
export function onPart(part: Part | null, command: readonly string[]): [string, ...string[]] {
  const whole = part === null ? command : ['taskset', '-c', CORES[part], ...command];
  return whole as [string, ...string[]];
}

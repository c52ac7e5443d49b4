/** Commands of Tieout inside the process of the tests, each with its own streams, environment, clock and working folder. */
import { setTimeout as delay } from 'node:timers/promises';
import { codeVersion } from '../../src/app/version.ts';
import { runCli } from '../../src/cli/main.ts';
import { aWorld, type Outcome, type WorldOptions } from '../cli/world.ts';

/** A process has one working folder: commands in the same one run side by side, those in another wait. */
let current: { folder: string; home: string; users: number; left: Promise<void>; leave: () => void } | null = null;

/** A command that hangs keeps its folder: what comes after it says so, within the patience of a test. */
const PATIENCE_MS = 100_000;

async function enter(folder: string): Promise<() => void> {
  while (current !== null && current.folder !== folder) {
    const late = delay(PATIENCE_MS, 'late', { ref: false });
    if ((await Promise.race([current.left, late])) === 'late')
      throw new Error(`a command in ${current.folder} has not ended`);
  }
  if (current === null) {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    current = { folder, home: process.cwd(), users: 0, left, leave };
    process.chdir(folder);
  }
  const mine = current;
  mine.users += 1;
  return () => {
    mine.users -= 1;
    if (mine.users > 0) return;
    process.chdir(mine.home);
    current = null;
    mine.leave();
  };
}

/** Runs one command line to its end, as the launcher would in this folder. */
export async function commandIn(folder: string, args: readonly string[], options: WorldOptions): Promise<Outcome> {
  const leave = await enter(folder);
  try {
    const world = { ...aWorld(options), version: codeVersion() };
    const code = await runCli(args, world);
    return { code, out: world.out(), err: world.err() };
  } finally {
    leave();
  }
}

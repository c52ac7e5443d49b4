#!/usr/bin/env node
// The installed command. Runs the sources in a checkout and the build elsewhere; under an old Node it hands over to
// the newer one that `npm ci` installed, or prints a message if there is none.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { useCompileCache } from './compile-cache.js';
import { bundledNode, nodeIsNewEnough, tooOld } from './require-node.js';

/**
 * On a machine with much memory V8 lets garbage pile up to several times what lives. A night's live data are the same
 * few dozen megabytes for any length, so the heap is kept near that size, and the young generation at its initial
 * size: loading the program alone would make that 130 MB. With 40 % the price was a fifth to a quarter of the time.
 */
function keepHeapSmall(growingPercent) {
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Commands that fetch a night, answer one, or store a million ids: the others end before a larger young generation pays off. */
const FETCHING = ['run', 'audit', 'schedule', 'worker', 'demo', 'import', 'sandbox'];
/** Commands that are mostly their own start: their heap may grow as it likes, which spares them a tenth of it. */
const SHORT = ['breaks', 'plan', 'runs', 'config'];
/**
 * Bytes, both halves together. With the initial megabyte, records in flight are promoted, and a third of a night's
 * time is garbage collection.
 */
const YOUNG_GENERATION = 16 * 2 ** 20;

const youngGeneration = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size;

/**
 * Each thread collects its young generation alone. Its helpers wait for each other, and would take the cores of the other
 * threads: with them a replay on four threads took a seventh longer, and a night a twelfth more processor time.
 */
function collectAlone() {
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * V8 fixes the size at its start, and doubles it where enough objects survive a collection: so objects are kept alive
 * over collections.
 */
function growYoungGeneration() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setFlagsFromString('--semi-space-growth-factor=2');
  for (let round = 1; round < 12 && (youngGeneration() ?? YOUNG_GENERATION) < YOUNG_GENERATION; round++) {
    const survivors = Array.from({ length: 30_000 * round }, (_, i) => ({ i }));
    collect({ type: 'minor' });
    survivors.length = 0;
  }
  setFlagsFromString('--semi-space-growth-factor=1');
}

const here = dirname(fileURLToPath(import.meta.url));

/** Ends this process as SIGTERM does when the launcher that started it is gone. */
function endWithLauncher() {
  delete process.env.TIEOUT_LAUNCHED;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel alone must not keep the process alive.
  process.channel?.unref();
}

/** `kill` of a npx in the background ends npx and its shell, which pass nothing on: their command would run for ever. */
function endWithNpx() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

if (process.env.npm_command === 'exec' && process.env.TIEOUT_LAUNCHED !== '1') endWithNpx();
if (nodeIsNewEnough) {
  if (process.env.TIEOUT_LAUNCHED === '1' && process.channel != null) endWithLauncher();
  useCompileCache();
  // Node strips no types below node_modules, so an installed package runs its build.
  const built = join(here, '..', '..', 'dist', 'src', 'cli', 'main.js');
  const source = join(here, 'main.ts');
  const entry = existsSync(source) && !here.includes('node_modules') ? source : built;
  // A replay allocates faster than a fetch: a heap that may double saves a tenth of its time, for 30 MB. A check
  // saves a quarter, for 9 MB: its pages of rows outlive the small young generation.
  const isOffline = process.argv.some((word) => ['replay', 'report', 'drill', 'check', 'verify'].includes(word));
  const isFetching = process.argv.some((word) => FETCHING.includes(word));
  const isShort = !isFetching && process.argv.some((word) => SHORT.includes(word));
  collectAlone();
  if (!isOffline && !isShort) keepHeapSmall(60);
  // As an address: a path may hold `#`, `?` or `%`.
  const { main } = await import(pathToFileURL(entry).href);
  if (isOffline) keepHeapSmall(100);
  if (isOffline || isFetching) growYoungGeneration();
  await main(process.argv.slice(2));
} else {
  // The Node of the checkout can be too old too: a launched process must not launch another one.
  const node = process.env.TIEOUT_LAUNCHED === '1' ? undefined : bundledNode();
  if (node === undefined || !existsSync(node)) {
    console.error(tooOld);
    process.exit(2);
  }
  // The channel tells the child when this process is gone, also where a SIGKILL ended it.
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, TIEOUT_LAUNCHED: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(`tieout: ${node} cannot be started (${error.code})`);
    process.exit(2);
  });
  // As a shell has it: 137 for SIGKILL, 139 for SIGSEGV.
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

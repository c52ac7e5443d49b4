/**
 * One temporary folder for a whole run of the tests. It is the temporary directory of every process of the run, and goes
 * with the run: at its end, and after SIGINT or SIGTERM. The folder of a run that was killed goes when the next run begins.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isAlive } from '../store/postgres/global-setup.ts';
import { stopServer } from '../store/postgres/server.ts';

const PREFIX = 'tieout-tests-';
const CACHE = 'NODE_COMPILE_CACHE';
/** How often processes are looked for and killed: one may start another in between. */
const ROUNDS = 50;

/** Before all tests. */
export function setup(): void {
  for (const { name, pid } of foldersOf(tmpdir())) if (!isAlive(pid)) clear(join(tmpdir(), name));
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // A PostgreSQL server runs in it as a user of its own.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  // Hundreds of tests start the program, and half of what a start costs is compiling it. Only tests cache that: a cache
  // that others could write to would be a way into the program.
  process.env[CACHE] = join(folder, 'compiled');
  // Vitest ends by itself on a signal, without tear-downs.
  process.on('exit', () => clear(folder));
}

/** The folder of this run, where files of one run can be shared; null outside of a run. */
export function runFolder(): string | null {
  return basename(tmpdir()).startsWith(PREFIX) ? tmpdir() : null;
}

/** For a process that gets nothing else of this environment. */
export function runEnvironment(): Record<string, string> {
  const { TMPDIR, [CACHE]: cache } = process.env;
  return { ...(TMPDIR === undefined ? {} : { TMPDIR }), ...(cache === undefined ? {} : { [CACHE]: cache }) };
}

function foldersOf(parent: string): { name: string; pid: number }[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => ({ name, pid: Number.parseInt(name.slice(PREFIX.length), 10) }));
}

function clear(folder: string): void {
  try {
    for (const name of readdirSync(folder)) stopIfRunning(join(folder, name));
    for (let round = 0; round < ROUNDS && killAll(processesIn(folder)) > 0; round++);
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    // Another user's, or being removed by another run at this moment.
    console.warn(`${folder} is left: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A server whose process was killed left its folder, and cannot be stopped. */
function stopIfRunning(server: string): void {
  try {
    stopServer(server);
  } catch {
    // What still runs is killed next.
  }
}

/** Ids of processes that have the folder in their environment; none where there is no `/proc`. */
function processesIn(folder: string): number[] {
  const ids = existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : [];
  return ids.filter((id) => id !== process.pid && environmentOf(id).includes(folder));
}

/** Empty for a process that has ended or is another user's. */
function environmentOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns how many there were. */
function killAll(ids: readonly number[]): number {
  for (const id of ids) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It has ended since.
    }
  }
  return ids.length;
}

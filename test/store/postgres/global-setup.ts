/** Before and after all tests: a folder in which the first test that needs PostgreSQL starts it, and its end. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDER_VARIABLE, isSwitchedOff, processorSecondsOf, stopServer } from './server.ts';

const PREFIX = 'tieout-test-postgres-';

export function setup(): () => void {
  sweep();
  if (isSwitchedOff()) console.warn('TIEOUT_TEST_POSTGRES=off: PostgreSQL is NOT tested in this run, only SQLite.');
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  process.env[FOLDER_VARIABLE] = folder;
  return () => {
    const { TIEOUT_TEST_REPORT: report } = process.env;
    // For the gate, which counts processor time.
    if (report !== undefined)
      writeFileSync(`${report}.server`, JSON.stringify({ seconds: processorSecondsOf(folder) }));
    remove(folder);
  };
}

function remove(folder: string): void {
  stopServer(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** A run that was killed could not clear up: its server goes when the next run begins. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    try {
      remove(join(tmpdir(), name));
    } catch {
      // Another user's, or being removed by another run at this moment: not ours to insist on.
    }
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

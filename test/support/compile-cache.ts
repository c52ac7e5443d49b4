/**
 * A folder in which Node keeps the program compiled, for one run of the tests: hundreds of them start it as a process, and
 * half of what a start costs is reading and compiling the sources. Only tests do this: a cache that others could write to
 * would be a way into the program.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'NODE_COMPILE_CACHE';

/** Before all tests. */
export function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-test-compiled-'));
  process.env[VARIABLE] = folder;
  // Not in the tear-down: a process that is on its way out by then still writes what it compiled.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** To hand on to a process that gets nothing else of this environment. */
export function compileCache(): Record<string, string> {
  const folder = process.env[VARIABLE];
  return folder === undefined ? {} : { [VARIABLE]: folder };
}

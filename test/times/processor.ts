/**
 * A set-up file, where TIEOUT_TEST_PROCESSOR names a file: adds a line for each file of tests, with the seconds of the processor that it
 * took, its processes included. Those of the shared PostgreSQL server are not in it.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { childSeconds } from '../../.ci/totals.mjs';

const { TIEOUT_TEST_PROCESSOR: lines = '' } = process.env;
/** Files share a process, and follow each other in it. */
const before = seconds();

function seconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds(readFileSync('/proc/self/stat', 'utf8'));
}

afterAll(() => appendFileSync(lines, `${(seconds() - before).toFixed(2)} ${expect.getState().testPath}\n`));

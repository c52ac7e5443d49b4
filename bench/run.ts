/**
 * Every benchmark, one after the other; each writes its own table into README.md. One that fails does not keep the others from
 * being run, and makes the whole fail.
 * Run: `node bench/run.ts [--short]`; short takes sizes that end within a quarter of an hour.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The file, and its sizes in the short form. */
const BENCHMARKS: readonly (readonly [string, ...string[]])[] = [
  ['upkeep/run.ts', '200000'],
  ['replay/run.ts', '200000'],
  ['replay/postgres.ts', '200000'],
  ['throughput/run.ts', '10000', '30000'],
  ['online/steps.ts', '2000'],
  ['workers/run.ts', 'all', '0.2'],
  ['workers/distance.ts', '10'],
  ['limits/run.ts', '65'],
  ['due/run.ts', '500000'],
  ['pages/run.ts', '1000,100000'],
  ['chains/run.ts', '1000'],
  ['webhooks/run.ts'],
  ['pacing/simulate.ts'],
  ['settling/run.ts'],
];

const isShort = process.argv.includes('--short');
const failed: string[] = [];
for (const [file, ...sizes] of BENCHMARKS) {
  console.log(`\n== ${file} ${isShort ? sizes.join(' ') : ''}`);
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { status } = spawnSync(process.execPath, [path, ...(isShort ? sizes : [])], { stdio: 'inherit' });
  if (status !== 0) failed.push(file);
}
if (failed.length > 0) console.error(`\nfailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

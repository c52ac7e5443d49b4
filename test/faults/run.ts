/**
 * Runs the rows and writes the table. `node test/faults/run.ts [--short] [--machines] [--table] [NN…]`: without numbers all
 * rows that one machine meets, or with `--machines` those of many; the table is rewritten only by a long run of a whole
 * group, or by `--table`, which runs nothing and takes the records that are there.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isIn, MANY_MACHINES, numberOf, ONE_MACHINE } from './harness/groups.ts';
import { forgetRecords, readRecords } from './harness/record.ts';
import { writeTable } from './harness/table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const args = process.argv.slice(2);
const short = args.includes('--short');
const group = args.includes('--machines') ? MANY_MACHINES : ONE_MACHINE;
const asked = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
const all = asked.length === 0;
const isWanted = (number: number) => (all ? isIn(group, number) : asked.includes(number));
const recorded = () => readRecords(short).filter(({ number }) => isWanted(number));

if (args.includes('--table')) {
  writeTable(group, recorded(), null);
} else {
  if (all) forgetRecords(short, group);
  const started = performance.now();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const files = readdirSync(join(root, 'test', 'faults')).filter((name) => isWanted(numberOf(name)));
  const filters = files.map((name) => `test/faults/${name}`);
  const report = process.env.TIEOUT_TEST_REPORT;
  const reporters =
    report === undefined ? [] : ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const options = ['run', '--config', 'vitest.faults.config.ts', ...reporters];
  const { status } = spawnSync(process.execPath, [vitest, ...options, ...filters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TIEOUT_FAULTS: short ? 'short' : 'full' },
  });
  const seconds = (performance.now() - started) / 1000;
  const records = recorded();
  for (const { number, fault, result, figure, seconds } of records) {
    console.log(
      `${String(number).padStart(2)} ${result.padEnd(22)} ${String(seconds).padStart(6)} s  ${fault}: ${figure}`,
    );
  }
  console.log(`${records.length} rows in ${seconds.toFixed(0)} s`);
  if (all && !short) writeTable(group, records, seconds);
  process.exitCode = status ?? 1;
}

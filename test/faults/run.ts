/**
 * Runs the rows and writes the table. `node test/faults/run.ts [--short] [--table] [NN…]`: without numbers all rows; the
 * document is rewritten only by a long run of all of them, or by `--table`, which runs nothing and takes the records that
 * are there.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forgetRecords, readRecords } from './harness/record.ts';
import { writeTable } from './harness/table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const args = process.argv.slice(2);
const short = args.includes('--short');
const numbers = args.filter((arg) => /^\d+$/.test(arg)).map((arg) => arg.padStart(2, '0'));
const all = numbers.length === 0;

if (args.includes('--table')) {
  writeTable(readRecords(false));
} else {
  if (all) forgetRecords(short);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const filters = numbers.map((number) => `test/faults/${number}-`);
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.faults.config.ts', ...filters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TIEOUT_FAULTS: short ? 'short' : 'full' },
  });
  const records = readRecords(short).filter(({ number }) => all || numbers.includes(String(number).padStart(2, '0')));
  for (const { number, fault, result, figure, seconds } of records) {
    console.log(
      `${String(number).padStart(2)} ${result.padEnd(22)} ${String(seconds).padStart(6)} s  ${fault}: ${figure}`,
    );
  }
  if (all && !short) writeTable(records);
  process.exitCode = status ?? 1;
}

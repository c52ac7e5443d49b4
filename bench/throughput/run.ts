/**
 * How fast `tieout run` goes through a night when no limit holds it: select, fetch, store, judge and publish, against the
 * sandbox in another process: Tieout on two cores and the sandbox on the others, where the machine has four. Required: 4,000
 * records a second, at most 250 µs of processor time a record, and memory that does not grow with the population.
 * Run: `node bench/throughput/run.ts [records …]`; 100000 and 300000 by default.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, TIEOUT } from '../support/child.ts';
import { canPart } from '../support/cores.ts';
import { machine, publishTable, type Row, round } from '../support/report.ts';
import { unlimitedSandbox } from '../support/sandbox.ts';

const IN_FLIGHT = 32;
/** `tieout run` ends with 1 where it found breaks, and the sandbox has some. */
const JUDGED = [0, 1];

async function night(records: number, nodeFlags: readonly string[]): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-throughput-'));
  const sandbox = await unlimitedSandbox(records, canPart ? 'others' : null);
  try {
    const config = join(folder, 'tieout.yaml');
    const service = `{ url: ${sandbox.url}, rateLimits: off, concurrency: ${IN_FLIGHT} }`;
    writeFileSync(config, `service: ${service}\ndatabase: { url: "sqlite:${folder}/tieout.db" }\nout: ${folder}/out\n`);
    const file = (name: string) => join(folder, name);
    await sandbox.save('tracked', file('tracked.csv'));
    await sandbox.save('quotes', file('quotes.ndjson'));
    const tieout = (...args: string[]) => [TIEOUT, ...args, '--config', config];
    const ids = await measure(tieout('import', file('tracked.csv')), { expect: [0, 1, 2, 3] });
    const quotes = await measure(tieout('quotes', 'import', file('quotes.ndjson')));
    const run = await measure(tieout('run', 'nightly', '--json'), {
      expect: JUDGED,
      nodeFlags,
      part: canPart ? 'two' : null,
    });
    const { population } = JSON.parse(run.stdout) as { population: number };
    return {
      records: population,
      'import s': round(ids.seconds),
      'quotes s': round(quotes.seconds),
      cores: canPart ? 2 : 'all',
      'run s': round(run.seconds),
      'records/s': Math.round(population / run.seconds),
      'cpu s': round(run.cpuSeconds),
      'cpu µs/record': round((run.cpuSeconds / population) * 1e6, 0),
      'peak MB': Math.round(run.peakMb),
    };
  } finally {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const sizes = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const nodeFlags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
console.log(
  `${machine()}; ${IN_FLIGHT} requests in flight, limits off; required: 4000 records/s, 250 µs of processor time a record, under 300 MB\n`,
);
const rows: Row[] = [];
for (const size of sizes.length === 0 ? ['100000', '300000'] : sizes) rows.push(await night(Number(size), nodeFlags));
publishTable('throughput', rows);

/**
 * What the keyed seals and sums cost: their share of the processor time of a first night and of the next one, by a profile, and
 * the check of a database. Run: `node bench/seals/run.ts [records]`; 10000 by default.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { measure, TIEOUT } from '../support/child.ts';
import { machine, publishTable, type Row, round } from '../support/report.ts';
import { unlimitedSandbox } from '../support/sandbox.ts';

interface Profile {
  nodes: { id: number; children?: number[]; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
}

const SEALS = /\/(summed-rows|sealed-rows|row-seals|seal-sums)\.ts$/;

/** Microseconds of all stacks but idle ones, and of those that pass through the seals. */
function timesOf({ nodes, samples, timeDeltas }: Profile): { all: number; seals: number } {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const inSeals = new Set<number>();
  // A node comes before its children.
  for (const { id, children = [], callFrame } of nodes) {
    if (SEALS.test(callFrame.url) || /^(weigh|fingerprint)$/.test(callFrame.functionName)) inSeals.add(id);
    if (inSeals.has(id)) for (const child of children) inSeals.add(child);
  }
  const times = { all: 0, seals: 0 };
  for (const [at, id] of samples.entries()) {
    if (names.get(id) === '(idle)') continue;
    times.all += timeDeltas[at] ?? 0;
    if (inSeals.has(id)) times.seals += timeDeltas[at] ?? 0;
  }
  return times;
}

const records = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-seals-'));
const sandbox = await unlimitedSandbox(records, null);
try {
  console.log(`${machine()}; ${records} records, limits off\n`);
  const file = (name: string) => join(folder, name);
  const database = file('tieout.db');
  const service = `{ url: ${sandbox.url}, rateLimits: off, concurrency: 32 }`;
  writeFileSync(
    file('tieout.yaml'),
    `service: ${service}\ndatabase: { url: "sqlite:${database}" }\nout: ${file('out')}\n`,
  );
  const tieout = (...args: string[]) => [TIEOUT, ...args, '--config', file('tieout.yaml')];
  await sandbox.save('tracked', file('tracked.csv'));
  await sandbox.save('quotes', file('quotes.ndjson'));
  await measure(tieout('import', file('tracked.csv')), { expect: [0, 1, 2, 3] });
  await measure(tieout('quotes', 'import', file('quotes.ndjson')));
  const rows: Row[] = [];
  for (const night of ['first', 'next']) {
    const profiles = file(night);
    const nodeFlags = ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', profiles];
    const run = await measure(tieout('run', '-q', '--fail-on', 'none'), { expect: [0, 3], nodeFlags });
    const times = readdirSync(profiles).map((name) =>
      timesOf(JSON.parse(readFileSync(join(profiles, name), 'utf8')) as Profile),
    );
    const sum = (of: 'all' | 'seals') => times.reduce((total, each) => total + each[of], 0) / 1e6;
    rows.push({
      what: `${night} night`,
      'cpu s': round(run.cpuSeconds, 2),
      'seals s': round(sum('seals'), 2),
      'seals %': round((100 * sum('seals')) / sum('all'), 1),
      's a million rows': '',
    });
  }
  const start = await measure(tieout('db', 'status', '-q'));
  const check = await measure(tieout('db', 'check'));
  using opened = new DatabaseSync(database);
  const tables = opened.prepare("select name from sqlite_schema where type = 'table' and rootpage > 0").all();
  const stored = tables.reduce(
    (total, { name }) => total + Number(opened.prepare(`select count(*) as n from "${name}"`).get()?.n),
    0,
  );
  const seconds = check.cpuSeconds - start.cpuSeconds;
  rows.push({
    what: `db check of ${stored} rows`,
    'cpu s': round(seconds, 2),
    'seals s': '',
    'seals %': '',
    's a million rows': round((seconds / stored) * 1e6, 1),
  });
  publishTable('seals', rows);
} finally {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * What an operator waits for: starts of short commands beside ten thousand records, an import of a million ids, moving
 * a night of a million records to a file, and forgetting its evidence, over SQLite.
 * Run: `node bench/upkeep/run.ts [records]`; 1000000 by default.
 */
import { copyFileSync, createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Measured, measure, TIEOUT } from '../support/child.ts';
import { machine, publishTable, round } from '../support/report.ts';
import { storedNight } from '../support/stored-night.ts';

const STARTS = 20;
const AMONG = 10_000;

const row = (what: string, target: string, { seconds, cpuSeconds, peakMb }: Measured) => ({
  what,
  'wall s': round(seconds, 2),
  'cpu s': round(cpuSeconds, 2),
  'peak MB': Math.round(peakMb),
  target,
});

/** The start in the middle of twenty, by wall time. */
async function start(...args: string[]): Promise<Measured> {
  const all: Measured[] = [];
  for (let n = 0; n < STARTS; n++) all.push(await measure([TIEOUT, ...args]));
  const [median] = all.toSorted((a, b) => a.seconds - b.seconds).slice(STARTS / 2);
  if (median === undefined) throw new Error('nothing was started');
  return median;
}

function* lines(records: number): Generator<string> {
  yield 'kind,id,view_token,created_at,host_reference\n';
  for (let n = 0; n < records; n++) {
    // Ids are not in the order of the file, as those of a real export.
    const id = (BigInt(n) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
    const text = id.toString(36).padStart(15, '0');
    yield `purchase,${text},t${text},2026-10-${String(1 + (n % 28)).padStart(2, '0')}T10:00:00Z,order-${n}\n`;
  }
}

const records = Number(process.argv[2] ?? 1_000_000);
const small = await storedNight(AMONG);
const large = await storedNight(records);
const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-upkeep-'));
try {
  console.log(`${machine()}; ${records} records\n`);
  process.env.TIEOUT_DATABASE_URL = `sqlite:${join(small, 'tieout.db')}`;
  const rows = [
    row('tieout --version', '', await start('--version')),
    row('tieout --help', '', await start('--help')),
    row('tieout breaks list', '≤ 0.35 s', await start('breaks', 'list')),
    row('tieout plan', '≤ 0.35 s', await start('plan')),
  ];

  const ids = join(folder, 'ids.csv');
  await pipeline(Readable.from(lines(records)), createWriteStream(ids));
  process.env.TIEOUT_DATABASE_URL = `sqlite:${join(folder, 'new.db')}`;
  rows.push(row(`tieout import, ${records} ids`, '≤ 60 s', await measure([TIEOUT, 'import', ids, '-q'])));

  const copy = join(folder, 'old.db');
  process.env.TIEOUT_DATABASE_URL = `sqlite:${join(large, 'tieout.db')}`;
  await measure([TIEOUT, 'db', 'backup', copy]);
  copyFileSync(join(large, 'tieout.db.key'), `${copy}.key`);
  process.env.TIEOUT_DATABASE_URL = `sqlite:${copy}`;
  const archive = ['db', 'archive', '--before', '2027-01-01', '--file', join(folder, 'nights.ndjson.gz')];
  rows.push(row(`tieout db archive, a night of ${records}`, '', await measure([TIEOUT, ...archive])));
  const config = join(folder, 'tieout.yaml');
  writeFileSync(config, 'retention: { snapshots: 1d, events: 1d }\n');
  const pruned = await measure([TIEOUT, 'db', 'prune', '--json', '--config', config]);
  const { bodies } = JSON.parse(pruned.stdout) as { bodies: number };
  rows.push(row(`tieout db prune, ${bodies} of ${records} evidence texts`, '≤ 60 s', pruned));
  publishTable('upkeep', rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

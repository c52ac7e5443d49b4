/**
 * Judging a stored night over PostgreSQL: the same night, copied from SQLite, replayed with its threads. Required: a million
 * records in at most 60 s.
 * Run: `node bench/replay/postgres.ts [records]`; 1000000 by default.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDatabase } from '../../test/store/postgres/database.ts';
import { setup } from '../../test/store/postgres/global-setup.ts';
import { type Measured, measure, TIEOUT } from '../support/child.ts';
import { machine, publishTable, round } from '../support/report.ts';
import { storedNight } from '../support/stored-night.ts';

const RUN_ID = 'nightly-2026-11-20-r1';

const records = Number(process.argv[2] ?? 1_000_000);
const folder = await storedNight(records);
const out = mkdtempSync(join(tmpdir(), 'tieout-replay-bench-'));
const down = setup();
try {
  console.log(`${machine()}; ${records} stored snapshots with quotes\n`);
  await using database = await makeDatabase();
  const file = `sqlite:${join(folder, 'tieout.db')}`;
  process.env.TIEOUT_SECRET_KEY_FILE = join(folder, 'tieout.db.key');
  const to = new URL(database.url);
  process.env.PGPASSWORD = to.password;
  to.password = '';
  await measure([TIEOUT, 'db', 'copy', '--from', file, '--to', to.href, '-q']);
  process.env.TIEOUT_DATABASE_URL = to.href;
  const replay = (name: string, ...flags: string[]) =>
    measure([TIEOUT, 'replay', RUN_ID, ...flags, '--out', join(out, name), '-q']);
  const row = (what: string, { seconds, cpuSeconds, peakMb }: Measured) => ({
    what,
    records,
    'wall s': round(seconds),
    'cpu s': round(cpuSeconds),
    'peak MB': Math.round(peakMb),
  });
  publishTable('replay, PostgreSQL', [
    row('`tieout replay RUN --report breaks`', await replay('breaks', '--report', 'breaks')),
    row('`tieout replay RUN` (all reports)', await replay('whole')),
  ]);
} finally {
  rmSync(out, { recursive: true, force: true });
  down();
}

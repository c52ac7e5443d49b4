/** Archive, prune, change of the key and copy are killed in their middle, and repeated. */
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { openUpkeep } from '../../src/store/open.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../src/store/schema/tables.ts';
import { createSealer } from '../../src/store/sealing.ts';
import type { Workspace } from '../e2e/support/workspace.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { faultRow } from './harness/row.ts';
import { frozenClock, openScene } from './harness/scene.ts';

const DAY_MS = 86_400_000;
const NIGHTS = ['2026-11-19', '2026-11-20', '2026-11-21'];
const LATER = { TIEOUT_FAULTS_NOW: '' };

interface Upkeep {
  args: readonly string[];
  /** Before each attempt, on the fresh copy. */
  prepare?: (place: Workspace) => void;
  /** The database whose rows are compared. */
  result?: string;
  /** Exit code of a repetition after an attempt that had ended all but its last words. */
  againMay?: number;
}

const OPERATIONS: Readonly<Record<string, Upkeep>> = {
  archive: { args: ['db', 'archive', '--before', '2026-11-21', '--file', 'old.ndjson'], againMay: 2 },
  prune: { args: ['db', 'prune'] },
  reseal: { args: ['db', 'reseal', '--old-key-file', 'old.key'], prepare: exchangeKey },
  copy: { args: ['db', 'copy', '--to', 'sqlite:var/copy.db'], prepare: keyForCopy, result: 'copy.db', againMay: 2 },
};

faultRow(
  {
    number: 45,
    fault: 'SIGKILL during archive, prune, change of the sealing key, and copy of the database',
    how: '`db archive`, `db prune`, `db reseal` and `db copy` of a database of three nights are killed at random moments after their first write, and then repeated to their end',
    mustHold:
      'no seal is broken after a kill; after the repetition every table has the rows of an undisturbed run, and archived runs replay',
  },
  async (row) => {
    const random = seededRandom(row.seed);
    const kills = row.isShort ? 2 : 18;
    await using scene = await openScene({
      records: row.isShort ? 150 : 250,
      settings: 'retention: { snapshots: 2d, events: 2d }\n',
    });
    const { place } = scene;
    for (const [night, date] of NIGHTS.entries()) {
      const env = frozenClock(Date.parse(`${date}T04:15:00Z`) + DAY_MS);
      const { code, err } = await place.process(['run', '--date', date, '-q'], { env });
      expect(code, err).toBeOneOf([0, 1, 3]);
      row.say(`night ${night + 1} of ${NIGHTS.length}`);
    }
    Object.assign(LATER, frozenClock(Date.parse('2026-11-28T04:15:00Z')));
    cpSync(place.path('var'), place.path('base'), { recursive: true });
    const total = { kills: 0, midway: 0, differing: 0, broken: 0 };
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      reset(place, operation);
      const undisturbed = place.start(operation.args, { env: LATER });
      await firstWrite(place, undisturbed.done);
      const began = performance.now();
      const whole = await undisturbed.done;
      expect(whole.code, whole.err).toBe(0);
      let usual = performance.now() - began;
      const wanted = contentsOf(place, operation);
      for (let kill = 0; kill < kills; kill++) {
        reset(place, operation);
        const before = contentsOf(place, {});
        const running = place.start(operation.args, { env: LATER });
        await firstWrite(place, running.done);
        await Promise.race([pause(usual * random()), running.done]);
        running.child.kill('SIGKILL');
        const { code, err } = await running.done;
        if (running.child.signalCode === 'SIGKILL') total.kills++;
        else {
          expect(code, err).toBe(0);
          usual *= 0.85;
        }
        if (running.child.signalCode === 'SIGKILL' && (written(place) > 0 || contentsOf(place, {}) !== before))
          total.midway++;
        total.broken += (await problemsIn(place, 'tieout.db')).length;
        // The name of the file is taken only once it is whole and judged.
        const isWritten = existsSync(place.path('old.ndjson'));
        const args = isWritten ? operation.args.with(-1, 'further.ndjson') : operation.args;
        const again = await place.process(args, { env: LATER });
        expect(again.code, `${name}: ${again.err}`).toBeOneOf([0, operation.againMay ?? 0]);
        if (contentsOf(place, operation) !== wanted) total.differing++;
        total.broken += (await problemsIn(place, operation.result ?? 'tieout.db')).length;
        if (name === 'archive' && kill % 5 === 0) {
          const file = existsSync(place.path('old.ndjson')) ? 'old.ndjson' : 'further.ndjson';
          const replay = await place.process(['replay', `nightly-${NIGHTS[0]}-r1`, '--archive', file], { env: LATER });
          expect(replay.code, replay.err).toBe(0);
        }
      }
      row.measured(`kills by the end of ${name}`, total.kills);
    }
    row.measured('kills', total.kills);
    row.measured('of them after the first write', total.midway);
    row.measured('databases with other rows after the repetition', total.differing);
    row.measured('broken seals', total.broken);
    expect(total.kills).toBeGreaterThan(0);
    expect([total.differing, total.broken]).toEqual([0, 0]);
  },
);

/** Bytes that an operation has written: to its file, its copy, or the log of the database. */
function written(place: Workspace): number {
  const files = [...partials(place), place.path('var', 'copy.db'), place.path('var', 'tieout.db-wal')];
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Archives that are not whole yet: `old.ndjson.<uuid>.partial`. */
const partials = (place: Workspace) =>
  readdirSync(place.path('.'))
    .filter((name) => name.endsWith('.partial'))
    .map((name) => place.path(name));

async function firstWrite(place: Workspace, done: Promise<unknown>): Promise<void> {
  let isOver = false;
  void done.then(() => {
    isOver = true;
  });
  while (!isOver && written(place) === 0) await pause(1);
}

function reset(place: Workspace, { prepare }: Upkeep): void {
  rmSync(place.path('var'), { recursive: true });
  const files = ['old.ndjson', 'further.ndjson', 'old.key'].map((name) => place.path(name));
  for (const left of [...files, ...partials(place)]) rmSync(left, { force: true });
  cpSync(place.path('base'), place.path('var'), { recursive: true });
  prepare?.(place);
}

function exchangeKey(place: Workspace): void {
  const current = place.path('var', 'tieout.db.key');
  renameSync(current, place.path('old.key'));
  writeFileSync(current, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
}

function keyForCopy(place: Workspace): void {
  cpSync(place.path('var', 'tieout.db.key'), place.path('var', 'copy.db.key'));
}

const keyIn = (path: string) => readFileSync(path, 'utf8').trim();

async function problemsIn(place: Workspace, file: string): Promise<readonly string[]> {
  const keys: [string, ...string[]] = [keyIn(place.path('var', 'tieout.db.key'))];
  if (existsSync(place.path('old.key'))) keys.push(keyIn(place.path('old.key')));
  const upkeep = await openUpkeep({
    url: `sqlite:${place.path('var', file)}`,
    sealer: createSealer(keys),
    create: false,
  });
  try {
    return (await upkeep.check()).problems;
  } finally {
    await upkeep.close();
  }
}

/** What a nonce, a key or the time of day makes different in two equal databases. */
const VOLATILE = /^(key_id|token|token_fingerprint|sealed|digest|archived_at|database_id)$/;
const SEALS: readonly TableName[] = ['row_seals', 'sealed_rows', 'sealing_keys', 'leases', 'bookings', 'circuits'];

function contentsOf(place: Workspace, { result = 'tieout.db' }: Partial<Upkeep>): string {
  const hash = createHash('sha256');
  using file = openSqliteFile(place.path('var', result));
  for (const table of TABLE_NAMES) {
    if (SEALS.includes(table)) continue;
    const { columns, key } = TABLES[table];
    const names = Object.keys(columns).filter((name) => !VOLATILE.test(name));
    const rows = file.prepare(
      `select ${names.map((name) => `quote(${name})`).join(" || ',' || ")} as cells from ${table} order by ${key.join(', ')}`,
    );
    hash.update(table);
    for (const { cells } of rows.iterate() as Iterable<{ cells: string }>) hash.update(`${cells}\n`);
  }
  return hash.digest('hex');
}

/** The database is not what it was: cut, flipped, exchanged, or from the future. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { Workspace } from '../e2e/support/workspace.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { faultRow } from './harness/row.ts';
import { openScene, SCENE_DATE, SCENE_SET } from './harness/scene.ts';

const DB = 'var/tieout.db';
const NEXT_DATE = '2026-11-20';
const PAGE = 4096;

interface Damage {
  name: string;
  do: (bytes: Buffer) => Buffer;
  /** What the message must say. */
  says: RegExp;
  /** Commands that meet it; one that reads only undamaged pages may succeed. */
  metBy: readonly (readonly string[])[];
}

const RUN = ['run', '--date', NEXT_DATE];
const STATUS = ['db', 'status'];
const LIST = ['breaks', 'list'];

faultRow(
  {
    number: 23,
    fault: 'damaged database file',
    how: 'the file of a finished night is cut at several lengths; its header, schema page and random pages are overwritten; another file or a newer schema takes its place; one bit of a sealed token is flipped',
    mustHold:
      'exit 4 with a message and its remedy; no byte of the file is changed; nothing is published; the backup restores it',
  },
  async (row) => {
    await using scene = await openScene({ records: row.isShort ? 40 : 200 });
    const { place } = scene;
    expect((await place.process(['run', '--date', SCENE_DATE])).code).toBe(1);
    expect((await place.process(['db', 'backup', 'copy.db'])).code).toBe(0);
    // The WAL is written into the file, so that damage to the file is not repaired from the WAL.
    const db = new Database(place.path(DB));
    db.pragma('wal_checkpoint(truncate)');
    db.close();
    const whole = readFileSync(place.path(DB));
    const random = seededRandom(row.seed);
    let silent = 0;
    let met = 0;
    const all = damages(whole, random, row.isShort ? 1 : 8);
    for (const damage of row.isShort ? all.filter((_, n) => n % 3 === 0) : all) {
      for (const command of row.isShort ? damage.metBy.slice(0, 1) : damage.metBy) {
        put(place, damage.do(Buffer.from(whole)));
        const before = digest(place);
        const { code, out, err } = await place.process(command);
        const where = `${damage.name}, ${command.join(' ')}: ${code} ${out} ${err}`;
        expect(code, where).toBe(4);
        expect(`${out}${err}`, where).toMatch(damage.says);
        expect(err, where).not.toMatch(/unexpected|\n {4}at /i);
        if (digest(place) !== before) silent++;
        expect(existsSync(place.path('out', `${NEXT_DATE}/nightly-r1`)), where).toBe(false);
        met++;
      }
    }
    row.measured('damages', row.isShort ? Math.ceil(all.length / 3) : all.length);
    row.measured('commands that met one and exit 4', met);
    row.measured('files changed by a command', silent);
    expect(silent).toBe(0);
    row.measured('runs with an exchanged or changed token that exit 4', await sealed(place, whole));
    // The remedy that the messages name.
    put(place, readFileSync(place.path('copy.db')));
    const status = await place.process(['db', 'status', '--json']);
    expect(JSON.parse(status.out)).toMatchObject({ integrity: 'ok', pending: [] });
    expect((await place.process(['verify', 'out'])).code).toBe(0);
    expect((await place.process(['report', `nightly-${SCENE_DATE}-r1`, '--out', 'again'])).code).toBe(0);
    const published = ['records', 'breaks', 'fees'].map((name) => place.read(`out/${SCENE_SET}/${name}.csv`));
    const again = ['records', 'breaks', 'fees'].map((name) => place.read(`again/${SCENE_SET}/${name}.csv`));
    expect(again).toEqual(published);
    expect((await place.process(RUN)).code).toBe(1);
    row.measured('restored from the backup, published the same bytes', 'yes');
  },
);

function put(place: Workspace, bytes: Buffer): void {
  for (const suffix of ['-wal', '-shm']) rmSync(place.path(`${DB}${suffix}`), { force: true });
  writeFileSync(place.path(DB), bytes);
}

/** The file and its log: what a repair behind the owner's back would change. An empty log is none. */
function digest(place: Workspace): string {
  const hash = createHash('sha256').update(readFileSync(place.path(DB)));
  const log = place.path(`${DB}-wal`);
  if (existsSync(log)) hash.update(readFileSync(log));
  return hash.digest('hex');
}

function damages(whole: Buffer, random: () => number, pages: number): Damage[] {
  const cut = (share: number) => (bytes: Buffer) => bytes.subarray(0, Math.floor((bytes.length * share) / PAGE) * PAGE);
  const over = (at: number, text: string) => (bytes: Buffer) => {
    bytes.write(text, at, 'latin1');
    return bytes;
  };
  const all = [RUN, STATUS, LIST];
  const count = whole.length / PAGE;
  const flipped = Array.from({ length: pages }, (): Damage => {
    const page = 2 + Math.floor(random() * (count - 2));
    return {
      name: `page ${page} of ${count} made noise`,
      do: (bytes) => bytes.fill(0xa5, page * PAGE, (page + 1) * PAGE),
      says: /damaged.*backup|malformed|integrity/is,
      // Only the integrity check reads every page.
      metBy: [STATUS],
    };
  });
  return [
    { name: 'cut to a half', do: cut(0.5), says: /damaged/, metBy: all },
    { name: 'cut to its first page', do: cut(PAGE / whole.length), says: /damaged/, metBy: all },
    {
      name: 'cut within its header',
      do: (bytes) => bytes.subarray(0, 50),
      says: /damaged|not a SQLite database/,
      metBy: all,
    },
    { name: 'its header overwritten', do: over(0, 'GIF89a'), says: /not a SQLite database/, metBy: all },
    {
      name: 'its schema made noise',
      do: (bytes) => bytes.fill(0xa5, 100, PAGE),
      says: /damaged|not a SQLite database/,
      metBy: all,
    },
    ...flipped,
    {
      name: 'another file in its place',
      do: () => Buffer.from('a spreadsheet'),
      says: /not a SQLite database/,
      metBy: all,
    },
    {
      name: "another program's database in its place",
      do: () => withTables('create table songs (title text)'),
      says: /belongs to another program/,
      metBy: all,
    },
    {
      name: 'a newer schema',
      do: (bytes) =>
        changedBy(bytes, `insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`),
      says: /changed by a newer Tieout \(9999-later\)/,
      metBy: [...all, ['db', 'migrate']],
    },
  ];
}

function withTables(sql: string): Buffer {
  const db = new Database(':memory:');
  db.exec(sql);
  const bytes = db.serialize();
  db.close();
  return bytes;
}

/** In memory, so that nothing but the statement changes the file. */
function changedBy(bytes: Buffer, sql: string): Buffer {
  // A database in memory has no log; the file's header says which kind it is.
  bytes[18] = 1;
  bytes[19] = 1;
  const db = new Database(bytes);
  db.exec(sql);
  const changed = db.serialize();
  db.close();
  changed[18] = 2;
  changed[19] = 2;
  return changed;
}

/** One bit of what a token was sealed into, and a token moved to another record: neither opens, and no request is sent with it. */
async function sealed(place: Workspace, whole: Buffer): Promise<number> {
  const changes = [
    `update tracked_records set token = (select token from tracked_records order by record_key desc limit 1) where record_key = (select min(record_key) from tracked_records)`,
    `update tracked_records set token = cast(substr(token, 1, length(token) - 1) || x'00' as blob)`,
  ];
  for (const sql of changes) {
    put(place, changedBy(Buffer.from(whole), sql));
    const { code, err } = await place.process(['audit', '--from', '2026-01-01', '--to', '2027-01-01']);
    expect(code, err).toBe(4);
    expect(err).toMatch(/sealed|seal/);
  }
  return changes.length;
}

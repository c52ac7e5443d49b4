import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseUnavailableError, DatabaseUrlError } from '../../src/ports/store/errors.ts';
import { parseDatabaseUrl } from '../../src/store/database-url.ts';
import { openStore, openUpkeep } from '../../src/store/open.ts';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { SqliteHandle, translateError } from '../../src/store/sqlite/handle.ts';
import { aPurchase } from '../support/builders.ts';
import { SEALER, temporaryFolder } from './support/engines.ts';
import { aLine, bodyOf, keyOf, plan, TRACKED_AT, track, verified } from './support/scenario.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'tieout.db');
});
afterEach(() => folder[Symbol.dispose]());

const open = (path = file) => openStore({ url: `sqlite:${path}`, sealer: SEALER });
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

async function reasonOf(opening: Promise<unknown>): Promise<string> {
  const error = await opening.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DatabaseUnavailableError);
  return (error as DatabaseUnavailableError).reason;
}

/** Makes an up-to-date database and changes it behind the store's back. */
async function tamper(...statements: string[]): Promise<void> {
  const { store } = await open();
  await store.close();
  const raw = new Database(file);
  for (const statement of statements) raw.exec(statement);
  raw.close();
}

describe('a database file', () => {
  it('and all files beside it are private, with any umask', async () => {
    const before = process.umask(0o000);
    try {
      const path = join(folder.path, 'var', 'deep', 'tieout.db');
      const { store } = await open(path);
      await track(store, 'a');
      const beside = readdirSync(join(folder.path, 'var', 'deep')).sort();
      expect(beside).toEqual(['.gitignore', 'tieout.db', 'tieout.db-shm', 'tieout.db-wal']);
      for (const name of beside) expect(mode(join(folder.path, 'var', 'deep', name))).toBe('600');
      expect(mode(join(folder.path, 'var'))).toBe('700');
      expect(mode(join(folder.path, 'var', 'deep'))).toBe('700');
      await store.close();
    } finally {
      process.umask(before);
    }
  });

  it('in an existing folder leaves the folder’s mode unchanged', async () => {
    const shared = join(folder.path, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    const { store } = await open(join(shared, 'tieout.db'));
    await store.close();
    expect(mode(shared)).toBe('755');
  });

  it('has no token in it, and no evidence in clear either', async () => {
    const { store } = await open();
    await store.tracked.add([aLine({ token: 'mg3voq92hd2mbdht' })], 'import', TRACKED_AT);
    await store.tracked.add([aLine({ token: 'a-second-token-that-conflicts' })], 'import', TRACKED_AT);
    await store.close();
    const bytes = readFileSync(file);
    expect(bytes.includes('sqs6a428mqjtzbv')).toBe(true);
    expect(bytes.includes('mg3voq92hd2mbdht')).toBe(false);
    expect(bytes.includes('a-second-token-that-conflicts')).toBe(false);
  });

  it('keeps stored rows when it is opened again', async () => {
    const first = await open();
    await track(first.store, 'a');
    await first.store.close();
    const second = await open();
    expect(await second.store.tracked.count()).toBe(1);
    await second.store.close();
  });

  it('may be none at all: a database in memory', async () => {
    const { store } = await openStore({ url: 'sqlite::memory:', sealer: SEALER });
    await track(store, 'a');
    expect(await store.tracked.count()).toBe(1);
    await store.close();
  });
});

describe('evidence', () => {
  it('that was forgotten is stored again when the same body comes in again', async () => {
    const state = aPurchase({ recordId: 'a' });
    const save = async (date: string) => {
      const { store } = await open();
      const { run, fence } = await plan(store, { date, selection: { type: 'all', kind: null } });
      await store.items.save(run.runId, fence, [verified(await keyOf(store, 'a'), state, date)]);
      const evidence = await store.items.evidence(bodyOf(state).sha256);
      await store.close();
      return evidence;
    };
    const { store } = await open();
    await track(store, 'a');
    await store.close();
    expect(await save('2026-11-20')).toBe(bodyOf(state).evidence);
    await tamper('delete from bodies');
    expect(await save('2026-11-21')).toBe(bodyOf(state).evidence);
  });

  it('costs a few bytes for an unchanged body: no second text, no second content', async () => {
    const { store, upkeep } = await open();
    await track(store, 'a');
    for (const date of ['2026-11-20', '2026-11-21', '2026-11-22']) {
      const { run, fence } = await plan(store, { date, selection: { type: 'all', kind: null } });
      const item = verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), date);
      await store.items.save(run.runId, fence, [item]);
    }
    expect((await upkeep.status()).counts).toMatchObject({ snapshots: 3, contents: 1 });
    await store.close();
  });
});

describe('a database that cannot be used', () => {
  it('is not a database', async () => {
    writeFileSync(file, 'kind,id,view_token\n'.repeat(200));
    expect(await reasonOf(open())).toBe('not-a-database');
  });

  it('is damaged', async () => {
    const { store } = await open();
    await track(store, ...Array.from({ length: 500 }, (_, n) => `record-${n}`));
    await store.close();
    const size = statSync(file).size;
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4_096, size - 4_096);
    writeFileSync(file, bytes);
    expect(await reasonOf(open())).toBe('damaged');
  });

  it('was cut off', async () => {
    const { store } = await open();
    await track(store, ...Array.from({ length: 500 }, (_, n) => `record-${n}`));
    await store.close();
    truncateSync(file, 40_000);
    expect(await reasonOf(open().then(({ store }) => track(store, 'one more')))).toBe('damaged');
  });

  it('is a folder', async () => {
    mkdirSync(file);
    expect(await reasonOf(open())).toBe('cannot-open');
  });

  it('belongs to another program, and is left unchanged', async () => {
    const other = new Database(file);
    other.exec('create table invoices (id integer)');
    other.close();
    const before = readFileSync(file);
    expect(await reasonOf(open())).toBe('foreign');
    expect(await reasonOf(openUpkeep({ url: `sqlite:${file}`, sealer: null, create: true }))).toBe('foreign');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('lacks a table, or has a view in its place', async () => {
    for (const change of ['drop table deliveries', 'create view deliveries as select 1']) {
      await open().then(
        ({ store }) => store.close(),
        () => undefined,
      );
      const raw = new Database(file);
      raw.pragma('foreign_keys = off');
      raw.exec(change);
      raw.close();
      expect(await reasonOf(open())).toBe('incomplete');
    }
  });

  it('is not there, where it is only to be looked at', async () => {
    const looking = openUpkeep({ url: `sqlite:${file}`, sealer: null, create: false });
    expect(await reasonOf(looking)).toBe('missing');
    expect(existsSync(file)).toBe(false);
  });

  it('is on a full disk: the transaction is rolled back, earlier rows stay', async () => {
    const engine = await openSqliteEngine(file, { create: true });
    await sql`create table filling (text text)`.execute(engine.db);
    await sql`pragma max_page_count = 20`.execute(engine.db);
    const fill = engine.write(async (tx) => {
      for (let n = 0; n < 100; n++) await sql`insert into filling values (${'x'.repeat(4_000)})`.execute(tx.db);
    });
    expect(await reasonOf(fill)).toBe('full');
    const { rows } = await sql<{ count: number }>`select count(*) as count from filling`.execute(engine.db);
    expect(rows[0]?.count).toBe(0);
    await engine.close();
  });

  it('that stays locked for longer than the wait is reported as busy', async () => {
    const busy = translateError(new Database.SqliteError('database is locked', 'SQLITE_BUSY'), 'var/tieout.db');
    expect(busy).toBeInstanceOf(DatabaseUnavailableError);
    expect((busy as Error).message).toBe(
      'database var/tieout.db: another process has been writing for too long; wait until it ends, or stop it, then run again',
    );
  });

  it('does not take errors of the program for errors of the database', () => {
    const constraint = new Database.SqliteError('UNIQUE constraint failed', 'SQLITE_CONSTRAINT_UNIQUE');
    expect(translateError(constraint, 'x')).toBe(constraint);
    const readOnly = new Database.SqliteError('attempt to write a readonly database', 'SQLITE_READONLY_DIRECTORY');
    expect(translateError(readOnly, 'x')).toMatchObject({ reason: 'read-only', cause: readOnly });
  });
});

describe('database.url', () => {
  it.each(['mysql://host/db', '', 'var/tieout.db', 'sqlite:', 'sqlite:  ', 'sqlite://var/tieout.db'])(
    'refuses %o',
    async (url) => {
      await expect(openStore({ url, sealer: null })).rejects.toThrow(DatabaseUrlError);
    },
  );

  it.each([
    'postgres://tieout:hunter2@db.example',
    'postgres://tieout:hunter2@db.example/',
    'postgres://tieout:hunter2@db example/tieout',
  ])('refuses %o without repeating the password', async (url) => {
    const error = await openStore({ url, sealer: null }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DatabaseUrlError);
    expect(inspect(error)).not.toContain('hunter2');
  });

  it.each([
    ['postgres://tieout:hunter2@db.example/tieout', 'db.example:5432/tieout'],
    ['postgresql://tieout@db.example:6432/tieout?sslmode=verify-full', 'db.example:6432/tieout'],
    ['postgres://tieout@localhost/tieout?host=/run/postgresql', '/run/postgresql:5432/tieout'],
  ])('shows %s as %s', (url, location) => {
    expect(parseDatabaseUrl(url)).toEqual({ engine: 'postgres', url, location, keyFile: null });
  });
});

it('commits durably: a booking or a webhook must not be lost by a power cut', async () => {
  await (await open()).store.close();
  const handle = new SqliteHandle(file);
  // 2 is FULL: the log is synced with every commit. 1, the driver's own, syncs it with checkpoints alone.
  expect([handle.pragma('synchronous'), handle.pragma('journal_mode')]).toEqual([2, 'wal']);
  handle.close();
});

/**
 * Databases of the versions that landed, made by their own code (`tieout demo`, 14 records, two nights; reference data of the currencies in use), are
 * upgraded by this one: whole, and killed in the middle. Then their runs are replayed, and every seal holds.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { openEngine } from '../../src/store/open.ts';
import { TABLE_NAMES, TABLES } from '../../src/store/schema/tables.ts';
import { migrate } from '../../src/store/schema/upgrade.ts';
import { tieout } from '../cli/world.ts';
import { ENGINES, type TestEngine, temporaryFolder } from '../store/support/engines.ts';
import { runEnvironment } from '../support/run-folder.ts';
import { structureOf } from './structure.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const LAUNCHER = new URL('../../src/cli/tieout.js', import.meta.url).pathname;
/** What those versions made on PostgreSQL, change by change. */
const POSTGRES_SCHEMAS = new URL('fixtures/postgres.sql', import.meta.url);
const VERSIONS = [
  { commit: 'aaf7bd7', schema: '0007-due-candidates', breaks: 8 },
  { commit: 'dca6adf0', schema: '0026-contents-by-record', breaks: 11 },
  // Without the texts of its lists, which nothing reads.
  { commit: 'a454c79c', schema: '0041-seals-of-evidence', breaks: 12 },
];

/** The out folder of the version, with its database and key. */
function unpack(commit: string, to: string): void {
  const packed = readFileSync(new URL(`fixtures/${commit}.json.br`, import.meta.url));
  const files = JSON.parse(brotliDecompressSync(packed).toString('utf8')) as Record<string, string>;
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    writeFileSync(join(to, name), Buffer.from(content, 'base64'), { mode: 0o600 });
  }
}

/** The same rows on another engine, under the schema of that version. */
async function moveTo(url: string, file: string, schema: string): Promise<void> {
  const engine = await openEngine(url, { create: true });
  const source = new Database(file, { readonly: true });
  try {
    const [made = ''] = readFileSync(POSTGRES_SCHEMAS, 'utf8').split(`-- ${schema}\n`);
    await sql.raw(`${made} create table kysely_migration (name text primary key, timestamp text);`).execute(engine.db);
    const tables = new Set(await engine.tableNames());
    await engine.db.transaction().execute(async (tx) => {
      for (const { name } of source.prepare('select name from kysely_migration').all() as { name: string }[])
        await sql`insert into kysely_migration (name, timestamp) values (${name}, '')`.execute(tx);
      for (const table of TABLE_NAMES) {
        const { key, isGenerated } = TABLES[table];
        if (!tables.has(table)) continue;
        for (const row of source.prepare(`select * from ${table}`).all() as Record<string, unknown>[]) {
          const { looked_after_end: _computed, ...kept } = row;
          await tx
            .insertInto(table as never)
            .values(kept as never)
            .execute();
        }
        if (isGenerated && engine.name === 'postgres') {
          const [column = ''] = key;
          await sql`select setval(pg_get_serial_sequence(${table}, ${column}), (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}))`.execute(
            tx,
          );
        }
      }
    });
  } finally {
    source.close();
    await engine.close();
  }
}

interface Old extends AsyncDisposable {
  env: Record<string, string>;
}

async function oldDatabase({ commit, schema }: (typeof VERSIONS)[number], { name, place }: TestEngine): Promise<Old> {
  const folder = temporaryFolder();
  unpack(commit, folder.path);
  const file = join(folder.path, 'tieout.db');
  const secret = readFileSync(`${file}.key`, 'utf8').trim();
  const common = { TIEOUT_OUT: folder.path, TIEOUT_SECRET_KEY: secret, CI: '1' };
  if (name === 'SQLite') {
    return {
      env: { ...common, TIEOUT_DATABASE_URL: `sqlite:${file}` },
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  }
  const other = await place();
  await moveTo(other.url, file, schema);
  return {
    env: { ...common, TIEOUT_DATABASE_URL: other.url },
    [Symbol.asyncDispose]: async () => {
      await other[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function structureAt(url: string): Promise<readonly string[]> {
  const engine = await openEngine(url, { create: true });
  try {
    await migrate(engine);
    return await structureOf(engine);
  } finally {
    await engine.close();
  }
}

async function structureOfNew({ place }: TestEngine): Promise<readonly string[]> {
  await using made = await place();
  return await structureAt(made.url);
}

/** By engine: every version is upgraded to the same structure. */
const structures = new Map<string, Promise<readonly string[]>>();
function newStructure(engine: TestEngine): Promise<readonly string[]> {
  const known = structures.get(engine.name) ?? structureOfNew(engine);
  structures.set(engine.name, known);
  return known;
}

const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.on('close', () => resolve()));

for (const engine of ENGINES) {
  describe.each(VERSIONS)(`a database of $commit on ${engine.name}`, (version) => {
    it('is upgraded although it is killed in the middle, replays its runs, and every seal holds', async () => {
      await using old = await oldDatabase(version, engine);
      const call = (line: string) => tieout(line, { openApp, env: old.env });
      // Loading takes a third of a second, and the migrations another.
      for (const ms of [350, 500, 650]) {
        const child = spawn(process.execPath, [LAUNCHER, 'db', 'migrate'], {
          env: { PATH: process.env.PATH ?? '', ...runEnvironment(), ...old.env },
          stdio: 'ignore',
        });
        const killed = setTimeout(() => child.kill('SIGKILL'), ms);
        await ended(child);
        clearTimeout(killed);
      }
      const migrated = await call('db migrate --json');
      expect([migrated.code, migrated.err]).toEqual([0, migrated.err]);
      expect(JSON.parse(migrated.out)).toMatchObject({ unsealed: false });
      const check = await call('db check');
      expect([check.code, check.out]).toEqual([0, check.out]);
      const replay = await call('replay nightly-2026-11-22-r1');
      expect([replay.code, replay.out, replay.err]).toEqual([0, expect.stringContaining('Judged 14'), replay.err]);
      const { breaks } = JSON.parse((await call('breaks list --state all --json')).out) as { breaks: unknown[] };
      expect(breaks).toHaveLength(version.breaks);
      expect(JSON.parse((await call('db migrate --json')).out)).toEqual({ applied: [], unsealed: false });
      expect(await structureAt(old.env.TIEOUT_DATABASE_URL ?? '')).toEqual(await newStructure(engine));
    });
  });
}

it('without the key nothing is sealed, and migrate says so; with it, later, everything is', async () => {
  await using old = await oldDatabase(VERSIONS[1] as (typeof VERSIONS)[number], ENGINES[0] as TestEngine);
  const { TIEOUT_SECRET_KEY: _key, ...keyless } = old.env;
  const away = { ...keyless, TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
  expect((await tieout('db migrate', { openApp, env: away })).err).toContain('key');
  expect((await tieout('db check', { openApp, env: old.env })).code).toBe(1);
  expect((await tieout('db migrate', { openApp, env: old.env })).code).toBe(0);
  expect((await tieout('db check', { openApp, env: old.env })).code).toBe(0);
});

afterAll(() => Promise.all(ENGINES.map((each) => each.close())));

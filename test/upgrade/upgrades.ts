/**
 * Databases of every schema that landed, made by their own code (`tieout demo`, 14 records, two nights; since 0038 with decisions, a claim
 * and a closed month), are upgraded by this one: whole, and killed in the middle. Then their runs are replayed, and every seal holds.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize } from 'node:v8';
import { brotliDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { openEngine } from '../../src/store/open.ts';
import { TABLE_NAMES, TABLES } from '../../src/store/schema/tables.ts';
import { migrate } from '../../src/store/schema/upgrade.ts';
import { tieout } from '../cli/world.ts';
import { type TestEngine, temporaryFolder } from '../store/support/engines.ts';
import { runEnvironment } from '../support/run-folder.ts';
import { structureOf } from './structure.ts';

const LAUNCHER = new URL('../../src/cli/tieout.js', import.meta.url).pathname;
/** What those versions made on PostgreSQL, change by change. */
const POSTGRES_SCHEMAS = new URL('fixtures/postgres.sql', import.meta.url);
const BEFORE_FLOATING = { night: '2026-11-22', decided: false };
const DECIDED = { night: '2026-11-25', decided: true, breaks: 13 };
/** Of one world, whose databases differ little: one file of `fixtures`, named after the first, has them all. */
const LIKE_0043 = { file: 'dcab0d75' };
export const VERSIONS = [
  { commit: 'aaf7bd7', schema: '0007-due-candidates', breaks: 8, ...BEFORE_FLOATING },
  { commit: 'dca6adf0', schema: '0026-contents-by-record', breaks: 11, ...BEFORE_FLOATING },
  { commit: 'dc183cb3', schema: '0038-sealed-rows', ...DECIDED },
  { commit: 'a454c79c', schema: '0041-seals-of-evidence', breaks: 12, ...BEFORE_FLOATING },
  { commit: 'dcab0d75', schema: '0043-figures-of-captures', ...DECIDED },
  { commit: '8147ba58', schema: '0044-sums-of-rows', ...DECIDED, ...LIKE_0043 },
  { commit: '61b5d8b9', schema: '0045-one-schema', ...DECIDED, ...LIKE_0043 },
  { commit: '7554ead3', schema: '0046-returns-and-reviews', ...DECIDED, ...LIKE_0043 },
  { commit: 'fbae22f4', schema: '0047-claimed-parts', ...DECIDED, ...LIKE_0043 },
  { commit: '76568832', schema: '0048-words-of-sales', night: '2026-11-25', decided: false, breaks: 16 },
  { commit: '24453d10', schema: '0049-other-names', night: '2026-11-25', decided: false, breaks: 13 },
  { commit: '3ff53753', schema: '0050-sealed-days', night: '2026-11-27', decided: false, breaks: 12 },
];
/** In `npm test`: the oldest schema on one store, the newest on the other, and the first that has seals. */
export const isOften = ({ schema }: Version, { name }: TestEngine): boolean =>
  (name === 'SQLite' ? ['0007-due-candidates', '0038-sealed-rows'] : ['0050-sealed-days']).includes(schema);
export type Version = (typeof VERSIONS)[number] & { file?: string };

/** Of the out folder of the version what is read here, with database and key; the texts of lists, which nothing reads, are empty. */
function unpack({ commit, file = commit }: Version, to: string): void {
  const packed = readFileSync(new URL(`fixtures/${file}.br`, import.meta.url));
  const { [commit]: files } = deserialize(brotliDecompressSync(packed)) as Record<string, Record<string, Uint8Array>>;
  for (const [name, content] of Object.entries(files ?? {})) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    writeFileSync(join(to, name), content, { mode: 0o600 });
  }
}

/** The same rows on another engine, under the schema of that version. */
async function moveTo(url: string, file: string, schema: string): Promise<void> {
  const engine = await openEngine(url, { create: true });
  const source = new Database(file, { readonly: true });
  try {
    const [made = ''] = readFileSync(POSTGRES_SCHEMAS, 'utf8').split(`-- ${schema}\n`);
    await sql.raw(`${made} create table kysely_migration (name text primary key, timestamp text);`).execute(engine.db);
    const tables = await engine.tables();
    await engine.db.transaction().execute(async (tx) => {
      for (const { name } of source.prepare('select name from kysely_migration').all() as { name: string }[])
        await sql`insert into kysely_migration (name, timestamp) values (${name}, '')`.execute(tx);
      for (const table of TABLE_NAMES) {
        const { key, isGenerated } = TABLES[table];
        if (!tables.has(table)) continue;
        const rows = source.prepare(`select * from ${table}`).all() as Record<string, unknown>[];
        for (let from = 0; from < rows.length; from += 200) {
          const kept = rows.slice(from, from + 200).map(({ looked_after_end: _computed, ...row }) => row);
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
  folder: string;
  env: Record<string, string>;
}

export async function oldDatabase(version: Version, { name, place }: TestEngine): Promise<Old> {
  const folder = temporaryFolder();
  unpack(version, folder.path);
  const file = join(folder.path, 'tieout.db');
  const secret = readFileSync(`${file}.key`, 'utf8').trim();
  const common = { TIEOUT_OUT: folder.path, TIEOUT_SECRET_KEY: secret, CI: '1' };
  if (name === 'SQLite') {
    return {
      folder: folder.path,
      env: { ...common, TIEOUT_DATABASE_URL: `sqlite:${file}` },
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  }
  const other = await place();
  await moveTo(other.url, file, version.schema);
  return {
    folder: folder.path,
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

const DIE_AT_STATEMENT = new URL('../support/die-at-statement.ts', import.meta.url).pathname;
/** Of the upgrade, which is one transaction, its first definition and its last statement; then the seals, which are another. */
const MOMENTS = ['^(create|alter|drop) ', '^insert into "?kysely_migration', '^delete from "row_seals"'];

async function killedAt(moment: string, env: Record<string, string>): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, ['--import', DIE_AT_STATEMENT, LAUNCHER, 'db', 'migrate'], {
    env: { PATH: process.env.PATH ?? '', ...runEnvironment(), ...env, TIEOUT_DIE_AT: moment },
    stdio: 'ignore',
  });
  return new Promise((resolve) => child.on('close', (_code, signal) => resolve(signal)));
}

/** Of a set, what prices, fees and verdicts are read from: as far as that version had columns of records. */
function figuresOf(set: string): readonly unknown[] {
  const records = readFileSync(join(set, 'records.csv'), 'utf8').split('\n');
  const until = (records[0] ?? '').split(',').indexOf('evidence_sha256');
  return [
    records.map((line) => line.split(',').slice(0, until)),
    ...['totals.csv', 'slippage.csv'].map((name) => readFileSync(join(set, name), 'utf8')),
  ];
}

/** Bodies that a set names, one of each status: their texts have a hash, also those of a version that kept none. */
async function expectVerifiedEvidence(set: string, call: (line: string) => ReturnType<typeof tieout>) {
  const [names = [], ...rows] = readFileSync(join(set, 'records.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const cell = (row: readonly string[], column: string) => row[names.indexOf(column)] ?? '';
  const bodies = new Map(rows.map((row) => [cell(row, 'status'), cell(row, 'evidence_sha256')]));
  for (const sha256 of bodies.values()) {
    if (sha256 === '') continue;
    const verified = await call(`evidence ${sha256} --verify`);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('verified, the text has this hash')]);
  }
}

/** An edit of the day on which a record was last verified, taken back again. */
async function expectDaysUnderTheSeal(env: Record<string, string>, call: (line: string) => ReturnType<typeof tieout>) {
  const edit = async (by: number) => {
    const db = await openEngine(env.TIEOUT_DATABASE_URL ?? '', { create: false });
    await sql`update tracked_records set last_verified_day = last_verified_day + ${by}`.execute(db.db);
    await db.close();
  };
  await edit(1);
  expect((await call('db check')).out).toContain('days of tracked_records: rows were changed');
  await edit(-1);
}

export function areUpgraded(versions: readonly Version[], engine: TestEngine): void {
  describe.each(versions)(`a database of $schema on ${engine.name}`, (version) => {
    it('is upgraded although it is killed in the middle, replays its runs, and every seal holds', async () => {
      await using old = await oldDatabase(version, engine);
      const call = (line: string) => tieout(line, { openApp, env: old.env });
      const run = `nightly-${version.night}-r1`;
      // The first version at each moment; later ones, of which some have their seals, at either end of the upgrade.
      const place = VERSIONS.indexOf(version);
      for (const moment of place === 0 ? MOMENTS : MOMENTS.slice(place % 2, (place % 2) + 1))
        expect([moment, await killedAt(moment, old.env)]).toEqual([moment, 'SIGKILL']);
      const migrated = await call('db migrate --json');
      expect([migrated.code, migrated.err]).toEqual([0, migrated.err]);
      expect(JSON.parse(migrated.out)).toMatchObject({ unsealed: false });
      const check = await call('db check');
      expect([check.code, check.out]).toEqual([0, check.out]);
      await expectDaysUnderTheSeal(old.env, call);
      await expectVerifiedEvidence(join(old.folder, version.night, 'nightly-r1'), call);
      const replay = await call(`replay ${run}`);
      expect([replay.code, replay.out, replay.err]).toEqual([0, expect.stringContaining('Judged 14'), replay.err]);
      const { breaks } = JSON.parse((await call('breaks list --state all --json')).out) as {
        breaks: { state: string }[];
      };
      expect(breaks).toHaveLength(version.breaks);
      expect(JSON.parse((await call('db migrate --json')).out)).toEqual({ applied: [], unsealed: false });
      expect(await structureAt(old.env.TIEOUT_DATABASE_URL ?? '')).toEqual(await newStructure(engine));
      if (!version.decided) return;
      const states = breaks.map(({ state }) => state).filter((state) => state !== 'open');
      expect(states.sort()).toEqual(['acknowledged', 'waived']);
      expect((await call('claims list')).out).toMatch(/5\.97 EUR.*2\.2\d GBP/s);
      expect((await call('period status 2026-10')).out).toContain('closed');
      const again = join(old.folder, 'again');
      expect((await call(`report ${run} --format csv --out ${again}`)).code).toBe(0);
      const set = join(version.night, 'nightly-r1');
      expect(figuresOf(join(again, set))).toEqual(figuresOf(join(old.folder, set)));
    });
  });
}

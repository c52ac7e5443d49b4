/** The engines that every contract test runs against. A further engine is one more entry. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Store, Upkeep } from '../../../src/ports/store/store.ts';
import type { Engine } from '../../../src/store/engine.ts';
import { openEngine, openStore, storeOn } from '../../../src/store/open.ts';
import { migrate } from '../../../src/store/schema/upgrade.ts';
import { createSealer } from '../../../src/store/sealing.ts';
import { copyEmptyDatabase } from '../../support/empty-database.ts';
import { EMPTY_ALL_TABLES, makeDatabase, makeEmptiable, onServer, type TestDatabase } from '../postgres/database.ts';
import { isSwitchedOff } from '../postgres/server.ts';

/** 32 bytes of the same value, in base64: different letters make different keys. */
export function testKey(letter: string): string {
  return Buffer.alloc(32, letter).toString('base64');
}

export const SEALER = createSealer([testKey('a')]);

/** An empty database with everything that goes with it; removed when disposed of. */
export interface OpenedStore extends AsyncDisposable {
  store: Store;
  upkeep: Upkeep;
  /** Brings the statistics of a server up to date, as it does by itself within a minute: without them a plan over many rows takes seconds. */
  analyze(): Promise<void>;
}

export interface TestEngine {
  name: string;
  open(): Promise<OpenedStore>;
  /** A place for a new database; removed when disposed of. */
  place(): Promise<{ url: string } & AsyncDisposable>;
  /** Called once, after the last test. */
  close(): Promise<void>;
}

export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'tieout-store-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

async function sqlitePlace(): Promise<{ url: string } & AsyncDisposable> {
  const folder = temporaryFolder();
  return {
    url: `sqlite:${join(folder.path, 'tieout.db')}`,
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

async function openSqlite(): Promise<OpenedStore> {
  const place = await sqlitePlace();
  await copyEmptyDatabase(place.url.slice('sqlite:'.length));
  const opened = await openStore({ url: place.url, sealer: SEALER });
  return {
    ...opened,
    analyze: async () => undefined,
    [Symbol.asyncDispose]: async () => {
      await opened.store.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

interface Kept {
  database: TestDatabase;
  engine: Engine;
}

async function keptDatabase(): Promise<Kept> {
  const database = await makeDatabase();
  const engine = await openEngine(database.url, { create: false });
  await migrate(engine);
  await makeEmptiable(database.url);
  return { database, engine };
}

/**
 * One database and its connections for all tests of a file, emptied before each: making one takes longer than most tests, and
 * a new session of the server reads its catalogue again.
 */
function postgresEngine(): TestEngine {
  let made: Promise<Kept> | null = null;
  return {
    name: 'PostgreSQL',
    open: async () => {
      made ??= keptDatabase();
      const { database, engine } = await made;
      await sql.raw(EMPTY_ALL_TABLES).execute(engine.db);
      return {
        ...(await storeOn(engine, { url: database.url, sealer: SEALER })),
        analyze: async () => void (await onServer(database.url, 'analyze')),
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
    place: makeDatabase,
    close: async () => {
      const kept = await made;
      await kept?.engine.close();
      await kept?.database[Symbol.asyncDispose]();
      made = null;
    },
  };
}

const SQLITE: TestEngine = { name: 'SQLite', open: openSqlite, place: sqlitePlace, close: async () => undefined };

/** Both, unless PostgreSQL is switched off by the environment; the global set-up says so then. */
export const ENGINES: readonly TestEngine[] = isSwitchedOff() ? [SQLITE] : [SQLITE, postgresEngine()];

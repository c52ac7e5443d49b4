import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackupExistsError, SchemaNewerError, SchemaOutdatedError } from '../../src/ports/store/errors.ts';
import { tracking } from '../../src/store/migrations/0001-tracking.ts';
import { openStore, openUpkeep } from '../../src/store/open.ts';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { aPurchase } from '../support/builders.ts';
import { SEALER, temporaryFolder } from './support/engines.ts';
import { keyOf, plan, track, verified } from './support/scenario.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'tieout.db');
});
afterEach(() => folder[Symbol.dispose]());

const open = (path = file) => openStore({ url: `sqlite:${path}`, sealer: SEALER });
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Makes an up-to-date database and changes it behind the store's back. */
async function tamper(...statements: string[]): Promise<void> {
  const { store } = await open();
  await store.close();
  const raw = new Database(file);
  for (const statement of statements) raw.exec(statement);
  raw.close();
}

/** As a program leaves it that knows the first migration only. */
async function atFirstMigration(): Promise<void> {
  await (await open()).store.close();
  const raw = new Database(file);
  raw.pragma('foreign_keys = off');
  raw.exec("delete from kysely_migration where name <> '0001-tracking'");
  const tables = raw
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'",
    )
    .pluck()
    .all();
  for (const each of tables) raw.exec(`drop table if exists ${each}`);
  raw.close();
  const engine = await openSqliteEngine(file, { create: false });
  await tracking(engine.types).up(engine.db);
  await engine.close();
}

describe('a schema', () => {
  it('has indexes for redacted hashes, of contents in blocks', async () => {
    const { store } = await open();
    await track(store, 'a', 'b');
    const night = await plan(store);
    for (const id of ['a', 'b']) {
      const item = verified(await keyOf(store, id), aPurchase({ recordId: id }), '2026-11-20');
      await store.items.save(night.run.runId, night.fence, [item]);
    }
    const raw = new Database(file);
    raw.pragma('foreign_keys = off');
    raw.exec(
      "update contents set content_key = 5000 where content_key = 2; update contents set redacted_sha256 = 'beef'",
    );
    const prepare = vi.spyOn(Database.prototype, 'prepare');
    const found = await store.history.recordsWith('bee');
    const sent = prepare.mock.calls.map(([text]) => text).filter((text) => text.includes('"redacted_sha256" >='));
    prepare.mockRestore();
    const steps = sent.flatMap((text) => raw.prepare(`explain query plan ${text}`).all('bee', 'beeg')) as {
      detail: string;
    }[];
    raw.close();
    await store.close();
    expect(found.map(({ recordId }) => recordId)).toEqual(['a', 'b']);
    expect(steps.map(({ detail }) => detail).filter((detail) => detail.includes(' body'))).toEqual([
      'SEARCH body USING INDEX contents_redacted (<expr>=? AND redacted_sha256>? AND redacted_sha256<?)',
      'SEARCH body USING INDEX sealed_bodies_redacted (redacted_sha256>? AND redacted_sha256<?)',
    ]);
  });

  it('that is older is not changed behind its owner’s back, but by `db migrate`', async () => {
    await atFirstMigration();
    const error = await open().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SchemaOutdatedError);
    expect((error as Error).message).toContain('tieout db migrate');
    const upkeep = await openUpkeep({ url: `sqlite:${file}`, sealer: null, create: false });
    const { pending, counts } = await upkeep.status();
    expect([pending[0], counts]).toEqual(['0002-quotes', {}]);
    expect(await upkeep.migrate()).toEqual({ applied: pending, isUnsealed: false });
    await upkeep.close();
    await (await open()).store.close();
  });

  it('that is newer is refused by every command', async () => {
    await tamper(`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2030-01-01')`);
    await expect(open()).rejects.toThrow(SchemaNewerError);
    const upkeep = await openUpkeep({ url: `sqlite:${file}`, sealer: null, create: false });
    await expect(upkeep.migrate()).rejects.toThrow(/9999-from-the-future.*upgrade/);
    await upkeep.close();
  });
});

describe('a backup', () => {
  it('is a whole, private database of its own', async () => {
    const { store, upkeep } = await open();
    await track(store, 'a', 'b');
    const copy = join(folder.path, 'backups', 'tieout.db');
    await upkeep.backup(copy);
    await track(store, 'c');
    await store.close();
    expect(mode(copy)).toBe('600');
    expect(readdirSync(join(folder.path, 'backups'))).toEqual(['.gitignore', 'tieout.db']);
    const restored = await open(copy);
    expect(await restored.store.tracked.count()).toBe(2);
    await restored.store.close();
  });

  it('never overwrites', async () => {
    const { store, upkeep } = await open();
    const copy = join(folder.path, 'copy.db');
    writeFileSync(copy, 'precious');
    await expect(upkeep.backup(copy)).rejects.toThrow(BackupExistsError);
    expect(readFileSync(copy, 'utf8')).toBe('precious');
    await store.close();
  });
});

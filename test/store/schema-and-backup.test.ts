import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { brotliDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  BackupExistsError,
  SchemaBetweenVersionsError,
  SchemaNewerError,
  SchemaOutdatedError,
} from '../../src/ports/store/errors.ts';
import type { Upkeep } from '../../src/ports/store/store.ts';
import { openStore, openUpkeep } from '../../src/store/open.ts';
import { VERSION } from '../../src/store/schema/upgrade.ts';
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

/** A database of the first version that landed. */
function atFirstVersion(): void {
  const packed = readFileSync(new URL('../upgrade/fixtures/aaf7bd7.br', import.meta.url));
  const { aaf7bd7: files } = deserialize(brotliDecompressSync(packed)) as Record<string, Record<string, Uint8Array>>;
  writeFileSync(file, files?.['tieout.db'] ?? '', { mode: 0o600 });
}

/** The names under which every change of the schema was recorded until there was one of the whole. */
const FORMER = (
  readFileSync(new URL('../upgrade/fixtures/postgres.sql', import.meta.url), 'utf8').match(/(?<=^-- ).*$/gm) ?? []
).filter((name) => name < '0045');
const record = (names: readonly string[]) => [
  'delete from kysely_migration',
  ...names.map((name) => `insert into kysely_migration values ('${name}', '')`),
];

async function withUpkeep<T>(use: (upkeep: Upkeep) => Promise<T>): Promise<T> {
  const upkeep = await openUpkeep({ url: `sqlite:${file}`, sealer: null, create: false });
  try {
    return await use(upkeep);
  } finally {
    await upkeep.close();
  }
}
const openUpkeepStatus = () => withUpkeep((upkeep) => upkeep.status());
const migrateFile = () => withUpkeep((upkeep) => upkeep.migrate());

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
    atFirstVersion();
    const error = await open().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SchemaOutdatedError);
    expect((error as Error).message).toContain('tieout db migrate');
    const upkeep = await openUpkeep({ url: `sqlite:${file}`, sealer: null, create: false });
    const { pending, counts } = await upkeep.status();
    expect([pending, counts]).toEqual([[VERSION], {}]);
    expect(await upkeep.migrate()).toEqual({ applied: [VERSION], isUnsealed: true });
    await upkeep.close();
    expect(await openUpkeepStatus()).toMatchObject({ applied: [VERSION], pending: [] });
  });

  const since50 = [
    'alter table contents drop column odd_steps',
    ...['break_events', 'staged_break_events'].map((table) => `alter table ${table} drop column quote_id`),
  ];
  const since48 = [
    ...since50,
    'alter table contents drop column also_named',
    'alter table contents drop column payout_status',
  ];
  const since47 = [
    ...since48,
    'alter table contents drop column crypto_status',
    'alter table contents drop column fee_currency',
  ];
  const since46 = [...since47, 'alter table contents drop column returned_at', 'drop table delta_reviews'];

  it.each([
    ['the last version that recorded each change', () => FORMER, 34, since46],
    ['the first version with one schema', () => ['0045-one-schema'], 1, since46],
    ['one that landed', () => ['0047-claimed-parts'], 1, since47],
    ['a later one that landed', () => ['0048-words-of-sales'], 1, since48],
    ['one that had the other names of assets', () => ['0049-other-names'], 1, since50],
    ['the last one before it', () => ['0050-sealed-days'], 1, since50],
  ])('of %s gets what this one added', async (_version, names, applied, added) => {
    await tamper(...record(names()), ...added);
    await expect(open()).rejects.toThrow(SchemaOutdatedError);
    const before = await openUpkeepStatus();
    expect([before.applied.length, before.pending]).toEqual([applied, [VERSION]]);
    expect(await migrateFile()).toEqual({ applied: [VERSION], isUnsealed: false });
    await (await open()).store.close();
  });

  it.each(['0001-tracking', '0029-what-is-judged'])('that was never released, of %s, is refused', async (last) => {
    await tamper(...record(FORMER.filter((name) => name <= last)));
    await expect(open()).rejects.toThrow(SchemaBetweenVersionsError);
    await expect(migrateFile()).rejects.toThrow(`never released (its last change is ${last})`);
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

  it('leaves another one to the same name, which is under way, alone', async () => {
    const { store, upkeep } = await open();
    const copy = join(folder.path, 'twice.db');
    writeFileSync(`${copy}.partial`, 'of another process');
    await upkeep.backup(copy);
    await store.close();
    expect(readFileSync(`${copy}.partial`, 'utf8')).toBe('of another process');
    expect(readdirSync(folder.path).filter((name) => name.startsWith('twice.db'))).toEqual([
      'twice.db',
      'twice.db.partial',
    ]);
  });

  it('removes what killed ones left, once nothing was written to it for a day', async () => {
    const { store, upkeep } = await open();
    const age = (path: string, hours: number) => utimesSync(path, 0, Date.now() / 1000 - hours * 3600);
    const names = [
      [23, 'tieout.partial'],
      [25, 'tieout.partial'],
      // Of another program.
      [25, 'partial'],
    ].map(([hours, end]) => {
      const name = `of-${hours}.db.${randomUUID()}.${end}`;
      writeFileSync(join(folder.path, name), '');
      age(join(folder.path, name), Number(hours));
      return name;
    });
    // Cannot be removed.
    const strange = join(folder.path, `a.db.${randomUUID()}.tieout.partial`);
    mkdirSync(strange);
    age(strange, 25);
    await upkeep.backup(join(folder.path, 'today.db'));
    await store.close();
    const left = readdirSync(folder.path);
    expect(names.map((name) => left.includes(name))).toEqual([true, false, true]);
    expect(left).toContain('today.db');
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

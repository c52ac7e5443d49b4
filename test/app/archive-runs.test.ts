/** Old nights move to files, months after which each of them is judged from its file, although later nights saw their breaks. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeArchive } from '../../src/app/archive-runs.ts';
import { unpackArchive } from '../../src/app/unpack-archive.ts';
import { Releasers } from '../../src/runner/releasers.ts';
import { archivableRuns, forgetItems } from '../../src/store/archive.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openEngine, openStore } from '../../src/store/open.ts';
import { sealerOfDatabase } from '../../src/store/sealing-key.ts';
import { type FrozenWorld, openFrozenWorld } from '../e2e/support/frozen-world.ts';
import { quoteLines } from '../simulation/prices.ts';
import { Reality } from '../simulation/reality.ts';
import { makeDatabase, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { differencesFrom } from './support/judged-from-file.ts';

inThisOrder();

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const NIGHTS = 6;
const dateOf = (night: number) => `2026-10-${String(1 + night).padStart(2, '0')}`;

describe.each(isSwitchedOff() ? ['SQLite'] : ['SQLite', 'PostgreSQL'])('archives of nights over %s', (name) => {
  let database: TestDatabase | null = null;
  let world: FrozenWorld;
  let engine: Engine;
  const folder = mkdtempSync(join(tmpdir(), 'tieout-archives-'));
  const fileOf = (night: number) => join(folder, `${night}.ndjson`);

  async function archive(before: string, file: string) {
    const runs = await archivableRuns(engine, before);
    return writeArchive(world.app, { engine, runs, file, signal: new AbortController().signal });
  }

  const replayed = (file: string, runId: string) => differencesFrom(world.app, file, [runId]);

  beforeAll(async () => {
    if (name === 'PostgreSQL') database = await makeDatabase();
    world = await openFrozenWorld(
      database === null ? {} : { 'database.url': database.url },
      database === null ? {} : { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
    );
    const reality = new Reality(5, dateOf(0), 0.6);
    await world.quote(quoteLines());
    for (let night = 0; night < NIGHTS; night++) {
      const born = reality.nextDay(12);
      const lines = born.map(({ id, kind, quoteId }) => `${kind},${id},tok-${id},${quoteId}\n`).join('');
      await world.track(`kind,id,view_token,quote_id\n${lines}`);
      for (const { id } of born) world.server.answers.set(id, () => reality.answer(id));
      world.goTo(`${dateOf(night + 1)}T02:15:00Z`);
      await world.night(dateOf(night));
    }
    const { database: at, secretKey } = world.app.settings;
    engine = await openEngine(at.url, { create: false });
    engine.sealer = sealerOfDatabase(at.url, secretKey, { make: false }).sealer;
  });
  afterAll(async () => {
    await engine?.close();
    await world?.close();
    await database?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gives each night back to the byte, the first one after the rows of two are gone', async () => {
    for (const night of [1, 3]) {
      const { runs, left } = await archive(dateOf(night), fileOf(night));
      expect([runs.length, left]).toEqual([night === 1 ? 1 : 2, []]);
      expect(await forgetItems(engine, runs, 1)).toBeGreaterThan(0);
    }
    expect(await replayed(fileOf(1), `nightly-${dateOf(0)}-r1`)).toEqual([]);
    expect(await replayed(fileOf(3), `nightly-${dateOf(1)}-r1`)).toEqual([]);
    expect(await replayed(fileOf(3), `nightly-${dateOf(2)}-r1`)).toEqual([]);
    await expect(replayed(fileOf(3), `nightly-${dateOf(4)}-r1`)).rejects.toThrow('is not in');
  });

  it('has the whole history of a break that stood then, with later nights, and the evidence of its records', async () => {
    const releasers = new Releasers();
    const { url } = await unpackArchive(fileOf(1), releasers);
    const { store } = await openStore({ url, sealer: null });
    const [standing] = await store.breaks.list({ limit: 1, offset: 0, states: ['open'] });
    const there = await store.breaks.events(standing?.breakId ?? '');
    expect(there).toEqual(await world.app.store.breaks.events(standing?.breakId ?? ''));
    expect(new Set(there.map(({ runId }) => runId)).size).toBeGreaterThan(1);
    await store.close();
    await releasers.release();
  });

  it('of the older format, which lacks the later runs, is repaired as it is read', async () => {
    const lines = readFileSync(fileOf(1), 'utf8').trimEnd().split('\n');
    const head = JSON.parse(lines[0] ?? '') as { columns: Record<string, string[]> };
    const named = head.columns.runs?.indexOf('run_id') ?? -1;
    const kept = lines.slice(1, -1).filter((line) => {
      const [table, cells] = JSON.parse(line) as [string, unknown[]];
      return table !== 'runs' || cells[named] === `nightly-${dateOf(0)}-r1`;
    });
    expect(kept.length).toBeLessThan(lines.length - 2);
    const text = [JSON.stringify({ ...head, format: 'tieout archive 1' }), ...kept].map((line) => `${line}\n`).join('');
    const end = { rows: kept.length, sha256: createHash('sha256').update(text).digest('hex') };
    const file = join(folder, 'older.ndjson');
    writeFileSync(file, `${text}${JSON.stringify(end)}\n`);
    expect(await replayed(file, `nightly-${dateOf(0)}-r1`)).toEqual([]);
  });

  it('leaves a night here whose published set was changed, and names it', async () => {
    const set = join(world.out, dateOf(3), 'nightly-r1', 'records.csv');
    const before = readFileSync(set);
    writeFileSync(set, `${before}changed\n`);
    const { runs, left } = await archive(dateOf(5), fileOf(5));
    expect([runs.map(({ runId }) => runId), left]).toEqual([[`nightly-${dateOf(4)}-r1`], [`nightly-${dateOf(3)}-r1`]]);
    writeFileSync(set, before);
    rmSync(fileOf(5));
  });

  it('is whole where another one to the same name begins and fails while it is judged', async () => {
    const runs = await archivableRuns(engine, dateOf(5));
    const { signal } = new AbortController();
    let other: Promise<unknown> | null = null;
    const app = {
      ...world.app,
      get clock() {
        const dropping: Engine = { ...engine, rows: async (query) => (await engine.rows(query)).slice(0, -1) };
        other ??= expect(
          writeArchive(world.app, { engine: dropping, runs, file: fileOf(5), signal }),
        ).rejects.toThrow();
        return world.app.clock;
      },
    };
    const moved = await writeArchive(app, { engine, runs, file: fileOf(5), signal });
    await other;
    expect(other).not.toBeNull();
    for (const { runId } of moved.runs) expect(await replayed(fileOf(5), runId)).toEqual([]);
    rmSync(fileOf(5));
  });

  it('is not taken for one that was left while it is judged, however long', async () => {
    const runs = await archivableRuns(engine, dateOf(5));
    const app = {
      ...world.app,
      get clock() {
        for (const each of readdirSync(folder).filter((name) => name.endsWith('.partial')))
          utimesSync(join(folder, each), 0, 0);
        return world.app.clock;
      },
    };
    await writeArchive(app, { engine, runs, file: fileOf(5), signal: new AbortController().signal });
    expect(statSync(fileOf(5)).mtimeMs).toBeGreaterThan(Date.now() - 3_600_000);
    rmSync(fileOf(5));
  });

  it('is not a file, and deletes nothing, where a row was lost on the way', async () => {
    const runs = await archivableRuns(engine, dateOf(5));
    const dropping: Engine = { ...engine, rows: async (query) => (await engine.rows(query)).slice(0, -1) };
    await expect(
      writeArchive(world.app, { engine: dropping, runs, file: fileOf(5), signal: new AbortController().signal }),
    ).rejects.toThrow();
    expect(existsSync(fileOf(5))).toBe(false);
    expect(readdirSync(folder).filter((each) => each.endsWith('.partial'))).toEqual([]);
  });
});

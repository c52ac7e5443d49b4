/** `tieout db migrate` by the owner makes the queue, so that no other role needs the permission. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { watchQueue } from '../../src/workers/figures.ts';
import { tieout } from '../cli/world.ts';
import { makeDatabase, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';

describe.skipIf(isSwitchedOff())('db migrate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-migrate-'));
  let database: TestDatabase;
  beforeEach(async () => {
    database = await makeDatabase();
  });
  afterEach(async () => {
    await database[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('makes the queue where there are workers, and only there', async () => {
    const env = { TIEOUT_DATABASE_URL: database.url };
    const file = join(folder, 'tieout.yaml');
    writeFileSync(file, 'workers: { enabled: true }\n');
    const watch = watchQueue(database.url);
    expect((await tieout('db migrate', { env, openApp })).code).toBe(0);
    expect(await watch.figures()).toBeNull();
    // Again, as before every new version: both are there, and it says so.
    for (let times = 0; times < 2; times++) {
      const { code, out } = await tieout(`db migrate --config ${file}`, { env, openApp });
      expect([code, out]).toEqual([0, 'The database is up to date.\n']);
    }
    expect(await watch.figures()).toMatchObject({ waiting: 0, active: 0, failed: 0 });
    await watch.close();
  });
});

/** Bodies that an earlier version stored get their digest in one pass of `db migrate`: a year of them holds a night up once. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { aPurchase } from '../support/builders.ts';
import { leastOf } from '../support/processor-time.ts';
import { SEALER, temporaryFolder } from './support/engines.ts';
import { aLine, keyOf, plan, TRACKED_AT, verified } from './support/scenario.ts';

vi.setConfig({ testTimeout: 120_000 });

/** A database with so many bodies of one record; each call makes them bodies without digests again, and upgrades them. */
async function bodiesWithoutDigest(folder: string, bodies: number) {
  const file = join(folder, `${bodies}.db`);
  const { store, upkeep } = await openStore({ url: `sqlite:${file}`, sealer: SEALER });
  await store.tracked.add([aLine({ id: 'r0' })], 'import', TRACKED_AT);
  const { run, fence } = await plan(store);
  const item = verified(await keyOf(store, 'r0'), aPurchase({ recordId: 'r0' }), '2026-11-20');
  await store.items.save(run.runId, fence, [item]);
  const db = new Database(file);
  const names = (db.pragma('table_info(contents)') as { name: string }[]).map(({ name }) => name);
  const others = names.filter((name) => !['content_key', 'sha256'].includes(name)).join();
  db.exec(`insert into contents (content_key, sha256, ${others})
    select n, 'hash ' || n, ${others} from contents,
      (with recursive counted (n) as (select 2 union all select n + 1 from counted where n < ${bodies}) select n from counted)`);
  return {
    upgrade: async () => {
      db.exec(`update contents set digest = null; delete from sealed_rows; delete from row_seals;
        insert into row_seals (name) values ('rows older than seals')`);
      const before = process.threadCpuUsage();
      await upkeep.migrate();
      const { user, system } = process.threadCpuUsage(before);
      expect(db.prepare('select count(*) from contents where digest is null').pluck().get()).toBe(0);
      return (user + system) / 1000;
    },
    close: async () => {
      db.close();
      await store.close();
    },
  };
}

it('four times as many bodies without a digest take less than eight times as long to upgrade', async () => {
  using folder = temporaryFolder();
  const [small, large] = [
    await bodiesWithoutDigest(folder.path, 4_000),
    await bodiesWithoutDigest(folder.path, 16_000),
  ];
  const isLinear = (few: number, many: number) => many < 8 * few;
  const least = await leastOf(small.upgrade, large.upgrade, isLinear);
  expect(isLinear(...least), `${least} ms`).toBe(true);
  await Promise.all([small.close(), large.close()]);
});

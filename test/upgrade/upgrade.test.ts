/** Upgrades of the oldest schema, of the first that has seals, and of the newest, each on one store; `upgrade.long.test.ts` has the others. */
import { createHash } from 'node:crypto';
import { afterAll, expect, it, vi } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { LANDED, migrate, VERSION } from '../../src/store/schema/upgrade.ts';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { tieout } from '../cli/world.ts';
import { ENGINES, type TestEngine } from '../store/support/engines.ts';
import { structureOf } from './structure.ts';
import { areUpgraded, isOften, oldDatabase, VERSIONS, type Version } from './upgrades.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

for (const engine of ENGINES)
  areUpgraded(
    VERSIONS.filter((version) => isOften(version, engine)),
    engine,
  );

it('every landed schema is tried', () => {
  expect(VERSIONS.map(({ schema }) => schema)).toEqual([...LANDED.keys()]);
});

/** Otherwise databases of this version would lack the new column, and `db migrate` would find nothing to do. */
it('tables that changed since VERSION got its name have the next one: see docs/contributing/adding-a-store.md', async () => {
  const engine = await openSqliteEngine(':memory:', { create: true });
  await migrate(engine);
  const structure = createHash('sha256')
    .update((await structureOf(engine)).join('\n'))
    .digest('hex')
    .slice(0, 16);
  expect({ [VERSION]: structure }).toEqual({ '0051-odd-steps': '38109f781d9a95c9' });
  await engine.close();
});

it('without the key nothing is sealed, and migrate says so; with it, later, everything is', async () => {
  await using old = await oldDatabase(VERSIONS[1] as Version, ENGINES[0] as TestEngine);
  const { TIEOUT_SECRET_KEY: _key, ...keyless } = old.env;
  const away = { ...keyless, TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
  expect((await tieout('db migrate', { openApp, env: away })).err).toContain('key');
  expect((await tieout('db check', { openApp, env: old.env })).code).toBe(1);
  expect((await tieout('db migrate', { openApp, env: old.env })).code).toBe(0);
  expect((await tieout('db check', { openApp, env: old.env })).code).toBe(0);
});

afterAll(() => Promise.all(ENGINES.map((each) => each.close())));

/** What did not change is stored once: captures of an unchanged Service, and how the database grows by them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openEngine } from '../../src/store/open.ts';
import { countRows } from '../../src/store/statements.ts';
import { type FrozenWorld, openFrozenWorld } from '../e2e/support/frozen-world.ts';

const TABLES = ['reference_captures', 'reference_contents', 'reference_assets', 'reference_methods'] as const;
const NOON = Date.parse('2026-11-20T12:00:00Z');

let sandbox: Awaited<ReturnType<typeof createSandbox>>;
let world: FrozenWorld;
let engine: Engine;
beforeAll(async () => {
  // Its clock stands, so that no price moves.
  sandbox = await createSandbox({ clock: () => NOON, records: 1, rateLimits: 'off', market: 'off' });
  world = await openFrozenWorld({ 'service.url': sandbox.url });
  engine = await openEngine(world.app.settings.database.url, { create: false });
});
afterAll(async () => {
  await engine?.close();
  await world?.close();
  await sandbox?.close();
});

it('three captures of unchanged lists are three rows', async () => {
  const counts = async () => Promise.all(TABLES.map((table) => countRows(engine.db, table)));
  world.goTo('2026-11-20T12:00:00Z');
  await world.captureReferenceData();
  const first = await counts();
  for (let n = 1; n <= 3; n++) await world.captureReferenceData();
  expect((await counts()).map((rows, n) => rows - (first[n] ?? 0))).toEqual([3, 0, 0, 0]);
  expect(first[1]).toBeGreaterThan(4);
});

/** The database is lost, replaced or older than its out folder, before a run and in the middle of one. */
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { until, type Workspace } from '../e2e/support/workspace.ts';
import { faultRow } from './harness/row.ts';
import { frozenClock, openScene, SCENE_NOW, type Scene } from './harness/scene.ts';

const DAY = 86_400_000;
const [FIRST, SECOND] = [frozenClock(), frozenClock(SCENE_NOW + DAY)];

function lose(place: Workspace): void {
  for (const name of readdirSync(place.path('var'))) {
    if (name.startsWith('tieout.db') && !name.endsWith('.key')) rmSync(place.path('var', name));
  }
}

faultRow(
  {
    number: 50,
    fault: 'the database is lost, replaced, or an older copy',
    how: 'its files are removed after a night, or an older backup takes their place; they are removed or replaced while a run waits for the Service',
    mustHold: 'exit 4 with the remedy; no request is sent before a run; nothing is published; `latest` stays',
  },
  async (row) => {
    await using scene = await openScene({ records: row.isShort ? 20 : 200 });
    const { place } = scene;
    expect((await place.process(['db', 'backup', 'older.db'])).code).toBe(0);
    expect((await place.process(['run', '--fail-on', 'none'], { env: FIRST })).code).toBe(0);
    cpSync(place.path('var'), place.path('kept'), { recursive: true });
    const sets = place.read('out/manifests.ndjson');
    const restore = () => {
      lose(place);
      cpSync(place.path('kept'), place.path('var'), { recursive: true });
    };
    const older = () => {
      lose(place);
      cpSync(place.path('older.db'), place.path('var/tieout.db'));
    };

    let refused = 0;
    for (const fault of [() => lose(place), older]) {
      fault();
      const before = scene.proxy.arrivals.length;
      const { code, err } = await place.process(['run', '--fail-on', 'none'], { env: SECOND });
      expect([code, err]).toEqual([4, expect.stringContaining('--adopt')]);
      expect(scene.proxy.arrivals.length).toBe(before);
      refused++;
      restore();
    }
    row.measured('refused before the first request', refused);

    let noticed = 0;
    for (const fault of [() => lose(place), () => replace(place)]) {
      const { code, err } = await duringARun(scene, fault);
      expect([code, err]).toEqual([4, expect.stringContaining('removed or replaced while it was in use')]);
      noticed++;
      restore();
    }
    row.measured('noticed during a run', noticed);

    expect(place.read('out/manifests.ndjson')).toBe(sets);
    expect(existsSync(place.path('out/2026-11-20/nightly-r1'))).toBe(false);
    const night = await place.process(['run', '--fail-on', 'none'], { env: SECOND });
    expect([night.code, night.err]).toEqual([0, night.err]);
  },
);

function replace(place: Workspace): void {
  cpSync(place.path('older.db'), place.path('other.db'));
  renameSync(place.path('other.db'), place.path('var/tieout.db'));
}

/** Puts a fault in while the run waits for its answers. */
async function duringARun({ place, proxy }: Scene, fault: () => void) {
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  const passing = proxy.meddle;
  proxy.meddle = async (call) => {
    await held;
    await call.pass();
  };
  const before = proxy.arrivals.length;
  const running = place.start(['run', '--fail-on', 'none'], { env: SECOND });
  await until('the run asks', () => proxy.arrivals.length > before);
  fault();
  goOn();
  const ended = await running.done;
  proxy.meddle = passing;
  return ended;
}

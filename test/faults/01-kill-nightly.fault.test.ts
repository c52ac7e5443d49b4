/** Nightly runs are killed at random moments, repeatedly, and resumed: the published files do not differ. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { until, type Workspace } from '../e2e/support/workspace.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { faultRow } from './harness/row.ts';
import { frozenClock, openScene, SCENE_DATE, SCENE_SET, type Scene } from './harness/scene.ts';

const LIMITS = [
  { requests: 150, perMs: 4_000 },
  { requests: 1_800, perMs: 60_000 },
];
/** More than a second: on two busy cores a request that was sent in time reaches the sandbox late. */
const GUARD = '1500ms';
/** Records that a run stores at once; a kill may cost as many fetches. */
const BATCH = 200;
/** How long a process lives from its first request on: some die with a batch stored and some without, which takes a second. */
const LONGEST_LIFE_MS = 1_800;
/** One in so many dies before it asks for anything. */
const EARLY = 5;
/** Two at a time, as there are two cores. */
const LANES = 2;

interface Lane {
  kills: number;
  runs: number;
  /** Most records that were asked for again after one kill. */
  worstRepeat: number;
  repeats: number;
  /** By processes that were killed. */
  fetched: number;
  /** Per limit, the most in any window. */
  peaks: number[];
}

faultRow(
  {
    number: 1,
    fault: 'SIGKILL at random moments of a nightly run',
    how: 'child processes are killed while they start, fetch, judge or publish; each is continued with --resume until the run completes; then the next run starts',
    mustHold:
      'reports are byte-identical to those of an undisturbed run; at most one batch is fetched again for each kill; no limit is exceeded',
  },
  async (row) => {
    const kills = row.isShort ? 3 : 200;
    const lanes = row.isShort ? 1 : LANES;
    const each = Array.from({ length: lanes }, (_, lane) =>
      killedNights(row.isShort ? 60 : 260, kills / lanes, row.seed + lane),
    );
    const done = await Promise.all(each);
    const sum = (of: (lane: Lane) => number) => done.reduce((total, lane) => total + of(lane), 0);
    row.measured(
      'kills',
      sum((lane) => lane.kills),
    );
    row.measured(
      'runs',
      sum((lane) => lane.runs),
    );
    row.measured(
      'records fetched again',
      sum((lane) => lane.repeats),
    );
    row.measured('most for one kill', Math.max(...done.map((lane) => lane.worstRepeat)));
    for (const [n, { requests, perMs }] of LIMITS.entries()) {
      row.measured(
        `most requests in ${perMs / 1000} s`,
        `${Math.max(...done.map((lane) => lane.peaks[n] ?? 0))} of ${requests}`,
      );
    }
    if (!row.isShort) expect(sum((lane) => lane.repeats)).toBeGreaterThan(0);
    for (const lane of done) {
      expect(lane.worstRepeat).toBeLessThanOrEqual(BATCH);
      for (const [n, { requests }] of LIMITS.entries()) expect(lane.peaks[n]).toBeLessThanOrEqual(requests);
    }
  },
);

async function killedNights(records: number, kills: number, seed: number): Promise<Lane> {
  const random = seededRandom(seed);
  const limits = `[${LIMITS.map(({ requests, perMs }) => `{ requests: ${requests}, per: ${perMs}ms }`).join(', ')}]`;
  await using scene = await openScene({
    records,
    limits: LIMITS,
    service: { rateLimits: limits, guard: GUARD },
  });
  const calm = scene.another();
  const { code, err } = await calm.process(['run', '--date', SCENE_DATE], { env: frozenClock() });
  expect(code, err).toBe(1);
  const expected = content(calm);
  const lane: Lane = { kills: 0, runs: 0, worstRepeat: 0, repeats: 0, fetched: 0, peaks: [] };
  while (lane.kills < Math.floor(kills)) {
    // Folders of earlier runs are left alone: their sets are not compared again.
    const place = scene.another();
    await killUntilThrough(scene, place, kills, random, lane);
    lane.runs++;
    expect(content(place)).toEqual(expected);
    expect(await place.process(['verify', 'out'])).toMatchObject({ code: 0 });
  }
  const { limits: seen } = scene.sandbox.stats();
  return { ...lane, peaks: seen.map(({ maxSeen }) => maxSeen) };
}

async function killUntilThrough(
  scene: Scene,
  place: Workspace,
  kills: number,
  random: () => number,
  lane: Lane,
): Promise<void> {
  for (;;) {
    const before = scene.proxy.arrivals.length;
    const left = scene.ids.length - stored(place);
    const running = place.start(hasRun(place) ? ['run', '--resume'] : ['run', '--date', SCENE_DATE], {
      env: frozenClock(),
    });
    if (lane.kills < kills) {
      const asks = () => scene.proxy.arrivals.length > before || running.child.exitCode !== null;
      // All is fetched, or it is to die early: then there is no request to wait for.
      const early = left === 0 || random() * EARLY < 1;
      if (!early) await until('it asks for something', asks);
      await Promise.race([pause(random() * LONGEST_LIFE_MS), running.done]);
      running.child.kill('SIGKILL');
    }
    const { code, err } = await running.done;
    if (running.child.signalCode === 'SIGKILL') {
      lane.kills++;
      // What it asked for and did not store has to be asked for again.
      const asked = scene.proxy.arrivals.length - before;
      const lost = asked - (left - (scene.ids.length - stored(place)));
      lane.fetched += asked;
      lane.repeats += lost;
      lane.worstRepeat = Math.max(lane.worstRepeat, lost);
      continue;
    }
    expect(code, err).toBe(1);
    return;
  }
}

/** Read between two processes of the run: none of them has the database open. */
function ask(place: Workspace, sql: string): number {
  const db = openSqliteFile(place.path('var', 'tieout.db'));
  try {
    return (db.prepare(sql).get() as { n: number }).n;
  } finally {
    db.close();
  }
}

const hasRun = (place: Workspace) => ask(place, 'select count(*) as n from runs') > 0;
const stored = (place: Workspace) => ask(place, 'select coalesce(max(observed), 0) as n from runs');

/** Every file of the set. Of the manifest all but the count of requests, which a kill does raise. */
function content(place: Workspace): Record<string, string> {
  const folder = place.path('out', SCENE_SET);
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const text = readFileSync(place.path('out', SCENE_SET, name), 'utf8');
      return [name, name === 'manifest.json' ? text.replace(/"requests_sent": \d+/, '"requests_sent": n') : text];
    }),
  );
}

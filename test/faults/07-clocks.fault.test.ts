/** Clocks that jump, stand still, or start again from nothing, and one allowance that must hold through all of it. */
import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { SCENARIOS, simulate } from '../../bench/pacing/scenarios.ts';
import { MODEL_NAMES } from '../../bench/pacing/servers.ts';
import { until } from '../e2e/support/workspace.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openScene, SCENE_DATE, type Scene } from './harness/scene.ts';

const WINDOW_MS = 6_000;
const LIMIT = 60;
const GUARD_MS = 1_500;
const RECORDS = 150;
const LAUNCHER = fileURLToPath(new URL('../../src/cli/tieout.js', import.meta.url));

faultRow(
  {
    number: 7,
    fault: 'wall clock an hour ahead and back, a laptop that sleeps, a reboot',
    how: 'the limiter for 24 h of virtual time with jumping clocks and reboots; real runs with a jumping wall clock, with a monotonic clock that stops during sleep, and in a time namespace of their own (unshare), which Linux presents as another boot',
    mustHold: 'no limit is exceeded; no wait is longer than the window and its guard',
  },
  async (row) => {
    await simulated(row);
    await wallClock(row);
    if (row.isShort) return;
    await sleepingLaptop(row);
    await newBoot(row);
  },
);

async function simulated(row: Row): Promise<void> {
  const hours = row.isShort ? 2 : 24;
  let violations = 0;
  let least = 1;
  for (const scenario of SCENARIOS.filter(({ name }) => name === 'wall clock jumps ±1 h' || name === 'reboots')) {
    for (const [n, model] of MODEL_NAMES.slice(0, row.isShort ? 1 : 2).entries()) {
      const outcome = await simulate(scenario, model, hours, row.seed + n);
      violations += outcome.violations;
      if (scenario.utilisation > 0) least = Math.min(least, outcome.utilisation);
    }
  }
  row.measured('simulated requests over a limit', violations);
  row.measured('lowest use of the allowance with jumping clocks', `${(least * 100).toFixed(2)} %`);
  expect(violations).toBe(0);
  expect(least).toBeGreaterThanOrEqual(row.isShort ? 0.9 : 0.99);
}

const openLimited = (records: number) =>
  openScene({
    records,
    limits: [{ requests: LIMIT, perMs: WINDOW_MS }],
    service: { rateLimits: `[{ requests: ${LIMIT}, per: ${WINDOW_MS}ms }]`, guard: `${GUARD_MS}ms` },
  });

/** The longest time in which nothing was asked for, between the first request and the last. */
function longestGap(scene: Scene): number {
  const { arrivals } = scene.proxy;
  return Math.max(...arrivals.map((at, n) => at - (arrivals[n - 1] ?? at)));
}

function expectWithin(scene: Scene): number {
  const { limits, rejected } = scene.sandbox.stats();
  const most = limits[0]?.maxSeen ?? 0;
  expect(most).toBeLessThanOrEqual(LIMIT);
  expect(rejected).toBe(0);
  return most;
}

const oddClock = (mode: string) => ({
  NODE_OPTIONS: `--import ${new URL('./children/odd-clock.ts', import.meta.url).href}`,
  TIEOUT_FAULTS_CLOCK: mode,
});

async function wallClock(row: Row): Promise<void> {
  await using scene = await openLimited(row.isShort ? 30 : RECORDS);
  const { code, err } = await scene.place.process(['run', '--date', SCENE_DATE], { env: oddClock('jumps') });
  expect(code, err).toBe(1);
  const gap = longestGap(scene);
  row.measured(
    'jumping wall clock, most requests in a window',
    `${expectWithin(scene)} of ${LIMIT}, longest wait ${gap.toFixed(0)} ms`,
  );
  expect(gap).toBeLessThan(WINDOW_MS + GUARD_MS + 1_000);
}

async function sleepingLaptop(row: Row): Promise<void> {
  await using scene = await openLimited(RECORDS);
  const running = scene.place.start(['run', '--date', SCENE_DATE], { env: oddClock('sleeps') });
  const sleep = 4_000;
  for (const asked of [20, 70]) {
    await until('it asked', () => scene.proxy.arrivals.length >= asked);
    running.child.kill('SIGSTOP');
    await pause(sleep);
    running.child.kill('SIGCONT');
  }
  const { code, err } = await running.done;
  expect(code, err).toBe(1);
  const gap = longestGap(scene) - sleep;
  row.measured(
    'two sleeps of 4 s, most requests in a window',
    `${expectWithin(scene)} of ${LIMIT}, longest wait after one ${gap.toFixed(0)} ms`,
  );
  expect(gap).toBeLessThan(WINDOW_MS + GUARD_MS + 1_000);
}

/** What it takes to give a process another monotonic clock: a time namespace, which only root may make. */
const ANOTHER_BOOT = ['--time', '--monotonic', '500000', '--boottime', '500000', '--fork', '--kill-child'];

async function newBoot(row: Row): Promise<void> {
  if (process.platform !== 'linux' || spawnSync('unshare', [...ANOTHER_BOOT, 'true']).status !== 0) {
    return row.gap('a new boot in a real process (needs unshare --time as root)');
  }
  await using scene = await openLimited(RECORDS);
  const { place, proxy } = scene;
  const first = place.start(['run', '--date', SCENE_DATE]);
  await until('a window was used', () => proxy.arrivals.length >= 50);
  first.child.kill('SIGKILL');
  await first.done;
  const before = proxy.arrivals.length;
  const second = spawn('unshare', [...ANOTHER_BOOT, process.execPath, LAUNCHER, 'run', '--resume'], {
    cwd: place.folder,
    env: { PATH: process.env.PATH ?? '', CI: '1' },
    stdio: 'ignore',
  });
  const code = await new Promise<number | null>((resolve) => second.on('close', resolve));
  expect(code).toBe(1);
  const wait = (proxy.arrivals[before] ?? 0) - (proxy.arrivals[before - 1] ?? 0);
  row.measured(
    'reboot, most requests in a window',
    `${expectWithin(scene)} of ${LIMIT}, first request after ${wait.toFixed(0)} ms`,
  );
  // The windows of the boot before are waited out, and the process had to start.
  expect(wait).toBeGreaterThan(WINDOW_MS - 1_000);
}

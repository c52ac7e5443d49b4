/** A run of Vitest of its own, over a test that leaves a folder and a process behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { runEnvironment } from './run-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const VITEST = join(dirname(path('../../package.json')), 'node_modules', 'vitest');
const PLANTED = `
  import { spawn } from 'node:child_process';
  import { mkdtempSync, writeFileSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  import { join } from 'node:path';
  import { it } from ${JSON.stringify(join(VITEST, 'dist', 'index.js'))};
  import { runEnvironment } from ${JSON.stringify(path('run-folder.ts'))};
  it('fails, or is interrupted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'left-'));
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env: runEnvironment(), stdio: 'ignore' });
    writeFileSync(join(SITE, 'pids'), process.pid + ' ' + child.pid);
    if (process.env.ENDS !== undefined) throw new Error('planted');
    await new Promise(() => undefined);
  }, 60_000);`;

const site = mkdtempSync(join(tmpdir(), 'tieout-run-folder-'));
const temporary = join(site, 'tmp');
const running = new Set<ChildProcess>();
mkdirSync(temporary);
writeFileSync(join(site, 'planted.test.ts'), PLANTED.replace('SITE', JSON.stringify(site)));
writeFileSync(
  join(site, 'vitest.config.ts'),
  `export default { test: { globalSetup: [${JSON.stringify(path('run-folder.ts'))}], include: ['planted.test.ts'] } };`,
);

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(join(site, 'pids'), { force: true });
});
afterAll(() => rmSync(site, { recursive: true, force: true }));

function start(env: Record<string, string> = {}): { child: ChildProcess; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [join(VITEST, 'vitest.mjs'), 'run', '--bail', '1'], {
    cwd: site,
    env: { PATH: process.env.PATH ?? '', ...runEnvironment(), TMPDIR: temporary, ...env },
    stdio: 'ignore',
  });
  running.add(child);
  return { child, ended: new Promise((resolve) => child.on('close', resolve)) };
}

/** The worker and the process that its test started. */
async function pids(): Promise<number[]> {
  const file = join(site, 'pids');
  await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+ \d+$/), 50_000);
  return readFileSync(file, 'utf8').split(' ').map(Number);
}

function lives(pid: number): boolean {
  try {
    // A process that has ended stays listed until its parent has asked for its exit code.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

it.skipIf(!existsSync('/proc')).each(['SIGINT', 'SIGTERM'] as const)(
  '%s leaves no folder and no process',
  async (signal) => {
    const run = start();
    const started = await pids();
    expect(started.every(lives)).toBe(true);
    run.child.kill(signal);
    await run.ended;
    expect(readdirSync(temporary)).toEqual([]);
    expect(started.filter(lives)).toEqual([]);
  },
);

it.skipIf(!existsSync('/proc'))('a failure with --bail leaves no folder and no process', async () => {
  await start({ ENDS: '1' }).ended;
  expect(readdirSync(temporary)).toEqual([]);
  expect((await pids()).filter(lives)).toEqual([]);
});

it.skipIf(!existsSync('/proc'))('what a killed run left goes when the next one begins', async () => {
  const killed = start();
  const started = await pids();
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(readdirSync(temporary)).toHaveLength(1);
  await start({ ENDS: '1' }).ended;
  expect(readdirSync(temporary)).toEqual([]);
  expect(started.filter(lives)).toEqual([]);
});

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandIn } from '../support/command-in.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { runEnvironment } from '../support/run-folder.ts';

const LAUNCHER = fileURLToPath(new URL('../../src/cli/tieout.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tieout-schedule-'));
/** A Service that takes every question and answers none. */
let silent: Server;

beforeAll(async () => {
  silent = createServer(() => undefined);
  const port = await listenLocally(silent);
  writeFileSync(
    join(folder, 'tieout.yaml'),
    `service: { url: "http://127.0.0.1:${port}/api", rateLimits: off, guard: 0s, timeout: 2s }\n` +
      'schedule: { timezone: Europe/Berlin, jobs: { nightly: "15 4 * * *", reference-data: off, recheck: off } }\n',
  );
  writeFileSync(join(folder, 'ids.csv'), 'kind,id,view_token\npurchase,abc,k3yTh4tOpens1\n');
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[], cwd = folder) {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...runEnvironment() },
  });
  let err = '';
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  const waiting: { text: string; found: () => void }[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    for (const { text, found } of waiting) if (err.includes(text)) found();
  });
  return {
    child,
    says: (text: string) => new Promise<void>((found) => waiting.push({ text, found })),
    ended: new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
      child.on('close', (code) => resolve({ code, out, err })),
    ),
  };
}

it('lists what will run, and when', async () => {
  const { code, out } = await commandIn(folder, ['schedule', '--list', '--json'], {});
  expect(code).toBe(0);
  const jobs = JSON.parse(out) as { job: string; at: string; timezone: string; next: string }[];
  expect(jobs.map(({ job }) => job)).toEqual(['nightly', 'retention']);
  expect(jobs[0]).toMatchObject({ job: 'nightly', at: '15 4 * * *', timezone: 'Europe/Berlin' });
  expect(jobs[0]?.next).toMatch(/T0[23]:15:00\.000Z$/);
});

// Signals to a schedule that waits are in row 4 of `test/faults`.
it('ends with 143 on SIGTERM in the middle of a run, which the next start goes on with', async () => {
  await commandIn(folder, ['import', 'ids.csv', '-q'], {});
  // A run that was killed: the ledger is not empty, and there is something to go on with.
  const killed = start(['run', '--date', '2026-11-19']);
  await new Promise<void>((resolve) => silent.once('request', () => resolve()));
  killed.child.kill('SIGKILL');
  await killed.ended;
  const { child, ended } = start(['schedule']);
  await new Promise<void>((resolve) => silent.once('request', () => resolve()));
  const asked = performance.now();
  child.kill('SIGTERM');
  const { code, err } = await ended;
  expect(code).toBe(143);
  expect(performance.now() - asked).toBeLessThan(30_000);
  expect(err).toContain('"run":"nightly-2026-11-19-r1"');
  expect(err).toContain('the next start goes on with it');
  expect(err).not.toContain('k3yTh4tOpens1');
});

it('runs in the receiver of webhooks too, as one process: `tieout serve --schedule`', async () => {
  const both = mkdtempSync(join(tmpdir(), 'tieout-schedule-'));
  const service = `service: { url: "http://127.0.0.1:9/api", rateLimits: off, retries: 0 }\n`;
  const jobs = 'schedule: { jobs: { nightly: "15 4 * * *", reference-data: off, recheck: off } }\n';
  writeFileSync(join(both, 'tieout.yaml'), `${service}${jobs}webhooks: { port: 0, requireSignature: false }\n`);
  const { child, says, ended } = start(['serve', '--schedule'], both);
  const url = new Promise<string>((resolve) =>
    child.stdout?.on('data', (chunk: Buffer) => {
      const [, found] = /Listening on (\S+)/.exec(chunk.toString()) ?? [];
      if (found !== undefined) resolve(found);
    }),
  );
  await says('"msg":"scheduled"');
  expect((await fetch(`${await url}/readyz`)).status).toBe(200);
  child.kill('SIGTERM');
  const { code, err } = await ended;
  expect(code).toBe(143);
  expect(err).toContain('"job":"nightly","at":"15 4 * * *"');
  expect(err).not.toContain('"level":"error"');
  rmSync(both, { recursive: true, force: true });
});

it('is refused without a Service, and with a job that does not exist', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'tieout-schedule-'));
  const without = await commandIn(elsewhere, ['schedule'], {});
  expect(without.code).toBe(2);
  expect(without.err).toContain('No Service is configured');
  writeFileSync(join(elsewhere, 'tieout.yaml'), 'schedule: { jobs: { nigthly: "15 4 * * *" } }\n');
  const misspelt = await commandIn(elsewhere, ['config', 'check'], {});
  expect(misspelt.code).toBe(2);
  expect(misspelt.err).toContain('did you mean nightly?');
  rmSync(elsewhere, { recursive: true, force: true });
});

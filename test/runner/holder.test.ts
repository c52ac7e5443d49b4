import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { holderOf, isDeadHolder, processSpaceOf } from '../../src/runner/holder.ts';

const here = processSpaceOf(hostname());

/** The pid of a process that has ended. */
async function aDeadPid(): Promise<number> {
  const child = spawn('true');
  await new Promise((resolve) => child.on('close', resolve));
  return child.pid ?? 0;
}

it('names host, boot, PID namespace, process and its start', () => {
  expect(holderOf(here, process.pid)).toMatch(/^\S+ boot [0-9a-f-]{36} pidns \d+ pid \d+ started \d+$/);
});

it('takes a running process for alive', () => {
  expect(isDeadHolder(here, holderOf(here, process.pid))).toBe(false);
});

it('takes an ended process for dead, and a reused pid, too', async () => {
  const own = holderOf(here, process.pid);
  expect(isDeadHolder(here, own.replace(/pid \d+ started \d+$/, `pid ${await aDeadPid()} started 1`))).toBe(true);
  expect(isDeadHolder(here, own.replace(/started \d+$/, 'started 1'))).toBe(true);
  expect(isDeadHolder(here, own.replace(/started \d+$/, 'started unknown'))).toBe(false);
});

it.each([
  ['of another host', { host: 'another' }],
  ['of another boot, or of another machine with the same name', { boot: '00000000-0000-0000-0000-000000000000' }],
  ['in another PID namespace', { namespace: '1' }],
])('does not judge the process %s by the pids that it sees', async (_, other) => {
  const dead = await aDeadPid();
  const elsewhere = holderOf({ ...here, ...other }, dead);
  expect(isDeadHolder(here, elsewhere)).toBe(false);
  expect(isDeadHolder({ ...here, ...other }, elsewhere)).toBe(true);
});

it.each(['db-host pid 1 started 1', 'a test', ''])('does not judge a holder of another shape: %j', (holder) => {
  expect(isDeadHolder(here, holder)).toBe(false);
});

/** A key file that is gone: every command that would need it says which one, and none is made in its place. */

import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { tieout } from './world.ts';

inThisOrder();

const folder = mkdtempSync(join(tmpdir(), 'tieout-key-'));
const database = join(folder, 'tieout.db');
const keyFile = `${database}.key`;
const env = {
  TIEOUT_DATABASE_URL: `sqlite:${database}`,
  TIEOUT_OUT: join(folder, 'out'),
  TIEOUT_SERVICE_URL: 'http://127.0.0.1:1/api',
};
const ID = JSON.stringify({ kind: 'purchase', id: 'p-1', view_token: 'token-of-p-1' });
const call = (line: string, more: Record<string, string> = {}) =>
  tieout(line, { openApp, env: { ...env, ...more }, stdin: ID });
let keyId = '';
/** What was sent to the addresses of notices. */
const sent: string[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => {
    body += piece.toString();
  });
  request.on('end', () => {
    sent.push(`${request.url} ${body}`);
    response.end();
  });
});

beforeAll(async () => {
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  expect((await call('import -')).code).toBe(0);
  keyId = createSealer([readFileSync(keyFile, 'utf8').trim()]).keyId;
  renameSync(keyFile, join(folder, 'backup.key'));
});
afterAll(() => {
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  'run',
  'import -',
  'schedule',
  'serve',
  'doctor --offline',
  'runs list',
  'db archive --before 2026-01-01 --dry-run',
])('tieout %s exits with 2, names the key, and makes none', async (line) => {
  const { code, err } = await call(line);
  expect(code).toBe(2);
  expect(err).toContain(keyId);
  expect(err).toContain(`restore ${keyFile}`);
  expect(existsSync(keyFile)).toBe(false);
});

it('is told to people, and stops the heartbeat', async () => {
  const { port } = receiver.address() as AddressInfo;
  const settings = join(folder, 'tieout.yaml');
  writeFileSync(
    settings,
    `notify: { webhookUrl: "http://127.0.0.1:${port}/chat", heartbeatUrl: "http://127.0.0.1:${port}/beat" }\n`,
  );
  expect((await call(`run --config ${settings}`)).code).toBe(2);
  const chat = sent.find((each) => each.startsWith('/chat'));
  expect(chat).toContain(keyId);
  expect(sent.some((each) => each.startsWith('/beat/fail'))).toBe(true);
});

it('another key in its place is refused, and reseal makes none for a key that sealed nothing', async () => {
  const other = Buffer.alloc(32, 9).toString('base64');
  const { code, err } = await call('import -', { TIEOUT_SECRET_KEY: other });
  expect([code, err.includes(keyId)]).toEqual([2, true]);
  writeFileSync(join(folder, 'other.key'), other, { mode: 0o600 });
  const reseal = await call(`db reseal --old-key-file ${join(folder, 'other.key')}`);
  expect([reseal.code, reseal.err.includes(keyId), existsSync(keyFile)]).toEqual([2, true, false]);
});

it('works again once it is back', async () => {
  renameSync(join(folder, 'backup.key'), keyFile);
  expect((await call('import -')).code).toBe(0);
});

it('of a copy is asked for before a file is made', async () => {
  const copy = join(folder, 'copy.db');
  const { code, err } = await call(`db copy --to sqlite:${copy}`);
  expect([code, err]).toEqual([2, expect.stringContaining(`copy the key file of ${database} there`)]);
  expect(existsSync(copy)).toBe(false);
  copyFileSync(keyFile, `${copy}.key`);
  expect((await call(`db copy --to sqlite:${copy}`)).code).toBe(0);
});

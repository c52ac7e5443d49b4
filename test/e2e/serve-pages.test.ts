/** `tieout serve --pages` as a process: the receiver and the pages answer on one port, or on two. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWorkspace, PATIENCE, type Running, until, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const PAGE = { accept: 'text/html' };
const PROGRAM = { accept: 'application/json' };

describe.each([
  ['on the port of the webhooks', 'webhooks: { port: 0 }\n'],
  ['on a port of their own', 'webhooks: { port: 0 }\npages: { port: 0 }\n'],
])('pages %s', (_, settings) => {
  let workspace: Workspace;
  let serving: Running;
  let webhooks: string;
  let pages: string;

  const get = (url: string, headers: Record<string, string>) => fetch(url, { headers, redirect: 'manual' });

  beforeAll(async () => {
    workspace = openWorkspace('http://127.0.0.1:9/api', { settings });
    const env = { TIEOUT_SECRET_KEY: randomBytes(32).toString('base64') };
    serving = workspace.start(['serve', '--pages', '--json'], { env });
    let out = '';
    serving.child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    await until('the server listens', () => out.endsWith('\n') || serving.child.exitCode !== null);
    ({ url: webhooks, pages } = JSON.parse(out) as { url: string; pages: string });
  });

  afterAll(async () => {
    serving.child.kill('SIGTERM');
    const { code, err } = await serving.done;
    workspace.remove();
    expect({ code, errors: err.split('\n').filter((line) => line.includes('"level":"error"')) }).toEqual({
      code: 143,
      errors: [],
    });
  });

  it('a monitor and the Service reach the receiver', async () => {
    expect((await get(`${webhooks}/readyz`, PROGRAM)).status).toBe(200);
    const unsigned = await fetch(`${webhooks}/webhooks/purchases`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(unsigned.status).toBe(401);
  });

  it('a person without a session is led to the sign-in', async () => {
    const answer = await get(`${pages}/breaks`, PAGE);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fbreaks']);
    expect((await get(`${pages}/sign-in`, PAGE)).status).toBe(200);
  });

  it('an unknown path is a page for a person and JSON for a program', async () => {
    const page = await get(`${pages}/no-such-page`, PAGE);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('There is no such page.');
    for (const base of [pages, webhooks]) {
      const answer = await get(`${base}/no-such-path`, PROGRAM);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ statusCode: 404 });
    }
  });
});

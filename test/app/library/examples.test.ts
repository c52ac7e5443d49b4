import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { outputOf } from '../../e2e/support/workspace.ts';
import { runEnvironment } from '../../support/run-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

const PAGE = fileURLToPath(new URL('../../../docs/reference/library.md', import.meta.url));
const LIBRARY = fileURLToPath(new URL('../../../src/index.ts', import.meta.url));

/** The examples of the page by their headings. */
const EXAMPLES = new Map(
  [...readFileSync(PAGE, 'utf8').matchAll(/^## ([^\n]+)\n```ts\n(.*?)^```$/gms)].map(([, title = '', code = '']) => [
    title,
    code,
  ]),
);

const folder = mkdtempSync(join(tmpdir(), 'tieout-library-'));
let sandbox: Sandbox;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = await createSandbox({ clock: () => Date.now(), records: 40, seed: 3 });
  const line = [...sandbox.trackedLines()].find(({ kind }) => kind === 'purchase');
  env = {
    TIEOUT_SERVICE_URL: sandbox.url,
    TIEOUT_WEBHOOK_PUBLIC_KEY: sandbox.webhookPublicKey,
    RECORD_ID: line?.id ?? '',
    VIEW_TOKEN: line?.view_token ?? '',
  };
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As a reader would run it: a program of its own, in a folder of its own. */
async function run(title: string): Promise<{ code: number | null; out: string; err: string }> {
  const cwd = join(folder, title.replaceAll(' ', '-'));
  mkdirSync(cwd, { recursive: true });
  const file = join(cwd, 'example.mts');
  // As JSON: the path of a checkout may have an apostrophe.
  writeFileSync(
    file,
    (EXAMPLES.get(title) ?? '').replaceAll("'tieout'", () => JSON.stringify(pathToFileURL(LIBRARY).href)),
  );
  const child = spawn(process.execPath, [file], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...runEnvironment(), ...env },
  });
  return outputOf(child);
}

describe('the examples of docs/reference/library.md run as they stand', () => {
  it('and these are all of them', () => {
    expect([...EXAMPLES.keys()]).toEqual([
      'Fetch one record',
      'Reconcile a list',
      'Receive a webhook',
      'Build a widget URL',
    ]);
  });

  it('fetches one record', async () => {
    const { code, out, err } = await run('Fetch one record');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^[A-Z_]+ [0-9a-f]{64}\n$/);
  });

  it('reconciles a list, and publishes', async () => {
    const { code, out, err } = await run('Reconcile a list');
    expect([code, err]).toEqual([0, '']);
    const folderSaid = /^1 of 1 judged\nreports in (out\/\d{4}-\d\d-\d\d\/audit-r1)\n$/.exec(out)?.[1] ?? out;
    const csv = readFileSync(join(folder, 'Reconcile-a-list', folderSaid, 'records.csv'), 'utf8');
    expect(csv).toContain(env.RECORD_ID);
    expect(csv).not.toContain(env.VIEW_TOKEN);
    const git = (...args: string[]) =>
      spawnSync('git', args, { cwd: join(folder, 'Reconcile-a-list'), encoding: 'utf8' }).stdout;
    git('init', '-q');
    git('add', '.');
    const added = git('ls-files');
    expect(added).toContain('example.mts');
    expect(added).not.toMatch(/tieout\.db|\.key/);
  });

  it('receives a webhook', async () => {
    expect(await run('Receive a webhook')).toEqual({ code: 0, out: 'listening\n', err: '' });
  });

  it('builds a widget URL', async () => {
    const { code, out } = await run('Build a widget URL');
    expect(code).toBe(0);
    expect(out).toContain('https://widget.example/?hostLogoUrl=https%3A%2F%2Fapp.example%2Flogo.svg&');
  });
});

/** The lines that docs/how-to/connecting.md shows are read as it says, and its example runs a night. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { readEventBody } from '../../src/service/webhook-body.ts';
import { signedText, verifyWebhook } from '../../src/service/webhook-signature.ts';
import { commandIn } from '../support/command-in.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/how-to/connecting.md'), 'utf8');

/** The block whose opening line names it: ```json quotes.ndjson */
function block(name: string): string {
  const found = page.split('\n```').find((each) => each.split('\n', 1)[0]?.endsWith(` ${name}`));
  if (found === undefined) throw new Error(`connecting.md has no block ${name}`);
  return found.slice(found.indexOf('\n') + 1);
}

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await createSandbox({ clock: () => Date.now(), records: 5, rateLimits: 'off' });
});
afterAll(() => sandbox.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-connect-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const env = { PATH: process.env.PATH ?? '' };

it('each line of ids and quotes is accepted by the import', async () => {
  for (const name of ['ids.csv', 'ids.ndjson', 'quotes.ndjson']) {
    writeFileSync(join(folder, name), `${block(name)}\n`);
    const words = name.startsWith('quotes') ? ['quotes', 'import', name] : ['import', name];
    const { code, out, err } = await commandIn(folder, [...words, '--json'], { env });
    expect(code, err).toBe(0);
    expect(JSON.parse(out).files?.[0] ?? JSON.parse(out)).toMatchObject({ rejected_count: 0 });
  }
});

it('the event has a record and its token', () => {
  const read = readEventBody(Buffer.from(block('event.json')), 'Service');
  expect(read).toMatchObject({ outcome: 'record', delivered: { token: 'i9w9w9u7rmgs0nwj' } });
});

it('the signature is that of the body, and of no other', () => {
  const [body, header, key] = [block('signed-body'), block('signature'), block('public-key')];
  expect(signedText(body)).toBe(block('signed-text'));
  expect(verifyWebhook(body, header, [key])).toBe(true);
  expect(verifyWebhook(body.replace('92.06', '92.07'), header, [key])).toBe(false);
});

it('an export, init and the script of the example make a night', async () => {
  cpSync(join(ROOT, 'examples/cron-with-csv'), folder, { recursive: true });
  mkdirSync(join(folder, 'inbox'));
  const tracked = await fetch(`${sandbox.url.replace(/\/api$/, '')}/sandbox/tracked`);
  writeFileSync(join(folder, 'inbox/today.csv'), await tracked.text());
  const flags = ['--service', sandbox.url, '--rate-limits', 'off', '--csv', 'inbox/*.csv', '--schedule', 'none'];
  const init = await commandIn(folder, ['init', ...flags], { env });
  expect(init.code, init.err).toBe(0);
  const tieout = `${process.execPath} ${join(ROOT, 'src/cli/tieout.js')}`;
  await promisify(execFile)('sh', ['night.sh', '--fail-on', 'none'], {
    cwd: folder,
    env: { ...process.env, TIEOUT: tieout },
  });
  expect(existsSync(join(folder, 'out/latest/breaks.csv'))).toBe(true);
});

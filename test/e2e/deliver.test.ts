/** Deliveries of nights and by command: a failure is told and changes nothing about the night. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { openWorkspace, PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ clock: () => Date.now(), records: 4, rateLimits: 'off' });
});
afterAll(() => sandbox.close());

it('delivers each night, tells what failed, and repeats it by command', async () => {
  const deliver =
    'deliver:\n  - { name: share, type: folder, path: share }\n  - { name: broken, type: folder, path: blocked/x }\n';
  const place = openWorkspace(sandbox.url, { settings: deliver });
  writeFileSync(place.path('blocked'), 'a file, where a folder is needed');
  const tracked = await fetch(`${sandbox.url.replace(/\/api$/, '')}/sandbox/tracked`);
  await place.ends(0, ['import', '-'], { stdin: await tracked.text() });
  const night = await place.ends(0, ['run', '--fail-on', 'none', '--json']);
  const { run_id: run, not_delivered: problems } = JSON.parse(night.out);
  expect(problems).toEqual([expect.stringContaining('broken: ')]);
  expect(night.err).toMatch(/was not delivered to broken/);
  const latest = JSON.parse(place.read('share/latest.json'));
  expect(existsSync(place.path('share', latest.path, 'manifest.json'))).toBe(true);
  expect(readFileSync(place.path('share', latest.path, 'records.csv'))).toEqual(
    readFileSync(place.path('out', latest.path, 'records.csv')),
  );
  const again = await place.tieout(['deliver', run]);
  expect([again.code, again.out]).toEqual([4, expect.stringContaining('share: everything was there\nbroken: ')]);
  const one = await place.tieout(['deliver', run, '--to', 'share']);
  expect([one.code, one.out]).toEqual([0, 'share: everything was there\n']);
  expect((await place.tieout(['deliver', run, '--to', 'shared'])).err).toMatch(
    /--to shared: .*they have share, broken/,
  );
  expect((await place.tieout(['config', 'check'])).out).toContain('share');
  place.remove();
});

/** `tieout db reseal`, as an operator who has to exchange the sealing key comes to it. */
import { readFileSync, renameSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openWorkspace, PATIENCE, type Workspace } from '../e2e/support/workspace.ts';

vi.setConfig(PATIENCE);

const IDS = ['a', 'b', 'c']
  .map((id) => JSON.stringify({ kind: 'purchase', id: `record-${id}`, view_token: `token-of-${id}` }))
  .join('\n');

let place: Workspace;
beforeAll(async () => {
  place = openWorkspace(null);
  expect((await place.tieout(['import', '-'], { stdin: IDS })).code).toBe(0);
});
afterAll(() => place.remove());

it('refuses what cannot be meant, and changes nothing', async () => {
  expect(await place.tieout(['db', 'reseal'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--old-key-file'),
  });
  expect(await place.tieout(['db', 'reseal', '--old-key-file', 'none.key'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no such file'),
  });
  expect(await place.tieout(['db', 'reseal', '--old-key-file', 'var/tieout.db.key'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('configure the new one first'),
  });
});

it('seals everything again with a new key, after which the old one is not needed', async () => {
  const oldKey = readFileSync(place.path('var', 'tieout.db.key'), 'utf8');
  renameSync(place.path('var', 'tieout.db.key'), place.path('old.key'));
  const { code, out } = await place.tieout(['db', 'reseal', '--old-key-file', 'old.key', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ renewed: 6, sealing_keys: [expect.stringMatching(/^[0-9a-f]{16}$/)] });
  expect(readFileSync(place.path('var', 'tieout.db.key'), 'utf8')).not.toBe(oldKey);
  // Another token would be a conflict: these are recognised as the ones that are stored, by the new key alone.
  const again = await place.tieout(['import', '-', '--json'], { stdin: IDS });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.out)).toMatchObject({ total: { unchanged: 3, conflict_count: 0 } });
});

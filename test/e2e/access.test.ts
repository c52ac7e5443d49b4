/** `tieout access`: who can write to the database makes links that sign people in, unless the settings say that these prove nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorkspace, type Workspace } from './support/workspace.ts';

let place: Workspace;
beforeAll(() => {
  place = openWorkspace(null);
});
afterAll(() => place.remove());

it('makes a link with roles, lists it without its secret, and ends it', async () => {
  const made = await place.ends(0, ['access', 'link', '--as', 'Ann Lee', '--role', 'closer', '--role', 'analyst']);
  expect(made.err).toMatch(/^Signs Ann Lee in as closer, analyst, once, until /m);
  const [, secret = ''] = /\/sign-in\/link\/(\S{20,})\n$/.exec(made.out) ?? [];
  expect(secret).not.toBe('');
  const listed = await place.ends(0, ['access', 'list', '--json']);
  expect(JSON.parse(listed.out)).toMatchObject([{ type: 'link', name: 'Ann Lee', roles: ['closer', 'analyst'] }]);
  expect(`${listed.out}${(await place.ends(0, ['access', 'list'])).out}`).not.toContain(secret);
  expect((await place.ends(0, ['access', 'revoke', 'Ann Lee'])).out).toBe('1 ended.\n');
  expect((await place.ends(0, ['access', 'list'])).out).toBe('There is no session, and no unused link.\n');
});

it.each([
  [[' '], '--as must be a name of at most 200 characters'],
  [['Ann', '--role', 'owner'], '--role owner: it must be one of '],
])('refuses %j', async (flags, why) => {
  expect((await place.ends(2, ['access', 'link', '--as', ...flags])).err).toContain(why);
});

it('makes none where links sign nobody in', async () => {
  place.write('tieout.yaml', 'access: { localLinks: off }\n');
  const refused = await place.ends(2, ['access', 'link', '--as', 'Ann']);
  expect([refused.out, refused.err]).toEqual(['', expect.stringContaining('access.localLinks is off')]);
});

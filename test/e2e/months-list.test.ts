/** The list of months says what changed since a month was closed, until a delta states it. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeAccessLink, pagesEdges } from '../../src/app/pages.ts';
import { pagesServer } from '../../src/pages/server.ts';
import { closePeriod, publishDelta } from '../../src/periods/close.ts';
import { browserOf, openLink } from '../pages/support/site.ts';
import { aPurchase } from '../service/bodies.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const AUGUST = '"2026-08-31T10:00:00.000Z"';

let world: FrozenWorld;
beforeAll(async () => {
  world = await openFrozenWorld({ 'rules.QUOTE_MISSING': 'off' });
});
afterAll(() => world?.close());

it('counts changes and records, and nothing once they are stated', async () => {
  await world.track('kind,id,view_token\npurchase,a,tok-a\n');
  const answer = (fields: Record<string, string>) => {
    const body = { id: '"a"', createdAt: AUGUST, updatedAt: AUGUST, purchaseViewToken: undefined, ...fields };
    world.server.answers.set('a', { body: aPurchase(body) });
  };
  answer({});
  world.goTo('2026-09-01T04:15:00Z');
  await world.night('2026-08-31');
  const edges = pagesEdges(world.app);
  const site = await pagesServer(edges);
  // Sessions end with the day.
  const signedIn = async () => {
    const person = browserOf(site, '');
    const link = await makeAccessLink(world.app, { name: 'Ann', roles: ['closer'], by: 'test', base: '' });
    await openLink(person, link.url.split('/').at(-1) ?? '');
    return person;
  };
  const changed = async () => {
    const { body } = await (await signedIn()).get('/months');
    const rows = [...body.matchAll(/<tr data-row>.*?<\/tr>/gs)].map(([row]) => row);
    const august = rows.find((row) => row.includes('/months/2026-08')) ?? '';
    return /<td[^>]*>([^<]*)<\/td><\/tr>$/.exec(august)?.[1];
  };
  expect(await changed()).toBe('not closed');
  await closePeriod(edges.periods, { period: '2026-08', by: 'Ann', acceptOpen: 'known' });
  expect(await changed()).toBe('nothing');
  const { body: july } = await (await signedIn()).get('/months/2026-07');
  expect(july).toContain('<span class="badge">before first close</span>');
  expect(july).not.toContain('/months/2026-07/close');
  const { body: september } = await (await signedIn()).get('/months/2026-09');
  expect(september).toContain('The month is not over.');
  expect(september).not.toContain('/months/2026-09/close');
  // Nothing moved, and breaks may stand all the same: the figures say what they are of.
  expect(september).toContain('by the days of the calendar');
  answer({ appliedFee: '9.76' });
  world.goTo('2026-09-02T04:15:00Z');
  await world.night('2026-09-01');
  expect(await changed()).toMatch(/^\d+ changes? on 1 record$/);
  await publishDelta(edges.periods, { period: '2026-08', by: 'Ann' });
  expect(await changed()).toBe('nothing');
});

/** The close of a month by its page is of the figures that the page showed. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pagesEdges } from '../../src/app/pages.ts';
import { hashOf } from '../../src/pages/people.ts';
import { pagesServer } from '../../src/pages/server.ts';
import { type Browser, browserOf, openLink } from '../pages/support/site.ts';
import { aPurchase } from '../service/bodies.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const MONTH = '/months/2026-08';
const AUGUST = '"2026-08-31T10:00:00.000Z"';
const body = { id: '"a"', createdAt: AUGUST, updatedAt: AUGUST, purchaseViewToken: undefined };

let world: FrozenWorld;
let site: FastifyInstance;
let ann: Browser;

beforeAll(async () => {
  world = await openFrozenWorld({ 'access.localLinks': 'proved' });
  await world.track('kind,id,view_token\npurchase,a,tok-a\n');
  world.server.answers.set('a', { body: aPurchase(body) });
  world.goTo('2026-09-01T04:15:00Z');
  await world.night('2026-08-31');
  const edges = pagesEdges(world.app);
  site = await pagesServer(edges);
  const secret = randomBytes(16).toString('hex');
  const madeAt = edges.now();
  const link = { secretHash: hashOf(secret), name: 'Ann', roles: ['closer'] as const, madeBy: 'os:root' };
  await edges.store.access.addLink({ ...link, madeAt, endsAt: madeAt + 60_000 });
  ann = browserOf(site, '');
  await openLink(ann, secret);
}, PATIENCE.hookTimeout);
afterAll(async () => {
  await site?.close();
  await world?.close();
});

const seenOn = (page: { body: string }) => /name="seen" value="([0-9a-f]+)"/.exec(page.body)?.[1] ?? '';

it('what a night found after the page was opened is not accepted by its reason', async () => {
  const form = { accept: 'one break is known', seen: seenOn(await ann.get(MONTH)) };
  world.server.answers.set('a', { body: aPurchase({ ...body, appliedFee: '9.99' }) });
  world.goTo('2026-09-01T06:15:00Z');
  await world.night('2026-08-31');
  const refused = await ann.post(`${MONTH}/close`, form, MONTH);
  expect([refused.statusCode, refused.body.includes('have changed since the page was opened')]).toEqual([409, true]);
  expect(await world.app.store.periods.get('2026-08')).toBeNull();

  const again = { ...form, seen: seenOn(await ann.get(MONTH)) };
  expect((await ann.post(`${MONTH}/close`, again, MONTH)).statusCode).toBe(303);
  expect(await world.app.store.periods.get('2026-08')).toMatchObject({ closedBy: 'Ann', state: 'closed' });
});

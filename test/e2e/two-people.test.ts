/** Who may be the second person: a month that the command line closed, closes that were refused, and links made in a shell. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { localLinksOf } from '../../src/app/four-eyes.ts';
import { pagesEdges } from '../../src/app/pages.ts';
import { areTwoPeople, type Role } from '../../src/domain/actor.ts';
import type { PagesEdges } from '../../src/pages/contract.ts';
import { hashOf } from '../../src/pages/people.ts';
import { pagesServer } from '../../src/pages/server.ts';
import { closePeriod, publishDelta } from '../../src/periods/close.ts';
import { type Browser, browserOf, openLink } from '../pages/support/site.ts';
import { aPurchase } from '../service/bodies.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const MONTH = '/months/2026-08';
const AUGUST = '"2026-08-31T10:00:00.000Z"';
const body = { id: '"a"', createdAt: AUGUST, updatedAt: AUGUST, purchaseViewToken: undefined };
const SETTINGS = { 'rules.QUOTE_MISSING': 'off', 'fourEyes.periods': 'true' };

let world: FrozenWorld;
let edges: PagesEdges;
let site: FastifyInstance;

/** Signed in by a link that an account of the machine made. */
async function browser(name: string, roles: Role[], madeBy = 'os:root', on = site): Promise<Browser> {
  const secret = randomBytes(16).toString('hex');
  const madeAt = edges.now();
  await edges.store.access.addLink({
    secretHash: hashOf(secret),
    name,
    roles,
    madeBy,
    madeAt,
    endsAt: madeAt + 60_000,
  });
  const one = browserOf(on, '');
  await openLink(one, secret);
  return one;
}

/** As the page has the form: with the newest set that it shows. */
async function seenBy(one: Browser): Promise<{ seen: string }> {
  return { seen: /name="seen" value="([0-9a-f]+)"/.exec((await one.get(MONTH)).body)?.[1] ?? '' };
}

async function under(localLinks: PagesEdges['settings']['localLinks']): Promise<FastifyInstance> {
  return pagesServer({ ...edges, settings: { ...edges.settings, localLinks } });
}

beforeAll(async () => {
  world = await openFrozenWorld({ ...SETTINGS, 'access.localLinks': 'proved' });
  await world.track('kind,id,view_token\npurchase,a,tok-a\n');
  world.server.answers.set('a', { body: aPurchase(body) });
  world.goTo('2026-09-01T04:15:00Z');
  await world.night('2026-08-31');
  edges = pagesEdges(world.app);
  site = await pagesServer(edges);
  // As `tieout period close` did before fourEyes.periods was set.
  await closePeriod(edges.periods, { period: '2026-08', by: 'Ann', acceptOpen: 'known' });
  const stated = { name: 'Ann', account: 'os:ann', proof: 'stated' } as const;
  await edges.store.access.note({
    at: edges.now(),
    ...stated,
    action: 'period.close',
    subject: '2026-08',
    outcome: 'done',
    detail: null,
  });
}, PATIENCE.hookTimeout);
afterAll(async () => {
  await site?.close();
  await world?.close();
});

describe('a month that a stated name closed', () => {
  it('is reviewed once a proved closer has confirmed it; refused closes neither hide who closed nor block', async () => {
    const bob = await browser('Bob', ['closer', 'reviewer']);
    const cleo = await browser('Cleo', ['reviewer']);
    const blocked = await cleo.post(`${MONTH}/review`, {}, MONTH);
    expect([blocked.statusCode, blocked.body.includes('confirms the close')]).toEqual([403, true]);
    expect((await cleo.post(`${MONTH}/confirm`, {}, MONTH)).statusCode).toBe(403);
    expect((await bob.get(MONTH)).body).toContain('I confirm the close of 2026-08');
    expect((await bob.post(`${MONTH}/confirm`, {}, MONTH)).statusCode).toBe(303);
    expect((await bob.post(`${MONTH}/confirm`, {}, MONTH)).statusCode).toBe(403);
    for (let n = 0; n < 12; n++) {
      await edges.store.access.note({
        at: edges.now() + n,
        name: 'Cleo',
        account: 'local:Cleo',
        proof: 'proved',
        action: 'period.close',
        subject: '2026-08',
        outcome: 'refused',
        detail: 'it is closed',
      });
    }
    const own = await bob.post(`${MONTH}/review`, {}, MONTH);
    expect([own.statusCode, own.body.includes('You closed 2026-08')]).toEqual([403, true]);
    // The shell user who closed the month made this link.
    const dan = await browser('Dan', ['reviewer'], 'os:ann');
    expect((await dan.post(`${MONTH}/review`, {}, MONTH)).statusCode).toBe(403);
    expect((await cleo.post(`${MONTH}/review`, await seenBy(cleo), MONTH)).statusCode).toBe(303);
    expect((await edges.store.periods.get('2026-08'))?.reviewedBy).toBe('Cleo');
  });
});

describe('a delta', () => {
  /** Another fee of the record, found by the night of a day, and who stated it. */
  async function stated(fee: string, day: string, name: string, time: string): Promise<void> {
    world.server.answers.set('a', { body: aPurchase({ ...body, appliedFee: fee }) });
    world.goTo(`${day}T04:15:00Z`);
    await world.night(new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10));
    world.goTo(`${day}T${time}Z`);
    await publishDelta(edges.periods, { period: '2026-08', by: name });
    const who = { name, account: `os:${name}`, proof: 'stated', outcome: 'done', detail: null } as const;
    await edges.store.access.note({ at: edges.now(), ...who, action: 'period.delta', subject: '2026-08' });
  }

  it('that was stated after the page was opened is not reviewed by its button', async () => {
    await stated('4.99', '2026-09-02', 'dora', '10:30:00');
    const cleo = await browser('Cleo', ['reviewer']);
    const seen = await seenBy(cleo);
    // The clock was an hour ahead, and is right now.
    await stated('5.01', '2026-09-02', 'emil', '09:45:00');
    const refused = await cleo.post(`${MONTH}/review`, seen, MONTH);
    expect([refused.statusCode, refused.body.includes('Another delta of 2026-08 was stated since')]).toEqual([
      409,
      true,
    ]);
    const reviews = async () =>
      (await edges.store.periods.statements('2026-08')).map(({ review }) => review?.by ?? null);
    expect(await reviews()).toEqual([null, null, null]);
    // The shell user who stated the second one made this link.
    const gus = await browser('Gus', ['reviewer'], 'os:emil');
    expect((await gus.post(`${MONTH}/review`, await seenBy(gus), MONTH)).statusCode).toBe(403);
    expect((await cleo.post(`${MONTH}/review`, await seenBy(cleo), MONTH)).statusCode).toBe(303);
    expect(await reviews()).toEqual([null, 'Cleo', 'Cleo']);
  });
});

describe('a link made in a shell', () => {
  it('signs in a name that is stated, unless the settings trust it', async () => {
    const other = await under('stated');
    const one = await browser('Eve', ['closer', 'reviewer'], 'os:root', other);
    for (const act of ['close', 'review', 'confirm']) {
      const answer = await one.post(`${MONTH}/${act}`, {}, MONTH);
      expect([act, answer.statusCode, answer.body.includes('needs a proved name')]).toEqual([act, 403, true]);
    }
    expect((await edges.store.access.acts({ action: 'sign-in', limit: 1 }))[0]).toMatchObject({ proof: 'stated' });
    await other.close();
  });

  it('signs nobody in where it is off, and ends what it had begun', async () => {
    const trusted = await browser('Fay', ['viewer']);
    const other = await under('off');
    const same = browserOf(other, trusted.cookie);
    expect((await same.get('/breaks')).statusCode).toBe(303);
    const fresh = await browser('Gil', ['viewer'], 'os:root', other);
    expect((await fresh.get('/breaks')).statusCode).toBe(303);
    expect((await fresh.get('/sign-in')).body).not.toContain('tieout access link');
    await other.close();
  });

  it('is off by default where people are told apart, and refused by the command then', () => {
    const { settings } = world.app;
    const of = (over: object) => localLinksOf({ ...settings, access: { localLinks: null }, ...over });
    const none = { periods: false, claims: false, waiversAbove: new Map(), waiversOf: [] };
    expect(of({})).toBe('off');
    expect(of({ fourEyes: none })).toBe('stated');
    expect(of({ fourEyes: { ...none, waiversOf: ['high'] } })).toBe('off');
    expect(of({ fourEyes: none, pages: { ...settings.pages, oidc: {} } })).toBe('off');
    expect(localLinksOf(settings)).toBe('proved');
  });

  it('makes no second person of whoever made it', () => {
    const ann = { name: 'Ann Lee', account: 'os:ann', linksMadeBy: [] };
    const bob = { name: 'Bob', account: 'local:Bob', linksMadeBy: ['os:root'] };
    expect(areTwoPeople(ann, bob)).toBe(true);
    expect(areTwoPeople(ann, { ...bob, linksMadeBy: ['os:root', 'os:ann'] })).toBe(false);
    expect(areTwoPeople({ ...bob, linksMadeBy: ['os:ann'] }, ann)).toBe(false);
    expect(areTwoPeople({ ...ann, name: 'ann', account: 'oidc:x' }, { ...bob, linksMadeBy: ['os:ann'] })).toBe(false);
    expect(areTwoPeople(bob, { ...bob, name: 'Other' })).toBe(false);
    expect(areTwoPeople(bob, { ...bob, name: 'B o b', account: 'local:B o b' })).toBe(false);
  });
});

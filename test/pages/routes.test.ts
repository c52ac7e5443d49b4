/** Every route of the pages, asked by every role. */
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../src/domain/actor.ts';
import { registerPages } from '../../src/pages/server.ts';
import { nightWith } from '../store/support/break-nights.ts';
import { track } from '../store/support/scenario.ts';
import { aBreak, aBreakEvent } from '../support/a-break.ts';
import { aSite, type Site } from './support/site.ts';

const A = aBreak({ recordId: 'a' }).breakId;
const ANYBODY = [...ROLES];
const WORKERS: readonly Role[] = ['analyst', 'closer', 'reviewer'];

/** Roles that may use a route; a route outside this table fails the test. */
const TABLE: Readonly<Record<string, readonly Role[] | 'public'>> = {
  'GET /': ANYBODY,
  'GET /*': 'public',
  'GET /assets/style.css': 'public',
  'GET /assets/icon.svg': 'public',
  'GET /assets/keys.js': 'public',
  'GET /sign-in': 'public',
  'GET /sign-in/link/:secret': 'public',
  'POST /sign-in/link/:secret': 'public',
  'POST /sign-out': ANYBODY,
  'GET /breaks': ANYBODY,
  'GET /breaks.csv': ANYBODY,
  'POST /views': ANYBODY,
  'POST /views/forget': ANYBODY,
  'GET /bulk': WORKERS,
  'POST /bulk/preview': WORKERS,
  'POST /bulk/apply': WORKERS,
  'GET /breaks/:id': ANYBODY,
  'POST /breaks/:id/decide': WORKERS,
  'POST /breaks/:id/undo': WORKERS,
  'POST /breaks/:id/notes': WORKERS,
  'POST /breaks/:id/attachments': WORKERS,
  'GET /breaks/:id/attachments/:hash': ANYBODY,
  'GET /breaks/:id/evidence.json': ANYBODY,
  'GET /breaks/:id/evidence.zip': ANYBODY,
  'POST /breaks/:id/waiver': WORKERS,
  'POST /breaks/:id/waiver/:key': ['reviewer'],
  'GET /groups': ANYBODY,
  'GET /groups/:group': ANYBODY,
  'GET /claims': ANYBODY,
  'GET /claims/new': WORKERS,
  'POST /claims': WORKERS,
  'GET /claims/:claim': ANYBODY,
  'GET /claims/:claim/pack.zip': ANYBODY,
  'POST /claims/:claim': WORKERS,
  'GET /months': ANYBODY,
  'GET /months/:month': ANYBODY,
  'GET /months/:month/pack.zip': ANYBODY,
  'GET /months/:month/journal': ANYBODY,
  'GET /months/:month/records.csv': ANYBODY,
  'GET /months/:month/sets/:number/:file': ANYBODY,
  'POST /months/:month/delta': ['closer'],
  'POST /months/:month/close': ['closer'],
  'POST /months/:month/confirm': ['closer'],
  'POST /months/:month/review': ['reviewer'],
  'GET /runs': ANYBODY,
  'GET /runs/:run': ANYBODY,
  'GET /runs/:run/files/:file': ANYBODY,
  'GET /runs/:run/rows/:file': ANYBODY,
  'GET /records': ANYBODY,
  'GET /records/:kind/:id': ANYBODY,
  'GET /mentions': ANYBODY,
  'GET /access': ['administrator'],
  'POST /access/link': ['administrator'],
  'POST /access/revoke': ['administrator'],
  'GET /revenue': ANYBODY,
  'POST /revenue/preview': WORKERS,
  'POST /revenue': WORKERS,
  'GET /prices': ANYBODY,
  'POST /prices': WORKERS,
};

let site: Site;
const routes: string[] = [];
beforeAll(async () => {
  site = await aSite();
  await track(site.store, 'a');
  await nightWith(site.store, aBreakEvent({ recordId: 'a' }));
  const listed = Fastify();
  listed.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') routes.push(`${each} ${url}`);
  });
  await registerPages(listed, site.edges);
  await listed.ready();
});
afterAll(() => site[Symbol.asyncDispose]());

const GIVEN: Readonly<Record<string, string>> = {
  ':id': A,
  ':hash': 'f'.repeat(64),
  ':secret': 'x',
  ':key': '1',
  ':group': '0123456789abcdef',
  ':claim': 'claim-0123456789ab',
  ':month': '2026-10',
  ':number': '0',
  ':run': 'nightly-2026-11-20-r1',
  ':file': 'records.csv',
};
const addressOf = (url: string) => url.replace(/:[a-z]+/g, (name) => GIVEN[name] ?? 'x');

it('knows every route that there is', () => {
  expect([...new Set(routes)].sort()).toEqual(Object.keys(TABLE).sort());
});

it('answers a path that there is not by a page to a browser, by JSON to a program', async () => {
  const ask = (accept: string) => site.app.inject({ method: 'GET', url: '/no/<b>such', headers: { accept } });
  const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
  expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(page.body).toContain('There is no such page.');
  expect(page.body).not.toContain('<b>such');
  const json = await ask('*/*');
  expect([json.statusCode, json.json()]).toEqual([404, { message: 'Not found', error: 'Not Found', statusCode: 404 }]);
  expect(page.body).not.toContain('<nav');
  const ann = await site.browser('Ann', 'viewer');
  const signedIn = await ann.get('/no-such-page', { accept: 'text/html' });
  expect([signedIn.statusCode, signedIn.body]).toEqual([404, expect.stringContaining('<nav aria-label="Main">')]);
});

it('has an icon, so that a browser asks for no /favicon.ico', async () => {
  const page = await site.app.inject({ method: 'GET', url: '/sign-in' });
  const href = /<link rel="icon" href="([^"]+)">/.exec(page.body)?.[1] ?? '';
  const icon = await site.app.inject({ method: 'GET', url: href });
  expect([icon.statusCode, icon.headers['content-type']]).toEqual([200, 'image/svg+xml']);
  expect(page.headers['content-security-policy']).toContain("img-src 'self'");
});

/** Routes that check the names of their filters; of these the wrong one is in the page that it was meant for. */
const NOT_READING = ['GET /', ...Object.keys(TABLE).filter((route) => TABLE[route] === 'public')];

it('refuses a filter that the page does not know, and names those that it does', async () => {
  const ann = await site.browser('Ann', 'analyst', 'administrator');
  for (const route of Object.keys(TABLE).filter((each) => each.startsWith('GET ') && !NOT_READING.includes(each))) {
    const { statusCode, body } = await ann.get(`${addressOf(route.slice(4))}?money=ten`);
    // Only where the rest of the address leads nowhere, nothing is said about the filter.
    if (statusCode === 404) continue;
    expect([route, statusCode, /no filter “money”/.exec(body)?.[0]]).toEqual([
      route,
      expect.toBeOneOf([400, 409]),
      'no filter “money”',
    ]);
  }
  expect((await ann.get('/breaks?money=ten')).body).toContain('Filters are rule, severity, state,');
  expect((await ann.get('/bulk?money=ten')).body).toContain('Nothing was chosen by it.');
  expect((await ann.get('/records?id=a')).body).toContain('Its filters are q.');
  expect((await ann.get('/breaks?currency=EUR&currency=USD')).body).toContain(
    '“currency” takes one value; 2 were given',
  );
});

describe.each(Object.entries(TABLE))('%s', (route, allowed) => {
  const [method = '', url = ''] = route.split(' ');
  const ask = async (...roles: Role[]) => {
    const person = roles.length === 0 ? await site.browser() : await site.browser(`P ${roles.join('')}`, ...roles);
    return method === 'GET' ? person.get(addressOf(url)) : person.post(addressOf(url), { _csrf: 'none' });
  };

  it('without a sign-in leads there, or is refused', async () => {
    const answer = await ask();
    if (allowed === 'public')
      expect(answer.statusCode === 401 || String(answer.headers.location).startsWith('/sign-in?')).toBe(false);
    else if (method === 'GET')
      expect([answer.statusCode, answer.headers.location]).toEqual([
        303,
        `/sign-in?next=${encodeURIComponent(addressOf(url))}`,
      ]);
    else expect(answer.statusCode).toBe(401);
  });

  it.each(ROLES)('asked by a %s', async (role) => {
    const answer = await ask(role);
    const isRefusedByRole = answer.body.includes('Your role does not allow this');
    expect(isRefusedByRole).toBe(allowed !== 'public' && !allowed.includes(role));
    // A form without the session's token is refused.
    if (method === 'POST') expect(answer.statusCode).toBe(403);
  });
});

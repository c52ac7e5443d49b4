/** The pages over a store of their own, asked without a network; and people who are signed in. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { App } from '../../../src/app/app.ts';
import { openClaim, updateClaim } from '../../../src/app/claims.ts';
import type { Role } from '../../../src/domain/actor.ts';
import { Decimal } from '../../../src/domain/decimal.ts';
import type { PagesEdges } from '../../../src/pages/contract.ts';
import { hashOf } from '../../../src/pages/people.ts';
import { pagesServer } from '../../../src/pages/server.ts';
import type { PeriodEdges } from '../../../src/periods/edges.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { openStore } from '../../../src/store/open.ts';
import { SEALER, temporaryFolder } from '../../store/support/engines.ts';
import { at } from '../../support/builders.ts';
import { copyEmptyDatabase } from '../../support/empty-database.ts';

export const NOW = at('2026-11-22 09:00');

export interface Site extends AsyncDisposable {
  app: FastifyInstance;
  store: Store;
  edges: PagesEdges;
  /** A browser that is signed in; without roles, one that is not. */
  browser: (name?: string, ...roles: Role[]) => Promise<Browser>;
}

export interface Browser {
  cookie: string;
  get: (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>;
  /** Sends a form as the page at `from` has it: with the token of that page. */
  post: (url: string, fields: Record<string, string>, from?: string) => Promise<LightMyRequestResponse>;
}

export async function aSite(over: Partial<PagesEdges['settings']> = {}, now = () => NOW): Promise<Site> {
  const folder = temporaryFolder();
  await copyEmptyDatabase(`${folder.path}/tieout.db`);
  const { store } = await openStore({ url: `sqlite:${folder.path}/tieout.db`, sealer: SEALER });
  const settings = { fourEyes: { claims: false } };
  const asApp = { store, settings, clock: { wall: { now: () => NOW } } } as unknown as App;
  const edges: PagesEdges = {
    store,
    settings: {
      url: null,
      sessionMs: 3_600_000,
      timezone: 'UTC',
      rateLimits: [],
      out: folder.path,
      limits: { above: new Map([['EUR', Decimal.parse('1000')]]), severities: [] },
      localLinks: 'proved',
      provedPeriods: false,
      oidc: null,
      proxy: null,
      roles: new Map(),
      ...over,
    },
    cookieKey: randomBytes(32),
    now,
    random: randomBytes,
    reporting: async () => null,
    journalFormats: ['generic'],
    journal: async () => [],
    payments: {
      read: () => [],
      known: async () => new Set(),
      add: async () => 0,
      revenue: async () => ({ months: [], payouts: [] }),
    },
    comparePrices: async () => ({ list: { name: '', versions: [] }, rows: [] }),
    makeLink: async () => ({ url: 'http://localhost/sign-in/link/x', endsAt: NOW }),
    packBreak: async () => Buffer.from('PK'),
    story: async (standing) => ({
      standing,
      rule: { title: 'a rule', why: 'It matters.' },
      action: 'Look at it.',
      settledBy: 'A later night.',
      record: null,
      judgedIn: null,
      state: null,
      workings: [],
      recomputed: { outcome: 'not-recomputed', why: 'this is a test' },
      today: { changed: [], verdict: null, difference: null, tolerance: null },
      events: await store.breaks.events(standing.breakId),
    }),
    recordStory: async () => null,
    periods: {} as PeriodEdges,
    openClaim: (breakIds, opening) => openClaim(asApp, breakIds, opening),
    updateClaim: (claim, change, why) => updateClaim(asApp, claim, change, why),
    packClaim: async () => Buffer.from('PK'),
    packMonth: async () => Buffer.from('PK'),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  const app = await pagesServer(edges);
  return {
    app,
    store,
    edges,
    browser: async (name, ...roles) => {
      if (name === undefined) return browserOf(app, '');
      const secret = randomBytes(16).toString('hex');
      const link = { secretHash: hashOf(secret), name, roles, madeBy: 'os:test', madeAt: NOW, endsAt: NOW + 60_000 };
      await store.access.addLink(link);
      const browser = browserOf(app, '');
      await openLink(browser, secret);
      return browser;
    },
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await store.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Opens a sign-in link and presses its button. */
export function openLink(browser: Browser, secret: string): Promise<LightMyRequestResponse> {
  const url = `/sign-in/link/${secret}`;
  return browser.post(url, {}, url);
}

function cookieOf(answer: LightMyRequestResponse): string {
  return answer.cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ');
}

export function browserOf(app: FastifyInstance, cookie: string): Browser {
  const jar = { cookie };
  const keep = (answer: LightMyRequestResponse) => {
    if (answer.cookies.length > 0) jar.cookie = cookieOf(answer);
    return answer;
  };
  return {
    get cookie() {
      return jar.cookie;
    },
    get: async (url, headers = {}) =>
      keep(await app.inject({ method: 'GET', url, headers: { cookie: jar.cookie, ...headers } })),
    post: async (url, fields, from = '/breaks') => {
      const page = keep(await app.inject({ method: 'GET', url: from, headers: { cookie: jar.cookie } }));
      const token = /name="_csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
      const payload = new URLSearchParams({ _csrf: token, ...fields }).toString();
      const type = 'application/x-www-form-urlencoded';
      // As a browser states it.
      const headers = { cookie: jar.cookie, 'content-type': type, referer: `http://localhost:80${from}` };
      return keep(await app.inject({ method: 'POST', url, headers, payload }));
    },
  };
}

/** Opens a claim as a person does: on the page that says what it will have. @param query which breaks, as the address has them */
export async function claimOn(
  person: Browser,
  query: string,
  fields: Record<string, string>,
): Promise<LightMyRequestResponse> {
  const { body } = await person.get(`/claims/new?${query}`);
  const version = /name="version" value="([0-9a-f]+)"/.exec(body)?.[1] ?? '';
  return person.post('/claims', { query, version, ...fields });
}

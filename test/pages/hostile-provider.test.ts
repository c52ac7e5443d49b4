/** An OpenID Connect provider that lies: nobody is signed in but the person whom an honest answer names, and the server goes on. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listenLocally } from '../support/listen-locally.ts';
import { aSite, type Browser, type Site } from './support/site.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 });
const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keySet = ({ publicKey }: typeof KEY, kid = 'k') => ({
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256' }],
});
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

type Claims = Record<string, unknown>;

/** What the provider says this time; each part is honest where it is not given. */
interface Lies {
  claims?: (honest: Claims) => Claims;
  token?: (claims: Claims) => unknown;
  info?: (honest: Claims) => unknown;
  answer?: (reply: ServerResponse) => void;
  metadata?: (honest: Claims) => unknown;
  keys?: (reply: ServerResponse) => void;
  /** The query with which the browser comes back. */
  back?: (query: URLSearchParams) => void;
}

let lies: Lies = {};
let issuer = '';
const server = createServer(async (request, reply) => {
  const json = (value: unknown, type = 'application/json') =>
    reply.setHeader('content-type', type).end(JSON.stringify(value));
  const url = new URL(request.url ?? '/', issuer);
  request.resume();
  if (url.pathname === '/.well-known/openid-configuration') {
    const honest = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/info`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
    return json(lies.metadata?.(honest) ?? honest);
  }
  if (url.pathname === '/jwks') return lies.keys === undefined ? json(keySet(KEY)) : lies.keys(reply);
  if (url.pathname === '/info')
    return json(lies.info === undefined ? { sub: honestClaims.sub } : lies.info(honestClaims));
  if (lies.answer !== undefined) return lies.answer(reply);
  const claims = (lies.claims ?? ((honest) => honest))(honestClaims);
  return json(
    lies.token?.(claims) ?? { access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: signed(claims) },
  );
});
let honestClaims: Claims = {};

const signed = (claims: Claims, header: Claims = { alg: 'RS256', kid: 'k' }, key = KEY.privateKey): string => {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
};

let site: Site;
beforeAll(async () => {
  const port = await listenLocally(server);
  issuer = `http://127.0.0.1:${port}`;
  site = await newSite();
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

const newSite = () =>
  aSite({
    url: 'http://localhost',
    oidc: { issuer, clientId: 'tieout', clientSecret: null, nameClaim: 'email', rolesClaim: 'groups', scope: 'openid' },
    roles: new Map([['finance', 'analyst']]),
  });

/** Goes to the provider and comes back; says who is signed in then. */
async function signIn(told: Lies, at: Site = site): Promise<{ status: number; who: string | null; browser: Browser }> {
  lies = told;
  const browser = await at.browser();
  const begun = await browser.get('/sign-in/oidc');
  if (begun.statusCode !== 303) return { status: begun.statusCode, who: null, browser };
  const to = new URL(String(begun.headers.location));
  const now = Math.floor(Date.now() / 1000);
  honestClaims = {
    iss: issuer,
    sub: 'ann-1',
    aud: 'tieout',
    exp: now + 300,
    iat: now,
    nonce: to.searchParams.get('nonce'),
    email: 'ann@example.com',
    groups: ['finance'],
  };
  const query = new URLSearchParams({ code: 'c0de', state: to.searchParams.get('state') ?? '' });
  told.back?.(query);
  const back = await browser.get(`/sign-in/oidc/return?${query}`);
  const page = await browser.get('/breaks');
  return { status: back.statusCode, who: page.statusCode === 200 ? 'somebody' : null, browser };
}

it('an honest answer signs in', async () => {
  const { status, who } = await signIn({});
  expect([status, who]).toEqual([303, expect.any(String)]);
});

const now = () => Math.floor(Date.now() / 1000);
const hs256 = (claims: Claims, secret: string) => {
  const text = `${part({ alg: 'HS256' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const withToken = (token: (claims: Claims) => unknown): Lies => ({
  token: (claims) => ({ access_token: 'at', token_type: 'Bearer', id_token: token(claims) }),
});
const LIES: Record<string, Lies> = {
  'another issuer': { claims: (c) => ({ ...c, iss: 'https://evil.example' }) },
  'no issuer': { claims: ({ iss: _, ...c }) => c },
  'another audience': { claims: (c) => ({ ...c, aud: 'other' }) },
  'several audiences and another party': { claims: (c) => ({ ...c, aud: ['tieout', 'other'], azp: 'other' }) },
  'no audience': { claims: ({ aud: _, ...c }) => c },
  'another nonce': { claims: (c) => ({ ...c, nonce: 'x' }) },
  'no nonce': { claims: ({ nonce: _, ...c }) => c },
  'a token that is over': { claims: (c) => ({ ...c, exp: now() - 3600 }) },
  'no end': { claims: ({ exp: _, ...c }) => c },
  'an end as text': { claims: (c) => ({ ...c, exp: String(now() + 300) }) },
  'an end in an object': { claims: (c) => ({ ...c, exp: { valueOf: 1 } }) },
  'issued tomorrow': { claims: (c) => ({ ...c, iat: now() + 86_400 }) },
  'not before tomorrow': { claims: (c) => ({ ...c, nbf: now() + 86_400 }) },
  'no subject': { claims: ({ sub: _, ...c }) => c },
  'an empty subject': { claims: (c) => ({ ...c, sub: '' }) },
  'a subject that is a number': { claims: (c) => ({ ...c, sub: 5 }) },
  'a list of subjects': { claims: (c) => ({ ...c, sub: ['ann-1'] }) },
  'a subject of 300 letters': {
    claims: (c) => ({ ...c, sub: 'a'.repeat(300) }),
    info: (c) => ({ sub: 'a'.repeat(300), x: c }),
  },
  'a subject with blanks around it': { claims: (c) => ({ ...c, sub: ' ann-1 ' }), info: () => ({ sub: ' ann-1 ' }) },
  'another subject in the user info': { info: () => ({ sub: 'bob-2' }) },
  'user info that is a list': { info: () => ['ann-1'] },
  'user info that is null': { info: () => null },
  'roles of the user info that the settings do not know': {
    claims: (c) => ({ ...c, groups: ['constructor', '__proto__'] }),
  },
  'roles in an object': { claims: (c) => ({ ...c, groups: { finance: true } }) },
  'roles in a list of lists': { claims: (c) => ({ ...c, groups: [['finance']] }) },
  'no roles': { claims: ({ groups: _, ...c }) => c },
  'no signature algorithm': withToken((c) => `${part({ alg: 'none' })}.${part(c)}.`),
  'a signature by the client id': withToken((c) => hs256(c, 'tieout')),
  'a signature by the public key as a secret': withToken((c) =>
    hs256(c, String(KEY.publicKey.export({ type: 'spki', format: 'pem' }))),
  ),
  'a signature by another key': withToken((c) => signed(c, { alg: 'RS256', kid: 'k' }, OTHER_KEY.privateKey)),
  'a signature of no bytes': withToken((c) => `${part({ alg: 'RS256', kid: 'k' })}.${part(c)}.`),
  'a key that it does not publish': withToken((c) => signed(c, { alg: 'RS256', kid: 'new' }, OTHER_KEY.privateKey)),
  'an unknown algorithm': withToken((c) => signed(c, { alg: 'RS257' })),
  'a critical header': withToken((c) => signed(c, { alg: 'RS256', crit: ['x'], x: 1 })),
  'a token of two parts': withToken((c) => signed(c).split('.').slice(0, 2).join('.')),
  'a token of five parts': withToken((c) => `${signed(c)}.a.b`),
  'a token that is a number': withToken(() => 5),
  'no token': withToken(() => undefined),
  'claims that are a list': withToken(() => signed([] as never)),
  'claims that are no JSON': withToken(() => `${part({ alg: 'RS256' })}.${Buffer.from('{').toString('base64url')}.x`),
  'no access token': { token: (c) => ({ token_type: 'Bearer', id_token: signed(c) }) },
  'another type of token': { token: (c) => ({ access_token: 'at', token_type: 'mac', id_token: signed(c) }) },
  'an answer in HTML': { answer: (r) => void r.setHeader('content-type', 'text/html').end('<h1>hi</h1>') },
  'an answer that is no JSON': { answer: (r) => void r.setHeader('content-type', 'application/json').end('{"a":') },
  'an empty answer': { answer: (r) => void r.setHeader('content-type', 'application/json').end() },
  null: { answer: (r) => void r.setHeader('content-type', 'application/json').end('null') },
  'a failure': { answer: (r) => void r.writeHead(500).end('x') },
  'a redirect': { answer: (r) => void r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end() },
  'a dropped connection': { answer: (r) => void r.destroy() },
  'a refusal with markup': {
    answer: (r) =>
      void r
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: '<script>alert(1)</script>' })),
  },
  'another state': { back: (q) => q.set('state', 'x') },
  'no state': { back: (q) => q.delete('state') },
  'no code': { back: (q) => q.delete('code') },
  'two codes': { back: (q) => q.append('code', 'another') },
  'an error beside the code': { back: (q) => q.set('error', '<script>') },
  'another issuer in the address': { back: (q) => q.set('iss', 'https://evil.example') },
};

describe('a provider that gives', () => {
  it.each(Object.entries(LIES))('%s signs nobody in', async (_what, told) => {
    const { status, who, browser } = await signIn(told);
    expect(who).toBeNull();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    const again = await browser.get('/sign-in');
    expect(again.body).not.toContain('<script>alert');
  });
});

describe('metadata of a provider', () => {
  const METADATA: Record<string, (honest: Claims) => unknown> = {
    'of another issuer': (m) => ({ ...m, issuer: 'https://evil.example' }),
    'without an issuer': ({ issuer: _, ...m }) => m,
    'without an endpoint for tokens': ({ token_endpoint: _, ...m }) => m,
    'with an endpoint in another scheme': (m) => ({ ...m, token_endpoint: 'file:///etc/passwd' }),
    'with an endpoint that is a list': (m) => ({ ...m, token_endpoint: ['x'] }),
    'that are a list': () => [],
    'that are text': () => 'x',
  };
  it.each(Object.entries(METADATA))('%s sign nobody in', async (_what, metadata) => {
    await using fresh = await newSite();
    const { status, who } = await signIn({ metadata }, fresh);
    expect([who, status]).toEqual([null, expect.any(Number)]);
    // It is asked again: an honest provider signs in afterwards.
    expect((await signIn({}, fresh)).who).not.toBeNull();
  });
});

describe('a provider', () => {
  const unsigned = withToken((c) => `${part({ alg: 'none' })}.${part(c)}.`);
  const json = (value: unknown) => (reply: ServerResponse) =>
    void reply.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  const many = Array.from({ length: 4000 }, (_, n) => keySet(KEY, `k${n}`).keys[0]);
  const PROVIDERS: Record<string, Lies> = {
    'that allows tokens without a signature': {
      ...unsigned,
      metadata: (m) => ({ ...m, id_token_signing_alg_values_supported: ['none', 'RS256'] }),
    },
    'without keys': { metadata: ({ jwks_uri: _, ...m }) => m },
    'with a megabyte of keys': { keys: json({ keys: many }) },
    'that sends its keys around in a circle': {
      keys: (reply) => void reply.writeHead(302, { location: `${issuer}/jwks` }).end(),
    },
    'whose keys are no list': { keys: json({ keys: { k: 1 } }) },
  };
  it.each(Object.entries(PROVIDERS))('%s signs nobody in', async (_what, told) => {
    await using fresh = await newSite();
    expect((await signIn(told, fresh)).who).toBeNull();
    expect((await signIn({}, fresh)).who).not.toBeNull();
  });

  it('with a new key signs in, at the second try at the latest', async () => {
    await using fresh = await newSite();
    expect((await signIn({}, fresh)).who).not.toBeNull();
    const rotated: Lies = {
      ...withToken((c) => signed(c, { alg: 'RS256', kid: 'new' }, OTHER_KEY.privateKey)),
      keys: json(keySet(OTHER_KEY, 'new')),
    };
    await signIn(rotated, fresh);
    expect((await signIn(rotated, fresh)).who).not.toBeNull();
  });
});

it('a return is taken once, and only by the browser that began it', async () => {
  const { browser } = await signIn({ back: (q) => q.set('state', 'x') });
  expect((await browser.get('/sign-in/oidc/return?code=c0de&state=x')).statusCode).toBe(403);
  const stranger = await site.browser();
  expect((await stranger.get('/sign-in/oidc/return?code=c0de&state=x')).statusCode).toBe(403);
  const acts = JSON.stringify(await site.store.access.acts({ limit: 200, outcome: 'refused' }));
  expect(acts).toContain('"/sign-in/oidc/return?…"');
  expect(acts).not.toContain('c0de');
});

it('an answer without an end, or of 50 MB, holds neither memory nor other people up', async () => {
  const endless: Lies = {
    answer: (reply) => {
      reply.setHeader('content-type', 'application/json');
      reply.write('{"access_token":"');
      const more = () => {
        for (let i = 0; i < 800 && !reply.destroyed; i++)
          if (!reply.write('a'.repeat(65_536))) return void reply.once('drain', more);
        reply.end('"}');
      };
      more();
    },
  };
  const before = process.memoryUsage().rss;
  const { status, who } = await signIn(endless);
  expect([who, status < 500]).toEqual([null, true]);
  expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
});

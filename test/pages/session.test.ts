/** What a browser can do with its cookie: keep it, and nothing else. */
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { addSessions } from '../../src/pages/session.ts';

const KEY = new Uint8Array(32).fill(7);
let now = 1_000;
let nonce = 0;

async function aServer(key: Uint8Array = KEY) {
  const app = Fastify();
  await addSessions(app, {
    key,
    cookieName: 'tieout',
    cookie: { path: '/', httpOnly: true, sameSite: 'lax' },
    longestMs: 60_000,
    now: () => now,
    random: (bytes) => new Uint8Array(bytes).fill(++nonce),
  });
  app.get('/in', (request) => {
    request.session.set('secret', 'of Ada');
    return '';
  });
  app.get('/who', (request) => ({ secret: request.session.get('secret') ?? null }));
  app.get('/out', (request) => {
    request.session.clear();
    return '';
  });
  return app;
}

afterEach(() => {
  now = 1_000;
});

type App = Awaited<ReturnType<typeof aServer>>;
const cookieOf = async (app: App, path: string, cookies = {}) =>
  (await app.inject({ url: path, cookies })).cookies[0] as { value: string; httpOnly?: boolean; maxAge?: number };
const who = async (app: App, tieout: string) => (await app.inject({ url: '/who', cookies: { tieout } })).json().secret;

it('keeps values for its browser, unreadable, until it ends', async () => {
  const app = await aServer();
  const cookie = await cookieOf(app, '/in');
  expect(cookie.httpOnly).toBe(true);
  expect(Buffer.from(cookie.value, 'base64url').toString('latin1')).not.toContain('Ada');
  expect(await who(app, cookie.value)).toBe('of Ada');
  // An answer that changes nothing sets no cookie.
  expect((await app.inject({ url: '/who', cookies: { tieout: cookie.value } })).cookies).toEqual([]);
  now += 59_999;
  expect(await who(app, cookie.value)).toBe('of Ada');
  now += 1;
  expect(await who(app, cookie.value)).toBeNull();
});

it('is emptied at the end', async () => {
  const app = await aServer();
  const { value } = await cookieOf(app, '/in');
  expect(await cookieOf(app, '/out', { tieout: value })).toMatchObject({ value: '', path: '/' });
});

it('is not a session when any byte was changed, or another key sealed it', async () => {
  const app = await aServer();
  const { value } = await cookieOf(app, '/in');
  const bytes = Buffer.from(value, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
    expect(await who(app, changed.toString('base64url')), `byte ${at}`).toBeNull();
  }
  expect(await who(await aServer(new Uint8Array(32)), value)).toBeNull();
  for (const text of ['', 'x', value.slice(0, 20), 'ü;drop', 'a'.repeat(4000)]) expect(await who(app, text)).toBeNull();
});

/** The receiver in production form: the whole application over a database in a temporary folder, with a clock that tests set. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../../config/load.ts';
import { type App, openApp } from '../../../src/app/app.ts';
import { type Serving, startServing } from '../../../src/app/serve.ts';
import type { Kind } from '../../../src/domain/record.ts';
import { RULES } from '../../../src/rules/index.ts';
import { createSystemClock } from '../../../src/runner/clock.ts';
import { Releasers } from '../../../src/runner/releasers.ts';
import { copyEmptyDatabase } from '../../support/empty-database.ts';

export const INTAKE_TOKEN = 'intake-token-0123456789';
const INTAKE = { authorization: `Bearer ${INTAKE_TOKEN}` };
/** Five minutes after the purchase of test/service/bodies.ts was created. */
export const NOW = Date.UTC(2026, 10, 1, 10, 5);

export interface Receiver {
  app: App;
  serving: Serving;
  folder: string;
  /** The log as one text. */
  logged: () => string;
  goTo(instant: number): void;
  /** Signs like the Service and sends. */
  webhook(
    kind: Kind,
    body: string,
    options?: { query?: string; key?: KeyObject; headers?: Record<string, string> },
  ): Promise<Answer>;
  post(path: string, body: string | Buffer, headers?: Record<string, string>): Promise<Answer>;
  event(body: string, query?: string): Promise<Answer>;
  get(path: string): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

/**
 * The signed form of a body whose numbers JavaScript prints unchanged: keys sorted by a code of our own,
 * so that the code under test does not check itself.
 */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedText(Reflect.get(value, key))}`).join(',')}}`;
}

export function signatureOf(body: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(sortedText(JSON.parse(body))), key).toString('base64');
}

export async function aReceiver(
  env: Record<string, string> = {},
  flags: Record<string, string> = {},
): Promise<Receiver> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-serve-'));
  const releasers = new Releasers();
  releasers.push('folder', () => rmSync(folder, { recursive: true, force: true }));
  try {
    return await startReceiver(folder, releasers, env, flags);
  } catch (error) {
    await releasers.release();
    throw error;
  }
}

async function startReceiver(
  folder: string,
  releasers: Releasers,
  env: Record<string, string>,
  flags: Record<string, string>,
): Promise<Receiver> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const lines: string[] = [];
  const log = {
    info: (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`),
    warn: (message: string) => void lines.push(message),
    error: (message: string) => void lines.push(message),
  };
  let now = NOW;
  const real = createSystemClock();
  const settings: Record<string, string> = {
    'webhooks.port': '0',
    'database.url': `sqlite:${join(folder, 'tieout.db')}`,
    'service.rateLimits': 'off',
    'service.retries': '0',
    out: join(folder, 'out'),
    ...flags,
  };
  await copyEmptyDatabase(join(folder, 'tieout.db'));
  const stop = new AbortController();
  const app = await openApp({
    loaded: loadSettings({
      flags: Object.entries(settings).map(([path, value]) => ({ flag: 'test', path: path.split('.'), value })),
      configFile: undefined,
      env: {
        TIEOUT_WEBHOOK_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
        TIEOUT_INTAKE_TOKEN: INTAKE_TOKEN,
        ...env,
      },
      readFile: () => {
        throw Object.assign(new Error('no settings file'), { code: 'ENOENT' });
      },
      known: { rules: RULES.map(({ code }) => code) },
    }),
    clock: { monotonic: real.monotonic, wall: { now: () => now, sleep: real.wall.sleep } },
    releasers,
    random: () => 0,
    signal: stop.signal,
    log,
  });
  const serving = await startServing(app, log);
  const post: Receiver['post'] = async (path, body, headers = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    return answer(
      await fetch(serving.url + path, { ...init, body: typeof body === 'string' ? body : new Uint8Array(body) }),
    );
  };
  return {
    app,
    serving,
    folder,
    logged: () => lines.join('\n'),
    goTo: (instant) => {
      now = instant;
    },
    webhook: (kind, body, { query = '', key = privateKey, headers = {} } = {}) =>
      post(`/webhooks/${kind}s${query}`, body, { 'x-body-signature': signatureOf(body, key), ...headers }),
    post,
    event: (body, query = '') => post(`/events${query}`, body, INTAKE),
    get: async (path) => answer(await fetch(serving.url + path)),
    close: async () => {
      stop.abort();
      await serving.close();
      await releasers.release();
    },
  };
}

async function answer(response: Response): Promise<Answer> {
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/**
 * The session of a browser: a few values in a cookie, encrypted and authenticated (AES-256-GCM), so that no server keeps them.
 * What cannot be opened, or is older than a session may be, is no session.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import cookie, { type CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';

interface SessionValues {
  /** Of the session of a person. */
  secret?: string | undefined;
  /** A message that the next page shows. */
  said?: { text: string; tone: 'good' | 'bad' | 'warn' } | undefined;
  /** State of a sign-in by OpenID Connect that has begun. */
  oidc?: { state: string; nonce: string; verifier: string; next: string } | undefined;
  /** The secret of the tokens in forms: @fastify/csrf-protection writes and reads it. */
  _csrf?: string | undefined;
}

interface SessionTerms {
  /** 32 bytes. */
  key: Uint8Array;
  cookieName: string;
  cookie: CookieSerializeOptions;
  longestMs: number;
  now: () => number;
  random: (bytes: number) => Uint8Array;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a request reads and changes of its session. */
function sessionOf(given: SessionValues) {
  let values = given;
  let hasChanged = false;
  const change = (to: SessionValues) => {
    values = to;
    hasChanged = true;
  };
  const isKept = () => Object.values(values).some((value) => value !== undefined);
  return {
    get: <K extends keyof SessionValues>(name: K): SessionValues[K] => values[name],
    set: <K extends keyof SessionValues>(name: K, value: SessionValues[K]) => change({ ...values, [name]: value }),
    /** Forgets everything: the next answer has an empty cookie, or what is set afterwards. */
    clear: () => change({}),
    /** Undefined where nothing has changed; null where nothing is left to keep. */
    changed: () => (hasChanged ? (isKept() ? values : null) : undefined),
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    session: ReturnType<typeof sessionOf>;
  }
}

/** Before any plugin that reads `request.session`. */
export async function addSessions(app: FastifyInstance, terms: SessionTerms): Promise<void> {
  await app.register(cookie);
  app.decorateRequest('session');
  app.addHook('onRequest', async (request) => {
    request.session = sessionOf(opened(request.cookies[terms.cookieName] ?? '', terms) ?? {});
  });
  app.addHook('onSend', async ({ session }, reply) => {
    const values = session?.changed();
    if (values === undefined) return;
    if (values === null) reply.clearCookie(terms.cookieName, terms.cookie);
    else reply.setCookie(terms.cookieName, sealed(values, terms), terms.cookie);
  });
}

function sealed(values: SessionValues, { key, now, random }: SessionTerms): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const text = JSON.stringify({ values, at: now() });
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function opened(text: string, { key, now, longestMs }: SessionTerms): SessionValues | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    const { values, at } = JSON.parse(Buffer.concat([body, decipher.final()]).toString()) as {
      values: SessionValues;
      at: number;
    };
    return now() - at < longestMs ? values : null;
  } catch {
    // It was sealed with another key, or is forged.
    return null;
  }
}

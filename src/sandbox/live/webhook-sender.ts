/**
 * Delivers webhooks (field facts "Webhooks"): at once, and after a failure four times more, three minutes apart. Then
 * the event is dropped for good, without a list or a replay.
 */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import stringify from 'fast-json-stable-stringify';
import { UsageError } from '../../domain/errors.ts';
import type {
  Environment,
  SandboxInstant,
  SandboxKind,
  ShownWebhook,
  WebhookAttempt,
  WebhookState,
} from '../contract.ts';
import { isoText } from '../record-bodies.ts';
import type { ScheduledTask, TaskSchedule } from './task-schedule.ts';

const RETRIES = 4;
const APART = 3 * 60_000;

interface Webhook {
  kind: SandboxKind;
  recordId: string;
  type: string;
  url: string;
  environment: Environment;
  /** The envelope with the record in it. */
  body: object;
}

interface SentWebhook {
  readonly number: number;
  readonly webhook: Webhook;
  readonly text: string;
  readonly signature: string;
  state: WebhookState;
  readonly attempts: WebhookAttempt[];
  next: ScheduledTask | null;
}

export function createWebhookSender(
  schedule: TaskSchedule,
  now: () => SandboxInstant,
  signers: Readonly<Record<Environment, ReturnType<typeof createSigner>>>,
) {
  const sentWebhooks: SentWebhook[] = [];
  const closing = new AbortController();

  async function attempt(sent: SentWebhook, target: Extract<Target, { ok: true }>): Promise<void> {
    const at = now();
    sent.next = null;
    const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: sent.signature };
    const answer = await post(target.url, target.path, headers, sent.text, closing.signal);
    if (closing.signal.aborted) return;
    sent.attempts.push({ at: isoText(at), ...answer });
    if (answer.problem === null) sent.state = 'delivered';
    else if (sent.attempts.length > RETRIES) sent.state = 'dropped';
    else sent.next = schedule.after(at, APART, () => void attempt(sent, target));
  }

  return {
    deliver(webhook: Webhook) {
      const target = readTarget(webhook.url);
      const sent: SentWebhook = {
        number: sentWebhooks.length + 1,
        webhook,
        // The bytes are fixed now: a repeated delivery shows the record at the time of the event.
        text: JSON.stringify(webhook.body),
        signature: signers[webhook.environment].sign(webhook.body),
        state: target.ok ? 'pending' : 'refused',
        attempts: [],
        next: null,
      };
      sentWebhooks.push(sent);
      if (target.ok) void attempt(sent, target);
      else sent.attempts.push({ at: isoText(now()), status: null, problem: target.problem });
    },
    deliveries: (): readonly ShownWebhook[] =>
      sentWebhooks.map(({ number, webhook: { kind, recordId, type, url }, state, attempts, next }) => {
        const nextAttemptAt = next === null ? null : isoText(next.due());
        return { number, kind, recordId, type, url, state, attempts, nextAttemptAt };
      }),
    /** Aborts deliveries in progress. */
    close: () => closing.abort(),
  };
}

// One attempt to deliver a webhook over HTTP.
interface PostAnswer {
  /** Null where no answer came. */
  status: number | null;
  /** Null for a 2xx. */
  problem: string | null;
}

/** Milliseconds of real time, not of the sandbox's clock, after which an attempt has failed. */
const PATIENCE = 10_000;

/**
 * Never rejects: a failure is an answer with a problem. Redirects are not followed: the receiver has not taken the body.
 * @param path path and query, sent as they are.
 */
export function post(
  url: URL,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<PostAnswer> {
  const { promise, resolve } = Promise.withResolvers<PostAnswer>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = send({
    method: 'POST',
    // Node wants an IPv6 address without the brackets of a URL.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? undefined : url.port,
    path,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
    agent: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
  });
  sent.on('error', ({ name, code }: NodeJS.ErrnoException) => {
    const isLate = name === 'TimeoutError' || code === 'ABORT_ERR';
    const why = code === 'ECONNREFUSED' ? 'connection refused' : `not delivered (${code ?? name})`;
    resolve({ status: null, problem: isLate ? 'no answer in time' : why });
  });
  sent.on('response', (response) => {
    const status = response.statusCode ?? 0;
    response.on('error', () => undefined);
    response.resume();
    resolve({ status, problem: status >= 200 && status < 300 ? null : `answered ${status}` });
  });
  sent.end(body);
  return promise;
}

/** A sandbox calls only loopback addresses, so that a developer's mistake sends nothing to another machine. */
export type Target = { ok: true; url: URL; path: string } | { ok: false; problem: string };

/** Reads a webhook address; its path and query are kept letter for letter where HTTP allows it. */
export function readTarget(text: string): Target {
  const url = URL.parse(text);
  if (url === null) return { ok: false, problem: 'it is not a whole URL' };
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { ok: false, problem: 'only http and https addresses are called' };
  if (url.username !== '' || url.password !== '')
    return { ok: false, problem: 'it must not hold a user name or password' };
  if (!/^(?:localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(url.hostname))
    return { ok: false, problem: 'a sandbox calls only addresses of this machine (127.0.0.1, ::1, localhost)' };
  return { ok: true, url, path: rawPath(text) ?? `${url.pathname}${url.search}` };
}

/** A URL parser rewrites an apostrophe in a query; webhook addresses keep their query unchanged. Null for a path that HTTP cannot send. */
function rawPath(text: string): string | null {
  const found = /^https?:\/\/[^/?#\\]+([/?][^#]*)?/i.exec(text.trim());
  if (found === null) return null;
  const path = found[1] ?? '/';
  if (!/^[\x21-\x7e]*$/.test(path) || path.includes('\\')) return null;
  return path.startsWith('?') ? `/${path}` : path;
}

// Signs webhooks as the Service does (field facts "Webhooks"): ECDSA on secp256k1 with SHA-256, DER, base64, over the body
// printed with sorted keys and no white space.

export const SIGNATURE_HEADER = 'X-Body-Signature';

const notAKey = (cause?: unknown) =>
  new UsageError('webhookPrivateKey is not a private key that can sign webhooks', {
    remedy: 'give a PEM private key on the curve secp256k1',
    cause,
  });

/** @param privateKey PEM; without one a pair is made. @throws UsageError for another key */
export function createSigner(privateKey: string | undefined) {
  const key =
    privateKey === undefined ? generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey : read(privateKey);
  return {
    /** PEM, SPKI: what a receiver is configured with. */
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    /** The value of the header for a body, which is signed as JSON and not as bytes. */
    sign: (body: object) =>
      sign('sha256', Buffer.from(stringify(body), 'utf8'), { key, dsaEncoding: 'der' }).toString('base64'),
  };
}

function read(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw notAKey(error);
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'secp256k1') throw notAKey();
  return key;
}

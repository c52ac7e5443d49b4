/** Inputs put before the functions that read them; each must end within a second, throw nothing of its own, and keep no secret. */

import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { Scrubber } from '../../src/cli/scrub.ts';
import { readTrackedFile } from '../../src/intake/read-tracked-file.ts';
import { readAnswer } from '../../src/service/answer.ts';
import { fetchRecord } from '../../src/service/fetch-record.ts';
import { KnownTokens } from '../../src/service/known-tokens.ts';
import { parseQuoteLine } from '../../src/service/quote-line.ts';
import { createUrls } from '../../src/service/urls.ts';
import { readWebhookBody } from '../../src/service/webhook-body.ts';
import { verifyWebhook } from '../../src/service/webhook-signature.ts';
import { idsFile, purchaseBody, quoteLine, saleBody, TOKEN } from './inputs.ts';
import { hasSecret } from './secrets.ts';

const LONGEST_MS = 1000;
const ID = 'fuzzed1';
const NO_SIGNATURE = Buffer.from('3006020101020101', 'hex').toString('base64');
const KEY = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

/** The text of a value as it would be stored; the token itself travels in one field alone. */
const asText = (value: unknown) =>
  JSON.stringify(value, (key, each) =>
    key === 'token' ? undefined : typeof each === 'bigint' ? String(each) : each,
  ) ?? '';

export async function soon<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  // Processor time: a busy machine is no hang.
  const before = process.threadCpuUsage();
  const done = await work();
  const { user, system } = process.threadCpuUsage(before);
  const took = (user + system) / 1000;
  if (took > LONGEST_MS) throw new Error(`${what} took ${Math.round(took)} ms`);
  return done;
}

function keepsNone(what: string, value: unknown): void {
  if (hasSecret(asText(value))) throw new Error(`${what} kept the token`);
}

async function asAnswer(body: string, kind: 'purchase' | 'sale', status: number): Promise<void> {
  const answer = readAnswer({ status, contentType: 'application/json', retryAfterMs: null, body: Buffer.from(body) });
  const edges = {
    ask: async () => ({ type: 'answer', answer, attempts: 1 }) as const,
    urls: createUrls({ baseUrl: 'https://service.example/api' }),
    now: () => Date.UTC(2026, 10, 20),
    identifierName: 'Service',
    others: new KnownTokens(),
  };
  const result = await soon(`reading a ${kind}`, () =>
    fetchRecord(edges, { kind, id: ID, token: TOKEN }, { pace: 'paced' }),
  );
  keepsNone(`the answer about a ${kind}`, result);
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of Readable.from([Buffer.from(text)])) yield chunk as Uint8Array;
}

interface Chance {
  seed: number;
  numRuns: number;
  interruptAfterTimeLimit: number;
}

/** Of one part with the search for its smallest failure: slow failures would be made smaller for hours. */
export const LONGEST_SEARCH_MS = 60_000;

const CHECKS = {
  bodies: (chance: Chance) =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(purchaseBody(ID), saleBody(ID)),
        fc.constantFrom(200, 404, 400),
        async (body, status) => {
          await asAnswer(body, body.includes('"crypto"') ? 'sale' : 'purchase', status);
          await soon('scrubbing', () => new Scrubber().scrub(body));
        },
      ),
      chance,
    ),
  quotes: (chance: Chance) =>
    fc.assert(
      fc.asyncProperty(quoteLine, async (line) => {
        const read = await soon('reading a quote', () => parseQuoteLine(line, 'Service'));
        if (!read.ok) keepsNone('the refusal of a quote', read.problems);
      }),
      chance,
    ),
  files: (chance: Chance) =>
    fc.assert(
      fc.asyncProperty(idsFile, async (file) => {
        await soon('reading a file', async () => {
          try {
            for await (const item of readTrackedFile(bytesOf(file), { name: 'ids.csv', format: null, kind: null })) {
              if (item.type !== 'good') keepsNone('the report on a file', item);
            }
          } catch (error) {
            if (!(error instanceof Error) || error.name !== 'UnreadableFileError') throw error;
            keepsNone('the refusal of a file', error.message);
          }
        });
      }),
      chance,
    ),
  webhooks: (chance: Chance) =>
    fc.assert(
      fc.asyncProperty(purchaseBody(ID), async (body) => {
        await soon('a signature', () => verifyWebhook(body, NO_SIGNATURE, [KEY]));
        const read = await soon('a webhook', () => readWebhookBody(Buffer.from(body), 'purchase', 'Service'));
        if (read.outcome === 'record') keepsNone('a webhook', { ...read.delivered, token: null });
        else keepsNone('a webhook', read);
      }),
      chance,
    ),
} as const;

export type Part = keyof typeof CHECKS;
export const PARTS = Object.keys(CHECKS) as readonly Part[];

/** Runs one part; throws fast-check's report, with the smallest input that fails and the seed. */
export async function fuzzPart(part: Part, seed: number, numRuns: number): Promise<void> {
  await CHECKS[part]({ seed, numRuns, interruptAfterTimeLimit: LONGEST_SEARCH_MS });
}

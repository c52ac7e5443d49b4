/** Behind a proxy, every sender has the proxy's address: whom the receiver believes otherwise is `webhooks.trustProxy`. */
import { afterEach, expect, it } from 'vitest';
import { webhookSchemas } from '../../../src/app/serve-schemas.ts';
import type { ServerEdges } from '../../../src/intake/server/contract.ts';
import type { RunningServer } from '../../../src/intake/server/listen.ts';
import { startIntakeServer } from '../../../src/intake/server/server.ts';
import { aReceiver } from './a-receiver.ts';

let server: RunningServer | null = null;
afterEach(async () => server?.close());

/** One delivery a minute for each address. */
async function statuses(trustProxy: ServerEdges['trustProxy'], senders: readonly string[]): Promise<number[]> {
  server = await startIntakeServer({
    host: '127.0.0.1',
    port: 0,
    verify: null,
    intakeToken: null,
    monotonic: () => performance.now(),
    readWebhook: () => ({ outcome: 'no-record', eventType: 'x' }),
    readEvent: () => ({ outcome: 'no-record', eventType: 'x' }),
    readQuote: () => ({ ok: false, problems: [] }),
    accept: async () => 'stored',
    addQuote: async () => 'added',
    isReady: async () => undefined,
    figures: () => Promise.reject(new Error('not asked for')),
    onStored: () => undefined,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    documentation: { schemas: webhookSchemas('Service'), version: '0' },
    showsDocumentation: false,
    rateLimit: { requests: 1, perMs: 60_000 },
    ...(trustProxy === undefined ? {} : { trustProxy }),
  });
  const found: number[] = [];
  for (const sender of senders) {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': sender };
    const response = await fetch(`${server.url}/webhooks/purchases`, { method: 'POST', headers, body: '{}' });
    await response.text();
    found.push(response.status);
    // A refusal says how long to wait.
    if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  return found;
}

it('no forwarded address is trusted by default: a header does not make another sender', async () => {
  expect(await statuses(undefined, ['192.0.2.1', '192.0.2.2'])).toEqual([200, 429]);
});

it('a named proxy is believed: each sender behind it has an allowance of its own', async () => {
  expect(await statuses(['127.0.0.0/8'], ['192.0.2.1', '192.0.2.2', '192.0.2.1'])).toEqual([200, 200, 429]);
});

it('only the last address that no proxy of ours has written counts: what a sender writes before it is nothing', async () => {
  expect(await statuses(['127.0.0.1'], ['203.0.113.5, 192.0.2.1', '203.0.113.6, 192.0.2.1'])).toEqual([200, 429]);
});

it('a forwarded address from another peer is not trusted', async () => {
  expect(await statuses(['10.0.0.0/8'], ['192.0.2.1', '192.0.2.2'])).toEqual([200, 429]);
});

it('where every peer is trusted, senders name themselves, and a warning is logged', async () => {
  expect(await statuses(true, ['203.0.113.5, 192.0.2.1', '203.0.113.6, 192.0.2.1'])).toEqual([200, 200]);
  const receiver = await aReceiver({}, { 'webhooks.trustProxy': 'true' });
  expect(receiver.serving.notes.join()).toContain('name the proxies instead');
  await receiver.close();
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nightly } from '../../jobs/nightly.ts';
import { recheck } from '../../jobs/recheck.ts';
import { aReceiver, NOW, type Receiver } from '../intake/webhooks/a-receiver.ts';
import { aPurchase, PURCHASE_ID, TOKEN } from '../service/bodies.ts';
import { httpServer, type TestServer } from '../service/http-server.ts';

const NOTHING_ASKED = { businessDate: null, selection: null, resume: false, maxDurationMs: null, maxRequests: null };
const INITIALIZED = { status: '"INITIALIZED"', finalTxHash: undefined };

let service: TestServer;
let receiver: Receiver;
let body: string;
let status: number;
beforeEach(async () => {
  body = aPurchase();
  status = 200;
  service = await httpServer((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  receiver = await aReceiver({}, { 'service.url': service.baseUrl, 'quotes.captureOnCreated': 'false' });
});
afterEach(async () => {
  await receiver.close();
  await service.close();
});

const deliver = (fields = {}) =>
  receiver.webhook('purchase', `{"type":"CREATED","purchase":${aPurchase({ ...INITIALIZED, ...fields })}}`);
const run = () => receiver.app.run(recheck, NOTHING_ASKED);

describe('recheck', () => {
  it('asks the Service once for what a webhook spoke of, and verifies it', async () => {
    await deliver();
    receiver.goTo(NOW + 60_000);
    const result = await run();
    expect(service.requests.map(({ url }) => url)).toEqual([`/api/host-api/purchase/${PURCHASE_ID}?secret=${TOKEN}`]);
    expect(result).toMatchObject({ outcome: 'reconciled', tally: { population: 1 }, folder: '' });
    const [record] = await receiver.app.store.tracked.find(PURCHASE_ID);
    expect(record?.projection).toMatchObject({ status: 'RELEASED', lastVerifiedAt: NOW + 60_000 });
  });

  it('has nothing to do, and makes no run, until something new is delivered', async () => {
    expect(await run()).toMatchObject({ outcome: 'nothing-due' });
    await deliver();
    await run();
    expect(await run()).toMatchObject({ outcome: 'nothing-due' });
    // The same webhook again is no news.
    await deliver();
    expect(await run()).toMatchObject({ outcome: 'nothing-due' });
    expect(await receiver.app.store.runs.list({ limit: 10 })).toHaveLength(1);
    receiver.goTo(NOW + 120_000);
    await deliver({ status: '"PAYMENT_STARTED"', updatedAt: '"2026-11-01T10:06:00.000Z"' });
    expect(await run()).toMatchObject({ outcome: 'reconciled' });
    expect(service.requests).toHaveLength(2);
  });

  it('asks once even where the Service has no answer: the night comes back to it', async () => {
    await deliver();
    status = 404;
    body = '{"code":"NOT_FOUND","statusCode":404}';
    expect(await run()).toMatchObject({ outcome: 'reconciled', tally: { breaks: { opened: 1 } } });
    expect(await run()).toMatchObject({ outcome: 'nothing-due' });
    const breaks = await receiver.app.store.breaks.list({ limit: 10, offset: 0 });
    expect(breaks.map(({ rule }) => rule)).toEqual(['RECORD_MISSING']);
  });

  it('publishes nothing, and leaves its status changes to the next report', async () => {
    await deliver();
    receiver.goTo(NOW + 60_000);
    const result = await run();
    expect(result).toMatchObject({ run: { state: 'complete', publishedTo: null } });
    expect(existsSync(join(receiver.folder, 'out'))).toBe(false);
    // INITIALIZED → RELEASED was learned by polling, although a webhook should have announced it.
    expect(result).toMatchObject({ tally: { learnedByFetch: 1, webhooksMissed: 1 } });
    receiver.goTo(Date.UTC(2026, 10, 3, 4, 15));
    const night = await receiver.app.run(nightly, { ...NOTHING_ASKED, businessDate: '2026-11-02' });
    expect(night).toMatchObject({ outcome: 'reconciled', tally: { population: 1, learnedByFetch: 1 } });
  });
});

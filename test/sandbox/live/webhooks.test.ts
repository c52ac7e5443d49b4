import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { LiveRequest } from '../../../src/sandbox/contract.ts';
import { verifyWebhook } from '../../../src/service/webhook-signature.ts';
import { aSandbox, asObject, get } from '../a-sandbox.ts';
import { aReceiver, until } from './a-receiver.ts';

const buy = (webhookUrl: string): LiveRequest => ({
  kind: 'purchase',
  cryptoAssetSymbol: 'ETH_ETH',
  fiatCurrency: 'EUR',
  fiatValue: 100,
  method: 'CARD_PAYMENT',
  webhookUrl,
});
const sell = (webhookUrl: string): LiveRequest => ({ ...buy(webhookUrl), kind: 'sale', method: 'SEPA' });

const MINUTE = 60_000;

describe('the signature (field facts "Webhooks")', () => {
  it('verifies with the published key, over the body with sorted keys', async () => {
    await using receiver = await aReceiver();
    await using sandbox = await aSandbox();
    sandbox.live.create(buy(`${receiver.origin}/hook`));
    const [first] = await receiver.count(1);
    const pem = await (await fetch(`${sandbox.origin}/sandbox/webhook-key`)).text();
    expect(pem).toBe(sandbox.webhookPublicKey);
    const signature = String(first?.headers['x-body-signature']);
    expect(verifyWebhook(first?.text ?? '', signature, [pem])).toBe(true);
    expect(verifyWebhook((first?.text ?? '').replace('100', '101'), signature, [pem])).toBe(false);
    // Sent as it was made, not as it was signed: a receiver that checks the bytes instead would find out.
    const received = Buffer.from(first?.text ?? '');
    expect(verify('sha256', received, createPublicKey(pem), Buffer.from(signature, 'base64'))).toBe(false);
    expect(first?.headers['content-type']).toBe('application/json');
  });

  it('is made with a key that was given, and only with one on the right curve', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const webhookPrivateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await using sandbox = await aSandbox({ webhookPrivateKey });
    expect(sandbox.webhookPublicKey).toBe(pair.publicKey.export({ type: 'spki', format: 'pem' }).toString());
    const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
    for (const wrong of ['no key', other.export({ type: 'pkcs8', format: 'pem' }).toString()]) {
      await expect(aSandbox({ webhookPrivateKey: wrong })).rejects.toThrow(
        'give a PEM private key on the curve secp256k1',
      );
    }
  });
});

describe('the envelopes', () => {
  it('purchases: CREATED and RELEASED, without an event id, with the body of that moment', async () => {
    await using receiver = await aReceiver();
    await using sandbox = await aSandbox();
    const { id, viewToken } = sandbox.live.create(buy(receiver.origin));
    sandbox.advanceClock(10 * MINUTE);
    const bodies = (await receiver.count(2)).map(({ body }) => body);
    const released = bodies.find(({ type }) => type === 'RELEASED');
    expect(bodies.map((body) => Object.keys(body))).toEqual([
      ['type', 'purchase'],
      ['type', 'purchase'],
    ]);
    expect(bodies.find(({ type }) => type === 'CREATED')).toMatchObject({ purchase: { id, status: 'INITIALIZED' } });
    const { body } = await get(sandbox.url, `/host-api/purchase/${id}?secret=${viewToken}`);
    expect(released?.purchase).toEqual(body);
  });

  it('purchases: RETURNED, which no status is called', async () => {
    await using receiver = await aReceiver();
    await using sandbox = await aSandbox();
    sandbox.live.create({ ...buy(receiver.origin), outcome: 'returned' });
    sandbox.advanceClock(10 * MINUTE);
    await receiver.count(2);
    expect(receiver.received.map(({ body }) => [body.type, asObject(body.purchase).status]).sort()).toEqual([
      ['CREATED', 'INITIALIZED'],
      ['RETURNED', 'CANCELLED'],
    ]);
  });

  it.each([
    ['released', 'RELEASED'],
    ['expired', 'EXPIRED'],
  ] as const)('sales that are %s: CREATED and %s, with an event id and the mode', async (outcome, last) => {
    await using receiver = await aReceiver();
    await using sandbox = await aSandbox();
    const { id } = sandbox.live.create({ ...sell(receiver.origin), outcome });
    sandbox.advanceClock(10 * MINUTE);
    const bodies = (await receiver.count(2)).map(({ body }) => body);
    expect(bodies.map(({ type }) => type).sort()).toEqual(['CREATED', last]);
    for (const body of bodies) {
      expect(Object.keys(body)).toEqual(['id', 'type', 'mode', 'payload']);
      expect(body).toMatchObject({ mode: 'OFFRAMP', payload: { id } });
    }
    const eventIds = bodies.map((body) => body.id);
    expect(new Set([...eventIds, id]).size).toBe(3);
  });
});

describe('where they go', () => {
  it('gives the query back letter for letter', async () => {
    await using receiver = await aReceiver();
    await using sandbox = await aSandbox();
    sandbox.live.create(buy(`${receiver.origin}/in/here?userId=O'Neil&session=%2F%7e&empty=&x#part`));
    const [first] = await receiver.count(1);
    expect(first?.url).toBe("/in/here?userId=O'Neil&session=%2F%7e&empty=&x");
  });

  it.each([
    'http://192.0.2.7/hook',
    'https://app.example/hook',
    'http://127.0.0.1.example/hook',
    'http://user:secret@127.0.0.1/hook',
    'ftp://127.0.0.1/hook',
    'nowhere',
  ])('never calls %s, and says so', async (url) => {
    await using sandbox = await aSandbox();
    sandbox.live.create(buy(url));
    const { list } = await get(sandbox.origin, '/sandbox/deliveries');
    expect(list).toMatchObject([{ url, state: 'refused', nextAttemptAt: null, attempts: [{ status: null }] }]);
  });
});

describe('what fails is repeated', () => {
  it('four times, three minutes apart, with the same bytes; then it is dropped for good', async () => {
    await using receiver = await aReceiver([500, 404, 302, 503, 500]);
    await using sandbox = await aSandbox();
    sandbox.live.create({ ...buy(`${receiver.origin}/hook`), outcome: 'held' });
    const [only] = sandbox.live.deliveries();
    expect([only?.type, only?.state]).toEqual(['CREATED', 'pending']);
    for (let attempts = 1; attempts <= 5; attempts++) {
      await until(() => sandbox.live.deliveries()[0]?.attempts.length === attempts);
      sandbox.advanceClock(3 * MINUTE);
    }
    sandbox.advanceClock(600 * MINUTE);
    const [delivery] = (await get(sandbox.origin, '/sandbox/deliveries')).list;
    expect(delivery).toMatchObject({ type: 'CREATED', state: 'dropped', nextAttemptAt: null });
    expect(delivery?.attempts).toEqual([
      { at: '2026-11-01T03:10:00.000Z', status: 500, problem: 'answered 500' },
      { at: '2026-11-01T03:13:00.000Z', status: 404, problem: 'answered 404' },
      { at: '2026-11-01T03:16:00.000Z', status: 302, problem: 'answered 302' },
      { at: '2026-11-01T03:19:00.000Z', status: 503, problem: 'answered 503' },
      { at: '2026-11-01T03:22:00.000Z', status: 500, problem: 'answered 500' },
    ]);
    expect(receiver.received).toHaveLength(5);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(new Set(receiver.received.map(({ url }) => url))).toEqual(new Set(['/hook']));
  });

  it('until it succeeds', async () => {
    await using receiver = await aReceiver([500]);
    await using sandbox = await aSandbox({ speed: 60 });
    sandbox.live.create({ ...buy(receiver.origin), outcome: 'held' });
    await until(() => sandbox.live.deliveries()[0]?.attempts.length === 1);
    // Sixty times as fast: three seconds.
    expect(sandbox.live.deliveries()[0]?.nextAttemptAt).toBe('2026-11-01T03:10:03.000Z');
    sandbox.advanceClock(3_000);
    await until(() => sandbox.live.deliveries()[0]?.state === 'delivered');
    sandbox.advanceClock(60 * MINUTE);
    expect(receiver.received).toHaveLength(2);
  });

  it('records a refused connection', async () => {
    await using sandbox = await aSandbox();
    const gone = await aReceiver();
    await gone[Symbol.asyncDispose]();
    sandbox.live.create(buy(gone.origin));
    await until(() => sandbox.live.deliveries()[0]?.attempts.length === 1);
    expect(sandbox.live.deliveries()[0]?.attempts[0]).toMatchObject({ status: null, problem: 'connection refused' });
  });
});

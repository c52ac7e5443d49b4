import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveRequest } from '../../src/sandbox/contract.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { readEventBody, readWebhookBody } from '../../src/service/webhook-body.ts';
import { get, post } from '../sandbox/a-sandbox.ts';
import { aReceiver } from '../sandbox/live/a-receiver.ts';
import { aPurchase, aSale, PURCHASE_ID, SALE_ID, TOKEN } from '../service/bodies.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 0 });
});
afterAll(() => sandbox.close());

const BUY: LiveRequest = {
  kind: 'purchase',
  cryptoAssetSymbol: 'ETH_ETH',
  fiatCurrency: 'EUR',
  fiatValue: 100,
  method: 'CARD_PAYMENT',
};
const SELL: LiveRequest = { ...BUY, kind: 'sale', method: 'SEPA' };

const event = (body: object) => readEventBody(Buffer.from(JSON.stringify(body)), 'Service');

describe('§6.1 the created event carries the id and the view token', () => {
  it.each<[string, object, string]>([
    ['PURCHASE_CREATED', { purchase: JSON.parse(aPurchase()), purchaseViewToken: TOKEN }, PURCHASE_ID],
    ['OFFRAMP_SALE_CREATED', { sale: JSON.parse(aSale()), saleViewToken: TOKEN }, SALE_ID],
    // As the specification has it (§4.1, §5.3, §6.1): the token of a sale is called `purchaseViewToken`.
    [
      'OFFRAMP_SALE_CREATED',
      { sale: { ...JSON.parse(aSale()), purchaseViewToken: undefined }, purchaseViewToken: TOKEN },
      SALE_ID,
    ],
  ])('the SDK event %s is read by the product; an apiUrl changes nothing', (type, facts, id) => {
    const delivered = (payload: object) => {
      const reading = event({ type, payload, widgetInstanceId: 'w-1' });
      return reading.outcome === 'record' ? reading.delivered : undefined;
    };
    const told = delivered(facts);
    expect(told).toMatchObject({ id, token: TOKEN, eventType: type, state: { ok: true } });
    const elsewhere = delivered({ ...facts, apiUrl: 'https://elsewhere.example/api' });
    expect([elsewhere?.id, elsewhere?.token, elsewhere?.state]).toEqual([told?.id, told?.token, told?.state]);
  });

  it.each([
    ['bare', null, BUY],
    ['bare', null, SELL],
    ['envelope', 'CREATED', BUY],
    ['envelope', 'CREATED', SELL],
  ] as const)(
    'a %s webhook of the sandbox leads the product to the record (%s, %j)',
    async (webhooks, eventType, order) => {
      await using receiver = await aReceiver();
      await using sandbox = await aSpecSandbox({ records: 0, webhooks });
      const { id, viewToken } = sandbox.live.create({ ...order, webhookUrl: receiver.origin });
      const [first] = await receiver.count(1);
      expect(readWebhookBody(Buffer.from(first?.text ?? ''), order.kind, 'Service')).toMatchObject({
        delivered: { kind: order.kind, id, token: viewToken, eventType, state: { ok: true } },
      });
    },
  );
});

describe('§6.2 where events go, and what they carry', () => {
  it('purchase events to webhookStatusUrl, sale events to offrampWebhookV3Url, each with its own query', async () => {
    await using receiver = await aReceiver();
    const parameters = `?${new URLSearchParams({
      hostAppName: 'App',
      hostLogoUrl: 'https://app.example/l.svg',
      hostApiKey: sandbox.hostApiKey,
      enabledFlows: 'ONRAMP,OFFRAMP',
      webhookStatusUrl: `${receiver.origin}/purchases?userId=42`,
      offrampWebhookV3Url: `${receiver.origin}/sales?userId=42`,
    })}`;
    const order = {
      parameters,
      asset: 'ETH_ETH',
      currency: 'EUR',
      amount: '100',
      unit: 'fiat',
      country: null,
      address: '0x0000000000000000000000000000000000000001',
      outcome: 'released',
      quotedAt: '2026-11-01T03:10:00.000Z',
    };
    await post(sandbox.origin, '/widget/orders', { ...order, direction: 'onramp', method: 'CARD_PAYMENT' });
    await post(sandbox.origin, '/widget/orders', { ...order, direction: 'offramp', method: 'SEPA' });
    const urls = (await receiver.count(2)).map(({ url, body }) => `${url} ${'crypto' in body ? 'sale' : 'purchase'}`);
    expect([...urls].sort()).toEqual(['/purchases?userId=42 purchase', '/sales?userId=42 sale']);
  });

  it.each([
    ['purchase', BUY, '/host-api/purchase/'],
    ['payload', SELL, '/host-api/offramp/sale/'],
  ] as const)('the %s is the same object as the endpoint answers with', async (field, order, path) => {
    await using receiver = await aReceiver();
    await using enveloping = await aSpecSandbox({ records: 0, webhooks: 'envelope' });
    const bare = sandbox.live.create({ ...order, webhookUrl: receiver.origin });
    await receiver.count(1);
    const wrapped = enveloping.live.create({ ...order, webhookUrl: receiver.origin });
    const [plain, enclosed] = await receiver.count(2);
    expect(plain?.body).toEqual((await get(sandbox.url, `${path}${bare.id}?secret=${bare.viewToken}`)).body);
    expect(enclosed?.body[field]).toEqual(
      (await get(enveloping.url, `${path}${wrapped.id}?secret=${wrapped.viewToken}`)).body,
    );
  });

  it.each([
    ['purchase', aPurchase(), `{"type":"CREATED","purchase":${aPurchase()}}`],
    ['sale', aSale(), `{"id":"event-1","type":"CREATED","mode":"OFFRAMP","payload":${aSale()}}`],
  ] as const)(
    'a bare %s, as the specification has it, and one in its envelope are the same record',
    (kind, bare, wrapped) => {
      const [plain, enclosed] = [bare, wrapped].map((text) => readWebhookBody(Buffer.from(text), kind, 'Service'));
      if (plain?.outcome !== 'record' || enclosed?.outcome !== 'record') throw new Error('not read');
      expect(enclosed.delivered.state).toEqual(plain.delivered.state);
      expect([plain.delivered.eventType, enclosed.delivered.eventType]).toEqual([null, 'CREATED']);
    },
  );
});

describe('§6.3 names of event kinds are not shown', () => {
  it.each(['CREATED', 'RELEASED', 'RETURNED', 'ERROR', 'SOMETHING_NEW'])('a purchase event %s is kept', (type) => {
    const body = Buffer.from(`{"type":"${type}","purchase":${aPurchase()}}`);
    expect(readWebhookBody(body, 'purchase', 'Service')).toMatchObject({ delivered: { eventType: type } });
  });

  it.each(['WIDGET_CLOSE', 'WIDGET_CONFIG_DONE', 'WIDGET_CONFIG_FAILED', 'SEND_CRYPTO', 'SOMETHING_NEW'])(
    'an SDK event %s names no record, and is no error',
    (type) => {
      expect(event({ type, payload: null })).toEqual({ outcome: 'no-record', eventType: type });
    },
  );

  it.each([
    ['released', 'RELEASED'],
    ['returned', 'RETURNED'],
  ] as const)('the sandbox sends CREATED, and for one that is %s %s', async (outcome, last) => {
    await using receiver = await aReceiver();
    await using sandbox = await aSpecSandbox({ records: 0, webhooks: 'envelope' });
    sandbox.live.create({ ...BUY, outcome, webhookUrl: receiver.origin });
    sandbox.advanceClock(600_000);
    expect((await receiver.count(2)).map(({ body }) => body.type).sort()).toEqual(['CREATED', last]);
  });
});

describe('§6.4 delivery details are not shown', () => {
  it('so a delivery that fails is made again three minutes later, as in the field', async () => {
    await using receiver = await aReceiver([500]);
    await using sandbox = await aSpecSandbox({ records: 0 });
    sandbox.live.create({ ...BUY, outcome: 'held', webhookUrl: receiver.origin });
    await receiver.count(1);
    await expect.poll(() => sandbox.live.deliveries()[0]?.nextAttemptAt).toBe('2026-11-01T03:13:00.000Z');
    sandbox.advanceClock(180_000);
    const [first, second] = await receiver.count(2);
    expect(second?.text).toBe(first?.text);
    await expect.poll(() => sandbox.live.deliveries()[0]?.state).toBe('delivered');
  });
});

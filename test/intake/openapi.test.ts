import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPurchase, aSale } from '../service/bodies.ts';
import {
  type Checker,
  checkerOf,
  documentAt,
  faultsOf,
  type Json,
  operationsOf,
  withRoutes,
} from '../support/openapi.ts';
import { type Answer, aReceiver, INTAKE_TOKEN, type Receiver } from './webhooks/a-receiver.ts';

let receiver: Receiver;
let document: Json;
let checker: Checker;
let routes: string[];
beforeAll(async () => {
  const { started, routes: found } = await withRoutes(() => aReceiver());
  receiver = started;
  routes = found;
  document = await documentAt(receiver.serving.url);
  checker = checkerOf(document);
});
afterAll(() => receiver.close());

describe('the document of the receiver', () => {
  it('is valid OpenAPI 3.1 to an independent validator', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(await faultsOf(document)).toBeNull();
  });

  it('has every route of the server, and no other', () => {
    expect(operationsOf(document)).toEqual(routes);
    expect(routes).toEqual([
      'GET /docs',
      'GET /healthz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /readyz',
      'POST /events',
      'POST /quotes',
      'POST /webhooks/purchases',
      'POST /webhooks/sales',
    ]);
  });

  it('names the authentication of each endpoint', () => {
    const paths = document.paths as Record<string, { post?: Json }>;
    expect(paths['/webhooks/purchases']?.post?.security).toEqual([{ bodySignature: [] }]);
    expect(paths['/webhooks/sales']?.post?.security).toEqual([{ bodySignature: [] }]);
    expect(paths['/events']?.post?.security).toEqual([{ intakeToken: [] }]);
    expect(paths['/quotes']?.post?.security).toEqual([{ intakeToken: [] }]);
    expect((document.components as Json).securitySchemes).toMatchObject({
      bodySignature: { type: 'apiKey', in: 'header', name: 'X-Body-Signature' },
      intakeToken: { type: 'http', scheme: 'bearer' },
    });
  });

  it('has examples that are what they are examples of', () => {
    const { shown, faults } = checker.examples();
    expect(faults).toEqual([]);
    expect(shown).toBeGreaterThan(20);
  });

  it('holds no secret of the receiver that shows it', async () => {
    const page = await receiver.get('/docs');
    for (const text of [JSON.stringify(document), page.text]) expect(text).not.toContain(INTAKE_TOKEN);
  });
});

describe('what comes in and goes out is what the document says', () => {
  const faultOf = (operation: string, { status, text, headers }: Answer, expected: number) => {
    if (status !== expected) return `answered ${status}: ${text}`;
    const mediaType = headers.get('content-type')?.split(';')[0] ?? '';
    return checker.answer(operation, status, mediaType, mediaType === 'application/json' ? JSON.parse(text) : text);
  };

  it('webhooks, in their envelope and bare', async () => {
    const bodies = [
      ['purchase', aPurchase()],
      ['purchase', `{"type":"CREATED","purchase":${aPurchase()}}`],
      ['sale', aSale()],
      ['sale', `{"id":"e-1","type":"CREATED","mode":"OFFRAMP","payload":${aSale()}}`],
    ] as const;
    for (const [kind, body] of bodies) {
      const operation = `POST /webhooks/${kind}s`;
      expect(checker.request(operation, JSON.parse(body))).toBeNull();
      expect(faultOf(operation, await receiver.webhook(kind, body), 200)).toBeNull();
    }
    expect(checker.request('POST /webhooks/purchases', { type: 'CREATED' })).toMatch(/required/);
  });

  it('refused requests', async () => {
    const operation = 'POST /webhooks/purchases';
    expect(faultOf(operation, await receiver.webhook('purchase', '{}'), 400)).toBeNull();
    expect(faultOf(operation, await receiver.post('/webhooks/purchases', aPurchase()), 401)).toBeNull();
    const huge = `{"a":"${'x'.repeat(300_000)}"}`;
    expect(faultOf(operation, await receiver.post('/webhooks/purchases', huge), 413)).toBeNull();
    const xml = { 'content-type': 'application/xml' };
    expect(faultOf(operation, await receiver.post('/webhooks/purchases', '<a/>', xml), 415)).toBeNull();
    const stranger = aPurchase({ id: '"unknown12345678"', purchaseViewToken: undefined });
    expect(faultOf(operation, await receiver.webhook('purchase', stranger), 422)).toBeNull();
  });

  it('SDK events', async () => {
    const created = `{"type":"PURCHASE_CREATED","payload":{"purchase":${aPurchase()},"purchaseViewToken":"mg3voq92hd2mbdht"}}`;
    expect(checker.request('POST /events', JSON.parse(created))).toBeNull();
    expect(faultOf('POST /events', await receiver.event(created), 200)).toBeNull();
    expect(faultOf('POST /events', await receiver.event('{"type":"WIDGET_CLOSE","payload":null}'), 200)).toBeNull();
    expect(faultOf('POST /events', await receiver.post('/events', '{}'), 401)).toBeNull();
  });

  it('quotes', async () => {
    const authorization = `Bearer ${INTAKE_TOKEN}`;
    expect(faultOf('POST /quotes', await receiver.post('/quotes', '{}', { authorization }), 400)).toBeNull();
    expect(checker.request('POST /quotes', {})).toMatch(/quote_id/);
  });

  it('health, readiness and metrics', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json']) {
      expect(faultOf(`GET ${path}`, await receiver.get(path), 200)).toBeNull();
    }
  });
});

describe('whether the pages are there (webhooks.docs)', () => {
  const statuses = async (flags: Record<string, string>): Promise<number[]> => {
    const other = await aReceiver({}, flags);
    const found = [(await other.get('/openapi.json')).status, (await other.get('/docs')).status];
    await other.close();
    return found;
  };

  it.each([
    ['false', { 'webhooks.docs': 'false' }, [404, 404]],
    ['auto, on every address of the machine', { 'webhooks.host': '0.0.0.0' }, [404, 404]],
    ['auto, behind a proxy', { 'webhooks.trustProxy': 'true' }, [404, 404]],
    ['true, on every address of the machine', { 'webhooks.host': '0.0.0.0', 'webhooks.docs': 'true' }, [200, 200]],
  ])('%s', async (_name, flags, expected) => {
    expect(await statuses(flags)).toEqual(expected);
  });
});

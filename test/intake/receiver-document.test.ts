/** What the OpenAPI document promises to those who send, operation by operation. */
import { expect, it } from 'vitest';
import { webhookSchemas } from '../../src/app/serve-schemas.ts';
import { receiverDocument } from '../../src/intake/server/documentation.ts';
import { faultsOf, type Json, operationsOf } from '../support/openapi.ts';

interface Written {
  operationId: string;
  tags: string[];
  description?: string;
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<
    string,
    { headers?: Json; content: Record<string, { schema: Json; examples?: Record<string, { value: Json }> }> }
  >;
}

const documentOf = async (maker = 'Service') =>
  (await receiverDocument({ schemas: webhookSchemas(maker), version: '1.2.3' })) as Json & {
    paths: Record<string, Record<string, Written>>;
    components: { schemas: Record<string, Json> };
  };

/** Every value of a key, at any depth. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...valuesOf(key, inner)]);
}

const REFUSED = ['400', '401', '413', '415', '429', '503'];

it.each([
  ['POST /webhooks/purchases', 'takePurchase', 'webhooks', [...REFUSED, '422'], ['PurchaseWebhook', 'Purchase']],
  ['POST /webhooks/sales', 'takeSale', 'webhooks', [...REFUSED, '422'], ['SaleWebhook', 'Sale']],
  ['POST /events', 'takeEvent', 'intake', [...REFUSED, '404', '422'], ['Purchase', 'Sale']],
  ['POST /quotes', 'takeQuote', 'intake', [...REFUSED, '404', '409'], ['Quote']],
  ['GET /healthz', 'getHealth', 'upkeep', [], []],
  ['GET /readyz', 'getReadiness', 'upkeep', ['503'], []],
  ['GET /metrics', 'getMetrics', 'upkeep', ['503'], []],
  ['GET /openapi.json', 'getOpenApiDocument', 'documentation', [], []],
  ['GET /docs', 'getDocumentationPage', 'documentation', [], []],
])('%s is %s of %s, refused with %j, and takes %j', async (operation, operationId, tag, refused, bodies) => {
  const document = await documentOf();
  expect(await faultsOf(document)).toBeNull();
  expect(operationsOf(document)).toHaveLength(9);
  const [method = '', path = ''] = operation.split(' ');
  const written = document.paths[path]?.[method.toLowerCase()];
  expect(written).toMatchObject({ operationId, tags: [tag] });
  expect(Object.keys(written?.responses ?? {}).sort()).toEqual(['200', ...refused].sort());
  expect(valuesOf('$ref', written?.requestBody)).toEqual(bodies.map((name) => `#/components/schemas/${name}`));
});

it('a delivery is answered by what became of it', async () => {
  const { paths } = await documentOf();
  const outcomes = (path: string) => valuesOf('enum', paths[path]?.post?.responses[200]);
  const delivered = ['stored', 'repeated', 'late', 'unreadable', 'ignored'];
  for (const path of ['/webhooks/purchases', '/webhooks/sales', '/events']) expect(outcomes(path)).toEqual([delivered]);
  expect(outcomes('/quotes')).toEqual([['added', 'unchanged']]);
  expect(valuesOf('const', [paths['/healthz'], paths['/readyz'], paths['/openapi.json']])).toEqual([
    'ok',
    'ready',
    'not ready',
    '3.1.0',
  ]);
});

it('an event is one of the two that carry a record, or any other', async () => {
  const { paths } = await documentOf();
  const body = paths['/events']?.post?.requestBody?.content['application/json']?.schema;
  expect(valuesOf('const', body)).toEqual(['PURCHASE_CREATED', 'OFFRAMP_SALE_CREATED']);
  expect(valuesOf('required', body)).toEqual([
    ['purchase', 'purchaseViewToken'],
    ['type', 'payload'],
    ['sale'],
    ['type', 'payload'],
    ['type'],
  ]);
  expect(valuesOf('maxLength', body)).toEqual([64]);
});

it('each refusal has an example of its own status; those that pass say after how many seconds', async () => {
  const { paths } = await documentOf();
  for (const item of Object.values(paths)) {
    for (const { responses } of Object.values(item)) {
      for (const [status, { headers, content }] of Object.entries(responses)) {
        const media = content['application/json'];
        if (status === '200' || media?.schema.$ref !== '#/components/schemas/Refusal') continue;
        const { value } = media.examples?.refused ?? {};
        expect([status, value?.statusCode]).toEqual([status, Number(status)]);
        expect(String(value?.error)).toMatch(/\w/);
        const isPassing = status === '429' || status === '503';
        expect([status, headers]).toEqual([
          status,
          isPassing ? { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } } : undefined,
        ]);
      }
    }
  }
});

it('says what everything is, and where the addresses are set', async () => {
  const document = await documentOf();
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Tieout receiver', version: '1.2.3' },
    servers: [{ url: '/' }],
    tags: ['webhooks', 'intake', 'upkeep', 'documentation'].map((name) => ({ name })),
  });
  const { schemas, ...rest } = document.components;
  const texts = [...valuesOf('description', { ...document, components: rest }), ...valuesOf('summary', document.paths)];
  expect(texts.length).toBeGreaterThan(50);
  for (const text of texts) expect(String(text)).toMatch(/^[A-Z].*[\w.]$/s);
  expect(document.paths['/webhooks/purchases']?.post?.description).toContain('`webhookStatusUrl`');
  expect(document.paths['/webhooks/sales']?.post?.description).toContain('`offrampWebhookV3Url`');
  expect(Object.keys(schemas).sort()).toEqual([
    'Purchase',
    'PurchaseWebhook',
    'Quote',
    'Refusal',
    'Sale',
    'SaleWebhook',
  ]);
  expect(schemas.Refusal).toMatchObject({ required: ['statusCode', 'error'], additionalProperties: false });
});

it("has the maker's name in fields as the deployment has it", async () => {
  expect(JSON.stringify(await documentOf('Maker'))).toContain('"baseMakerFee"');
  expect(JSON.stringify(await documentOf('Maker'))).not.toContain('"baseServiceFee"');
});

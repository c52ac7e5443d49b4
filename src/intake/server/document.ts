/** What `tieout serve` takes and tells, as an OpenAPI 3.1 document. Loaded when somebody asks for it, and not before. */
import { z } from 'zod';
import type { Answer, ApiDescription, Endpoint, JsonObject } from '../../openapi/contract.ts';
import { openApiDocument } from '../../openapi/document.ts';
import { DOCUMENTATION_ENDPOINTS, DOCUMENTATION_TAG } from '../../openapi/pages.ts';
import type { DeliveredSchemas } from './contract.ts';

const refusal = z.strictObject({ statusCode: z.int(), error: z.string() });
const RETRY_AFTER = { 'Retry-After': z.int().describe('Seconds.') };

const refused = (statusCode: number, says: string, error: string): Answer => ({
  says,
  schema: refusal,
  examples: { refused: { statusCode, error } },
});

/** What every door may answer. Nobody learns which check failed before the one that shows who they are. */
const REFUSALS = {
  400: refused(400, 'The body cannot be taken.', 'the body cannot be taken: it is not JSON'),
  401: refused(401, 'Whoever sent this has not shown that they may.', 'unauthorized'),
  413: refused(413, 'The body is larger than 256 KiB.', 'the body is larger than 256 KiB'),
  415: refused(415, 'The body is compressed, or not `application/json`.', 'the body must be application/json'),
  429: { ...refused(429, 'Too many from one address.', 'too many requests'), headers: RETRY_AFTER },
  503: {
    ...refused(503, 'It could not be stored, and so it is not acknowledged: send it again.', 'try again later'),
    headers: RETRY_AFTER,
  },
} as const;

const CLOSED = refused(404, 'There is no such door here: `webhooks.intakeToken` is not set.', 'not found');
const UNTRACKED = refused(
  422,
  'An unknown record without a view token could never be fetched.',
  'the record is not tracked, and the body has no view token to track it by',
);
const CONFLICT = refused(409, 'Stored with other content.', 'this id is stored with other content, which stays');

const taken = (...outcomes: readonly [string, ...string[]]): Answer => ({
  says: 'It is on disk, or need not be.',
  schema: z.strictObject({ outcome: z.enum(outcomes) }),
});
const DELIVERED = ['stored', 'repeated', 'late', 'unreadable'] as const;

/** Integrators put a user or a session there; it comes back with the webhook unchanged, and is kept with the record. */
const ABOUT_QUERY = 'The query of the address is kept as the host reference of the record.';

function endpointsOf(bodies: DeliveredSchemas): readonly Endpoint[] {
  const webhook = { method: 'POST', tag: 'webhooks', needs: ['bodySignature'] } as const;
  const forwarded = { method: 'POST', tag: 'intake', needs: ['intakeToken'] } as const;
  return [
    {
      ...webhook,
      path: '/webhooks/purchases',
      id: 'takePurchase',
      summary: 'Purchases, as the Service sends them',
      about: `For \`webhookStatusUrl\`. ${ABOUT_QUERY}`,
      body: { about: 'In its envelope, or bare.', schema: z.union([bodies.purchaseWebhook, bodies.purchase]) },
      answers: { 200: taken(...DELIVERED), ...REFUSALS, 422: UNTRACKED },
    },
    {
      ...webhook,
      path: '/webhooks/sales',
      id: 'takeSale',
      summary: 'Sales, as the Service sends them',
      about: `For \`offrampWebhookV3Url\`. ${ABOUT_QUERY}`,
      body: { about: 'In its envelope, or bare.', schema: z.union([bodies.saleWebhook, bodies.sale]) },
      answers: { 200: taken(...DELIVERED), ...REFUSALS, 422: UNTRACKED },
    },
    {
      ...forwarded,
      path: '/events',
      id: 'takeEvent',
      summary: 'SDK events, as the front end of the app forwards them',
      about: `Events that speak of no record are answered with \`ignored\`. ${ABOUT_QUERY} An \`apiUrl\` is never called.`,
      body: { schema: eventOf(bodies), examples: { 'closed by the user': { type: 'WIDGET_CLOSE', payload: null } } },
      answers: { 200: taken(...DELIVERED, 'ignored'), ...REFUSALS, 404: CLOSED, 422: UNTRACKED },
    },
    {
      ...forwarded,
      path: '/quotes',
      id: 'takeQuote',
      summary: 'One quote that a user was shown',
      about: 'Request and response exactly as the Service has them, every digit of a number included.',
      body: { schema: bodies.quoteLine },
      answers: { 200: taken('added', 'unchanged'), ...REFUSALS, 404: CLOSED, 409: CONFLICT },
    },
    ...UPKEEP_ENDPOINTS,
    ...DOCUMENTATION_ENDPOINTS,
  ];
}

/** The facts are in `payload`, as the widget emits them, or beside `type`. */
function eventOf({ purchase, sale }: DeliveredSchemas): z.ZodType {
  const bought = { purchase, purchaseViewToken: z.string(), apiUrl: z.string().optional() };
  const sold = { sale, saleViewToken: z.string(), apiUrl: z.string().optional() };
  return z.union([
    z.looseObject({ type: z.literal('PURCHASE_CREATED'), payload: z.looseObject(bought) }),
    z.looseObject({ type: z.literal('OFFRAMP_SALE_CREATED'), payload: z.looseObject(sold) }),
    z.looseObject({ type: z.string().max(64) }),
  ]);
}

const isUp = (status: string): z.ZodType => z.strictObject({ status: z.literal(status) });

const UPKEEP_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/healthz',
    id: 'getHealth',
    tag: 'upkeep',
    summary: 'Whether the process answers',
    answers: { 200: { says: 'It does.', schema: isUp('ok') } },
  },
  {
    method: 'GET',
    path: '/readyz',
    id: 'getReadiness',
    tag: 'upkeep',
    summary: 'Whether the database can be used',
    answers: {
      200: { says: 'It can.', schema: isUp('ready') },
      503: { says: 'It cannot.', schema: isUp('not ready') },
    },
  },
  {
    method: 'GET',
    path: '/metrics',
    id: 'getMetrics',
    tag: 'upkeep',
    summary: 'Figures for Prometheus',
    answers: {
      200: { says: 'Text format of Prometheus.', schema: z.string(), mediaType: 'text/plain' },
      503: { ...REFUSALS[503], says: 'The database cannot be used.' },
    },
  },
];

const ABOUT = `Takes what the Service and the app send: a webhook is answered once it is on disk, so whatever was answered
with 2xx is not lost. Everything else is to be sent again, and repetitions change nothing.`;

/** @param version of the code that takes the deliveries */
export function receiverDocument(bodies: DeliveredSchemas, version: string): JsonObject {
  const api: ApiDescription = {
    title: 'Tieout receiver',
    version,
    about: ABOUT,
    tags: [
      { name: 'webhooks', about: 'From the Service, signed.' },
      { name: 'intake', about: 'From the app, with a bearer token.' },
      { name: 'upkeep', about: 'For whoever watches. Not limited.' },
      DOCUMENTATION_TAG,
    ],
    schemas: {
      Purchase: bodies.purchase,
      PurchaseWebhook: bodies.purchaseWebhook,
      Sale: bodies.sale,
      SaleWebhook: bodies.saleWebhook,
      Quote: bodies.quoteLine,
      Refusal: refusal,
    },
    renamed: bodies.renamed,
    security: {
      bodySignature: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Body-Signature',
        description:
          'Base64 of a DER ECDSA signature (secp256k1, SHA-256) over the body printed with sorted keys and no white space, by a key of `webhooks.publicKeys`. Not needed where `webhooks.requireSignature` is false.',
      },
      intakeToken: { type: 'http', scheme: 'bearer', description: 'The token that is set as `webhooks.intakeToken`.' },
    },
    endpoints: endpointsOf(bodies),
    webhooks: [],
  };
  return openApiDocument(api);
}

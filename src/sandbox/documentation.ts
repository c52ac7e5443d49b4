/** What the document says beside the schemas of the routes. */
import type { FastifyInstance } from 'fastify';
import { asExamples, collectRoutes, type Examples } from '../openapi/shared-document.ts';
import { SIGNATURE_HEADER } from './live/webhook-sender.ts';
import { examplesFor } from './schemas/examples.ts';
import type { ServiceSchemas } from './schemas/index.ts';

const ABOUT = `The Service on this machine: its REST API in three versions, the webhooks that it sends, and the widget page.
Everything under \`/api\` is the Service as it is specified; \`/sandbox\` is what only a sandbox has. No money moves here.

Numbers are exact decimals of up to 17 significant digits: a client that reads them as binary floating point loses some.
Crypto amounts are in wei or token units, as text. Bodies may hold fields that are not described; clients keep them.`;

const TAGS = [
  { name: 'v3', description: 'The current version (spec §4.1).' },
  { name: 'v2', description: 'Assets only (spec §4.2).' },
  { name: 'v1', description: 'Without a version in the path (spec §4.3).' },
  { name: 'webhooks', description: 'What the Service sends (spec §6).' },
  { name: 'sandbox', description: 'Exports, the answer key, and the levers of time. Neither limited nor counted.' },
  { name: 'widget', description: 'The hosted page, and the requests of that page.' },
  { name: 'documentation', description: 'What this server can do.' },
];

export const TITLE = 'On-ramp and off-ramp Service (sandbox)';

/** To be called before any route is added. */
export function describeSandbox(app: FastifyInstance, schemas: ServiceSchemas, identifierName: string): void {
  const about = {
    info: { title: TITLE, version: '3.0.0', description: ABOUT },
    tags: TAGS,
    components: {
      securitySchemes: {
        bodySignature: {
          type: 'apiKey',
          in: 'header',
          name: SIGNATURE_HEADER,
          description: 'A signature over the body, never over the address. See the header of each webhook.',
        },
      },
    },
    webhooks: webhooks(`base${identifierName}Fee`),
  } as const;
  collectRoutes(app, about, schemas);
}

/** To the address that the widget was given, with its query unchanged, in no guaranteed order. */
function webhooks(baseFee: string) {
  const { purchaseWebhook, saleWebhook } = examplesFor(baseFee);
  const delivery = (schema: string, examples: Examples) => ({
    tags: ['webhooks'],
    parameters: [
      {
        name: SIGNATURE_HEADER,
        in: 'header' as const,
        required: true,
        description:
          'Base64 of a DER ECDSA signature (secp256k1, SHA-256) over the body printed with sorted keys and no white space. High-S signatures are valid. The public key is at `GET /sandbox/webhook-key`.',
        schema: { type: 'string' as const },
      },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples: asExamples(examples) },
      },
    },
    responses: {
      200: { description: 'Any 2xx: the webhook is taken.' },
      500: {
        description: 'Anything else, or silence: repeated four times, three minutes apart, then dropped for good.',
      },
    },
    security: [{ bodySignature: [] }],
  });
  return {
    purchase: {
      post: {
        operationId: 'receivePurchase',
        summary: 'A purchase was created, released, or paid back',
        description: 'To `webhookStatusUrl`. There is no event id: `type` and the purchase itself say what happened.',
        ...delivery('PurchaseWebhook', purchaseWebhook),
      },
    },
    sale: {
      post: {
        operationId: 'receiveSale',
        summary: 'A sale was created, paid out, or has expired',
        description: 'To `offrampWebhookV3Url`. The outer `id` belongs to the event, never to the sale.',
        ...delivery('SaleWebhook', saleWebhook),
      },
    },
  };
}

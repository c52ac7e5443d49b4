/** `GET /openapi.json` and the page at `/docs`: @fastify/swagger makes the document from the schemas of the routes. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { documentOptions, documentPage, type Operation } from '../openapi/shared-document.ts';
import { SIGNATURE_HEADER } from './live/webhook-sender.ts';
import { type Answer, answer, type Examples } from './schemas/answers.ts';
import { examplesFor } from './schemas/examples.ts';
import type { ServiceSchemas } from './schemas/index.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Request bodies by the names under which the document shows them. */
    bodyExamples?: Examples;
  }
}

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

const TITLE = 'On-ramp and off-ramp Service (sandbox)';

/** To be called before any route is added: the plugin sees only routes that come after it. */
export function collectRoutes(app: FastifyInstance, schemas: ServiceSchemas, identifierName: string): void {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: TITLE, version: '3.0.0', description: ABOUT },
      // Relative to the address of the document: the server does not know its public names.
      servers: [{ url: '/' }],
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
    },
    ...documentOptions(schemas, addExamples),
  });
}

export function addDocumentation(app: FastifyInstance): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    '/openapi.json',
    {
      schema: {
        operationId: 'getOpenApiDocument',
        tags: ['documentation'],
        summary: 'This document: OpenAPI 3.1',
        response: { 200: answer('The document.', z.looseObject({ openapi: z.literal('3.1.0') })) },
      },
    },
    (_request, reply) => reply.header('cache-control', 'no-cache').send(app.swagger()),
  );
  app.register(documentPage(TITLE));
}

/** Examples and headers, which the library leaves out. */
function addExamples({ requestBody, responses }: Operation, { bodyExamples, response }: FastifySchema): void {
  const body = requestBody?.content['application/json'];
  if (body !== undefined && bodyExamples !== undefined) body.examples = asExamples(bodyExamples);
  for (const [status, { content = {}, headers }] of Object.entries(
    (response ?? {}) as Record<string, Partial<Answer>>,
  )) {
    const described = responses[status];
    if (described !== undefined && headers !== undefined)
      described.headers = Object.fromEntries(Object.entries(headers).map(([name, schema]) => [name, { schema }]));
    for (const [type, { examples }] of Object.entries(content)) {
      const media = described?.content?.[type];
      if (media !== undefined && examples !== undefined) media.examples = asExamples(examples);
    }
  }
}

function asExamples(examples: Examples) {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
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

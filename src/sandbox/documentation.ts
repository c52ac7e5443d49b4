/** `GET /openapi.json` and the page at `/docs`: @fastify/swagger makes the document from the schemas of the routes. */
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import { packageIfInstalled } from '../domain/optional-package.ts';
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
    convertConstToEnum: false,
    ...transforms(schemas),
  });
}

/** Adds the document and its page. The page loads nothing from another origin. */
const NO_PAGE =
  'This page needs the package @fastify/swagger-ui, which is not installed: npm install @fastify/swagger-ui@6\nThe document itself is at /openapi.json\n';

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
  app.register(async (page) => {
    page.addHook('onSend', async (_request, reply) => {
      reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    });
    const ui = await packageIfInstalled(() => import('@fastify/swagger-ui'));
    if (ui === null) {
      page.get('/docs', { schema: { hide: true } }, (_request, reply) => reply.code(501).send(NO_PAGE));
      return;
    }
    await page.register(ui.default, {
      routePrefix: '/docs',
      staticCSP: POLICY,
      theme: { title: TITLE },
      uiConfig: { layout: 'BaseLayout', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0 },
    });
  });
}

/** The scripts of the page set styles element by element. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The named schemas become components; examples and headers of answers, which the library leaves out, are added at the end. */
function transforms(named: ServiceSchemas): FastifyDynamicSwaggerOptions {
  const schemaRegistry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) schemaRegistry.add(schema, { id });
  const options = { schemaRegistry, zodToJsonConfig: { override: adapt } };
  const transform = createJsonSchemaTransform(options);
  const transformObject = createJsonSchemaTransformObject(options);
  const described = new Map<string, FastifySchema>();
  return {
    transform(route) {
      const { operationId } = route.schema ?? {};
      if (operationId !== undefined) described.set(operationId, route.schema);
      return transform(route);
    },
    transformObject(route) {
      const document = asWritten(transformObject(route));
      // @fastify/swagger-ui hides its own routes.
      document.paths['/docs'] = { get: PAGE };
      for (const item of Object.values(document.paths)) {
        for (const operation of Object.values(item)) addExamples(operation, described.get(operation.operationId));
      }
      return document;
    },
  };
}

type Media = Record<string, { schema: object; examples?: unknown }>;

interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  requestBody?: { content: Media };
  responses: Record<string, { description: string; headers?: unknown; content?: Media }>;
}

interface WrittenDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

const PAGE: Operation = {
  operationId: 'getDocumentationPage',
  tags: ['documentation'],
  summary: 'This document, to browse and to try out',
  responses: { 200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } } },
};

/** Schemas of requests and of answers are the same here: the library's second component for requests, `XInput`, goes. */
function asWritten(document: object): WrittenDocument {
  const text = JSON.stringify(document).replace(/(#\/components\/schemas\/\w+?)Input"/g, '$1"');
  const written = JSON.parse(text) as WrittenDocument;
  const { schemas } = written.components;
  for (const name of Object.keys(schemas)) if (`${name}Input` in schemas) delete schemas[`${name}Input`];
  return written;
}

function addExamples({ requestBody, responses }: Operation, schema: FastifySchema | undefined): void {
  const { bodyExamples, response } = schema ?? {};
  const body = requestBody?.content['application/json'];
  if (body !== undefined && bodyExamples !== undefined) body.examples = asExamples(bodyExamples);
  for (const [status, { content = {}, headers }] of Object.entries(
    (response ?? {}) as Record<string, Partial<Answer>>,
  )) {
    const described = responses[status];
    if (described !== undefined && headers !== undefined) {
      described.headers = Object.fromEntries(Object.entries(headers).map(([name, schema]) => [name, { schema }]));
    }
    for (const [type, { examples }] of Object.entries(content)) {
      const media = described?.content?.[type];
      if (media !== undefined && examples !== undefined) media.examples = asExamples(examples);
    }
  }
}

function asExamples(examples: Examples) {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

/** The library reads metadata from its own registry only; `describe` and `meta` write to the global one. */
function adapt({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }) {
  if (!('$ref' in jsonSchema)) Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
  // Further fields are allowed by default; the page would show made-up fields for an explicit `{}`.
  const { additionalProperties: more } = jsonSchema;
  if (typeof more === 'object' && Object.keys(more).length === 0) delete jsonSchema.additionalProperties;
  // The form that @fastify/swagger reads as an answer without a body.
  if (zodSchema._zod.def.type === 'undefined') jsonSchema.type = 'null';
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

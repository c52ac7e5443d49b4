/** `GET /openapi.json` and the page at `/docs`: @fastify/swagger makes the document from the schemas of the routes. */
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance, type FastifySchema } from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
  serializerCompiler,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import { packageIfInstalled } from '../../domain/optional-package.ts';
import type { Documentation } from './contract.ts';
import { type Answer, DOCUMENT_ROUTE, deliveryRoutes, Refusal, type Route, UPKEEP_ROUTES } from './routes.ts';

const TITLE = 'Tieout receiver';

const ABOUT = `Takes what the Service and the app send: a webhook is answered once it is on disk, so a delivery that was
answered with 2xx is not lost. Everything else is to be sent again, and repetitions change nothing.`;

const TAGS = [
  { name: 'webhooks', description: 'From the Service, signed.' },
  { name: 'intake', description: 'From the app, with a bearer token.' },
  { name: 'upkeep', description: 'For monitoring. Not limited.' },
  { name: 'documentation', description: 'What this server can do.' },
];

const SECURITY = {
  bodySignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Body-Signature',
    description:
      'Base64 of a DER ECDSA signature (secp256k1, SHA-256) over the body printed with sorted keys and no white space, by a key of `webhooks.publicKeys`. Not needed where `webhooks.requireSignature` is false.',
  },
  intakeToken: { type: 'http', scheme: 'bearer', description: 'The token that is set as `webhooks.intakeToken`.' },
} as const;

/** The document without a server. */
export async function receiverDocument(documentation: Documentation): Promise<object> {
  const app = fastify();
  useSchemas(app);
  await collectRoutes(app, documentation);
  const routes: readonly Route[] = [
    ...Object.values(deliveryRoutes(documentation.schemas)),
    ...Object.values(UPKEEP_ROUTES),
  ];
  for (const route of routes) {
    app.route({ ...route, handler: () => null });
  }
  await addDocumentation(app);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}

/** Answers are serialised by their schemas; requests are read by the routes, after authentication. */
export function useSchemas(app: FastifyInstance): void {
  app.setSerializerCompiler(serializerCompiler);
  app.setValidatorCompiler(() => () => true);
}

/** To be called before any route is added: the plugin sees only routes that come after it. */
export async function collectRoutes(app: FastifyInstance, { schemas, version }: Documentation): Promise<void> {
  const { purchase, purchaseWebhook, sale, saleWebhook, quoteLine, renamed } = schemas;
  const schemaRegistry = z.registry<{ id: string }>();
  const named = {
    Purchase: purchase,
    PurchaseWebhook: purchaseWebhook,
    Sale: sale,
    SaleWebhook: saleWebhook,
    Quote: quoteLine,
    Refusal,
  };
  for (const [id, schema] of Object.entries(named)) schemaRegistry.add(schema, { id });
  const options = { schemaRegistry, zodToJsonConfig: { override: adapt } };
  const transform = createJsonSchemaTransform(options);
  const transformObject = createJsonSchemaTransformObject(options);
  const described = new Map<string, FastifySchema>();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: TITLE, version, description: ABOUT },
      // Relative to the address of the document: the server does not know its public names.
      servers: [{ url: '/' }],
      tags: TAGS,
      components: { securitySchemes: SECURITY },
    },
    convertConstToEnum: false,
    transform(route) {
      const { operationId } = route.schema ?? {};
      if (operationId !== undefined) described.set(operationId, route.schema);
      return transform(route);
    },
    transformObject(route) {
      const document = asWritten(transformObject(route), renamed);
      for (const item of Object.values(document.paths)) {
        for (const { operationId, responses } of Object.values(item)) {
          addWhatIsLeftOut(responses, described.get(operationId)?.response);
        }
      }
      // @fastify/swagger-ui hides its own routes.
      document.paths['/docs'] = { get: PAGE };
      return document;
    },
  });
}

export async function addDocumentation(app: FastifyInstance): Promise<void> {
  app.route({
    ...DOCUMENT_ROUTE,
    handler: (_request, reply) => reply.header('cache-control', 'no-cache').send(app.swagger()),
  });
  await app.register(async (page) => {
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

const NO_PAGE =
  'This page needs the package @fastify/swagger-ui, which is not installed: npm install @fastify/swagger-ui@6\nThe document itself is at /openapi.json\n';

/** The page loads nothing from another origin. Its scripts set styles element by element. */
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

type Responses = Record<
  string,
  { description: string; headers?: object; content?: Record<string, { schema: object; examples?: object }> }
>;

interface WrittenDocument {
  paths: Record<string, Record<string, { operationId: string; responses: Responses }>>;
  components: { schemas: Record<string, unknown> };
}

const PAGE = {
  operationId: 'getDocumentationPage',
  tags: ['documentation'],
  summary: 'This document, to browse and to try out',
  responses: { 200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } } },
};

/** One component per schema: the library's second one for requests, `XInput`, goes. Fields get their wire names. */
function asWritten(document: object, renamed: Readonly<Record<string, string>>): WrittenDocument {
  let text = JSON.stringify(document).replace(/(#\/components\/schemas\/\w+?)Input"/g, '$1"');
  for (const [from, to] of Object.entries(renamed)) text = text.replaceAll(JSON.stringify(from), JSON.stringify(to));
  const written = JSON.parse(text) as WrittenDocument;
  const { schemas } = written.components;
  for (const name of Object.keys(schemas)) if (`${name}Input` in schemas) delete schemas[`${name}Input`];
  return written;
}

/** Headers and examples of answers, which the library leaves out. */
function addWhatIsLeftOut(responses: Responses, answers: unknown): void {
  for (const [status, { headers, content }] of Object.entries((answers ?? {}) as Record<string, Answer>)) {
    const written = responses[status];
    if (written === undefined) continue;
    if (headers !== undefined) written.headers = headers;
    for (const [type, { examples }] of Object.entries(content)) {
      const media = written.content?.[type];
      if (media !== undefined && examples !== undefined) media.examples = examples;
    }
  }
}

/** The library reads metadata from its own registry only; `describe` and `meta` write to the global one. */
function adapt({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }) {
  if (!('$ref' in jsonSchema)) Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
  // Further fields are allowed by default; the page would show made-up fields for an explicit `{}`.
  const { additionalProperties: more } = jsonSchema;
  if (typeof more === 'object' && Object.keys(more).length === 0) delete jsonSchema.additionalProperties;
}

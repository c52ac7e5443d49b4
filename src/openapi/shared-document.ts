/** What the OpenAPI documents of both servers have in common; it says nothing of what they answer. @fastify/swagger makes them. */
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { packageIfInstalled } from '../domain/optional-package.ts';

/** Bodies by the names under which the document shows them. */
export type Examples = Readonly<Record<string, unknown>>;

declare module 'fastify' {
  interface FastifySchema {
    bodyExamples?: Examples;
  }
}

/** One answer of an endpoint, in the form that fastify and @fastify/swagger read. */
export interface Answer {
  description: string;
  /** By their names, as the document has them. */
  headers?: Readonly<Record<string, object>>;
  content: Readonly<Record<string, { schema: z.ZodType; examples?: Examples }>>;
}

type Media = Record<string, { schema: object; examples?: object }>;

interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  requestBody?: { content: Media };
  responses: Record<string, { description: string; headers?: object; content?: Media }>;
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

/**
 * To be called before any route is added: the plugin sees only routes that come after it. The named schemas become components.
 * @param renamed fields by the names of the schemas, with those on the wire
 */
export function collectRoutes(
  app: FastifyInstance,
  about: FastifyDynamicSwaggerOptions['openapi'],
  named: Readonly<Record<string, z.ZodType>>,
  renamed: Readonly<Record<string, string>> = {},
) {
  const schemaRegistry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) schemaRegistry.add(schema, { id });
  const options = { schemaRegistry, zodToJsonConfig: { override: adapt } };
  const transform = createJsonSchemaTransform(options);
  const transformObject = createJsonSchemaTransformObject(options);
  const described = new Map<string, FastifySchema>();
  return app.register(swagger, {
    // Relative to the address of the document: the server does not know its public names.
    openapi: { openapi: '3.1.0', servers: [{ url: '/' }], ...about },
    convertConstToEnum: false,
    transform(route) {
      const { operationId } = route.schema ?? {};
      if (operationId !== undefined) described.set(operationId, route.schema);
      return transform(route);
    },
    transformObject(route) {
      const document = asWritten(transformObject(route), renamed);
      for (const item of Object.values(document.paths))
        for (const operation of Object.values(item))
          addWhatIsLeftOut(operation, described.get(operation.operationId) ?? {});
      // @fastify/swagger-ui hides its own routes.
      document.paths['/docs'] = { get: PAGE };
      return document;
    },
  });
}

/** `GET /openapi.json` and the page at `/docs`; to be called after every other route. */
export function addDocument(app: FastifyInstance, title: string): void {
  const schema = z.looseObject({ openapi: z.literal('3.1.0') });
  app.get(
    '/openapi.json',
    {
      schema: {
        operationId: 'getOpenApiDocument',
        tags: ['documentation'],
        summary: 'This document: OpenAPI 3.1',
        response: { 200: { description: 'The document.', content: { 'application/json': { schema } } } },
      },
    },
    (_request, reply) => reply.header('cache-control', 'no-cache').send(app.swagger()),
  );
  app.register(documentPage(title));
}

/** Examples, and headers of answers. */
function addWhatIsLeftOut({ requestBody, responses }: Operation, { bodyExamples, response }: FastifySchema): void {
  const body = requestBody?.content['application/json'];
  if (body !== undefined && bodyExamples !== undefined) body.examples = asExamples(bodyExamples);
  const answers = Object.entries((response ?? {}) as Record<string, Partial<Answer>>);
  for (const [status, { content = {}, headers }] of answers) {
    const described = responses[status];
    if (described === undefined) continue;
    if (headers !== undefined) described.headers = headers;
    for (const [type, { examples }] of Object.entries(content)) {
      const media = described.content?.[type];
      if (media !== undefined && examples !== undefined) media.examples = asExamples(examples);
    }
  }
}

export function asExamples(examples: Examples) {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

/** One component per schema: the library's second one for requests, `XInput`, goes. */
function asWritten(document: object, renamed: Readonly<Record<string, string>>): WrittenDocument {
  let text = JSON.stringify(document).replace(/(#\/components\/schemas\/\w+?)Input"/g, '$1"');
  for (const [from, to] of Object.entries(renamed)) text = text.replaceAll(JSON.stringify(from), JSON.stringify(to));
  const written = JSON.parse(text) as WrittenDocument;
  const { schemas } = written.components;
  for (const name of Object.keys(schemas)) if (`${name}Input` in schemas) delete schemas[`${name}Input`];
  return written;
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

/** The plugin of the page at `/docs`. */
const documentPage = (title: string) => async (page: FastifyInstance) => {
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
    theme: { title },
    uiConfig: { layout: 'BaseLayout', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0 },
  });
};

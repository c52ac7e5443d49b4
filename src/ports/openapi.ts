/** How a server describes itself: `GET /openapi.json`, made by @fastify/swagger from the schemas of its routes, and the page at `/docs`. */
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { packageIfInstalled } from '../domain/optional-package.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Request bodies by the names under which the document shows them. */
    bodyExamples?: Examples;
  }
}

/** Bodies by the names under which the document shows them. */
export type Examples = Readonly<Record<string, unknown>>;

/** One answer of an endpoint, in the form that fastify and @fastify/swagger read. */
export interface Answer {
  description: string;
  /** JSON Schemas by header name. */
  headers?: Readonly<Record<string, object>>;
  content: Readonly<Record<string, { schema: z.ZodType; examples?: Examples }>>;
}

type OpenApi = Extract<FastifyDynamicSwaggerOptions, { openapi?: unknown }>['openapi'] & object;

export interface ServerDescription extends Pick<OpenApi, 'tags'> {
  title: string;
  version: string;
  about: string;
  securitySchemes: NonNullable<OpenApi['components']>['securitySchemes'];
  /** Of OpenAPI 3.1: what the server sends. */
  webhooks?: Readonly<Record<string, object>>;
  /** The components of the document. */
  schemas: Readonly<Record<string, z.ZodType>>;
  /** Names of fields, and what they are on the wire. */
  renamed?: Readonly<Record<string, string>>;
}

/** To be called before any route is added: the plugin sees only routes that come after it. */
export function collectRoutes(app: FastifyInstance, server: ServerDescription) {
  const { title, version, about, tags, webhooks, securitySchemes } = server;
  const schemaRegistry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(server.schemas)) schemaRegistry.add(schema, { id });
  const options = { schemaRegistry, zodToJsonConfig: { override: adapt } };
  const transform = createJsonSchemaTransform(options);
  const transformObject = createJsonSchemaTransformObject(options);
  const described = new Map<string, FastifySchema>();
  return app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description: about },
      // Relative to the address of the document: the server does not know its public names.
      servers: [{ url: '/' }],
      tags,
      components: { securitySchemes },
      ...(webhooks && { webhooks }),
    },
    convertConstToEnum: false,
    transform(route) {
      const { operationId } = route.schema ?? {};
      if (operationId !== undefined) described.set(operationId, route.schema);
      return transform(route);
    },
    transformObject(route) {
      const document = asWritten(transformObject(route), server.renamed ?? {});
      // @fastify/swagger-ui hides its own routes.
      document.paths['/docs'] = { get: PAGE };
      for (const item of Object.values(document.paths)) {
        for (const operation of Object.values(item)) addWhatIsLeftOut(operation, described.get(operation.operationId));
      }
      return document;
    },
  });
}

const NO_PAGE =
  'This page needs the package @fastify/swagger-ui, which is not installed: npm install @fastify/swagger-ui@6\nThe document itself is at /openapi.json\n';

/** Adds the document and its page, which loads nothing from another origin. */
export function addDocumentation(app: FastifyInstance, title: string) {
  const content = { 'application/json': { schema: z.looseObject({ openapi: z.literal('3.1.0') }) } };
  const schema = {
    operationId: 'getOpenApiDocument',
    tags: ['documentation'],
    summary: 'This document: OpenAPI 3.1',
    response: { 200: { description: 'The document.', content } },
  };
  app.get('/openapi.json', { schema }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(app.swagger()),
  );
  return app.register(async (page) => {
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

/** One component a schema: the library's second one for requests, `XInput`, goes. Fields get their names on the wire. */
function asWritten(document: object, renamed: Readonly<Record<string, string>>): WrittenDocument {
  let text = JSON.stringify(document).replace(/(#\/components\/schemas\/\w+?)Input"/g, '$1"');
  for (const [from, to] of Object.entries(renamed)) text = text.replaceAll(JSON.stringify(from), JSON.stringify(to));
  const written = JSON.parse(text) as WrittenDocument;
  const { schemas } = written.components;
  for (const name of Object.keys(schemas)) if (`${name}Input` in schemas) delete schemas[`${name}Input`];
  return written;
}

/** Examples, and headers of answers. */
function addWhatIsLeftOut({ requestBody, responses }: Operation, schema: FastifySchema | undefined): void {
  const { bodyExamples, response } = schema ?? {};
  const body = requestBody?.content['application/json'];
  if (body !== undefined && bodyExamples !== undefined) body.examples = asExamples(bodyExamples);
  const answers = (response ?? {}) as Record<string, Partial<Answer>>;
  for (const [status, { content = {}, headers }] of Object.entries(answers)) {
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

export function asExamples(examples: Examples) {
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

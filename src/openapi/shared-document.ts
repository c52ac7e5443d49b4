/** What the OpenAPI documents of both servers have in common; it says nothing of what they answer. @fastify/swagger makes them. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { packageIfInstalled } from '../domain/optional-package.ts';

type Media = Record<string, { schema: object; examples?: object }>;

export interface Operation {
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
 * The named schemas become components.
 * @param complete adds to an operation what the library leaves out of its schema
 * @param renamed fields by the names of the schemas, with those on the wire
 */
export function documentOptions(
  named: Readonly<Record<string, z.ZodType>>,
  complete: (operation: Operation, schema: FastifySchema) => void,
  renamed: Readonly<Record<string, string>> = {},
): FastifyDynamicSwaggerOptions {
  const schemaRegistry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) schemaRegistry.add(schema, { id });
  const options = { schemaRegistry, zodToJsonConfig: { override: adapt } };
  const transform = createJsonSchemaTransform(options);
  const transformObject = createJsonSchemaTransformObject(options);
  const described = new Map<string, FastifySchema>();
  return {
    convertConstToEnum: false,
    transform(route) {
      const { operationId } = route.schema ?? {};
      if (operationId !== undefined) described.set(operationId, route.schema);
      return transform(route);
    },
    transformObject(route) {
      const document = asWritten(transformObject(route), renamed);
      for (const item of Object.values(document.paths))
        for (const operation of Object.values(item)) complete(operation, described.get(operation.operationId) ?? {});
      // @fastify/swagger-ui hides its own routes.
      document.paths['/docs'] = { get: PAGE };
      return document;
    },
  };
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
export const documentPage = (title: string) => async (page: FastifyInstance) => {
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

/** `GET /openapi.json`, and the same to browse at `/docs`. Nothing is read, built or loaded until somebody asks for it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Endpoint, JsonObject } from './contract.ts';
import type { BrowsablePage } from './swagger-page.ts';

/** Adds the routes to a server. @param load the document; called once, and again after it failed. */
export function addDocumentation(app: FastifyInstance, load: () => Promise<JsonObject>): void {
  const document = once(load);
  const page = once<BrowsablePage>(async () => {
    const { openSwaggerPage } = await import('./swagger-page.ts');
    const found = await document.get();
    return openSwaggerPage(found, titleOf(found));
  });
  app.get('/openapi.json', async (_request, reply) => {
    const text = JSON.stringify(await document.get());
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text);
  });
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = await (await page.get()).answer(request);
    return reply.code(status).headers(headers).send(body);
  };
  app.get('/docs', show);
  app.get('/docs/*', show);
  app.addHook('onClose', async () => (await page.opened())?.close());
}

/** What the two pages are, for the document that they show. */
export const DOCUMENTATION_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'getOpenApiDocument',
    tag: 'documentation',
    summary: 'This document: OpenAPI 3.1',
    answers: { 200: { says: 'The document.', schema: z.looseObject({ openapi: z.literal('3.1.0') }) } },
  },
  {
    method: 'GET',
    path: '/docs',
    id: 'getDocumentationPage',
    tag: 'documentation',
    summary: 'This document, to browse and to try out',
    answers: { 200: { says: 'A page that loads nothing from elsewhere.', schema: z.string(), mediaType: 'text/html' } },
  },
];

export const DOCUMENTATION_TAG = { name: 'documentation', about: 'What this server can do.' };

function titleOf({ info }: JsonObject): string {
  const title = typeof info === 'object' && info !== null ? Reflect.get(info, 'title') : undefined;
  return typeof title === 'string' ? title : 'API';
}

interface Once<T> {
  get(): Promise<T>;
  /** Null where nobody has asked yet, or where it failed. */
  opened(): Promise<T | null>;
}

function once<T>(open: () => Promise<T>): Once<T> {
  let opening: Promise<T> | null = null;
  return {
    get() {
      opening ??= open().catch((error: unknown) => {
        opening = null;
        throw error;
      });
      return opening;
    },
    opened: async () => opening?.catch(() => null) ?? null,
  };
}

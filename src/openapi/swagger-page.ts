/** Swagger UI over a finished document, on an app of its own that listens nowhere: the server asks it, and passes it on. */
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fastify, { type FastifyRequest } from 'fastify';
import type { JsonObject } from './contract.ts';

export interface BrowsablePage {
  answer(request: FastifyRequest): Promise<PageAnswer>;
  close(): Promise<void>;
}

interface PageAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** The page runs its own files and asks its own server, and nobody else. Styles are set by its scripts, element by element. */
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

/** What the server that passes the answer on says for itself. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

type StaticDocument = StaticDocumentSpec['document'];

/** Reads the page's files from the installed packages; needs no network. */
export async function openSwaggerPage(document: JsonObject, title: string): Promise<BrowsablePage> {
  const app = fastify({ logger: false });
  await app.register(swagger, { mode: 'static', specification: { document: document as unknown as StaticDocument } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: POLICY,
    theme: { title },
    uiConfig: { layout: 'BaseLayout', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0 },
  });
  await app.ready();
  return {
    async answer({ method, url, headers }) {
      const answer = await app.inject({ method: method === 'HEAD' ? 'HEAD' : 'GET', url, headers });
      return { status: answer.statusCode, headers: passedOn(answer.headers), body: answer.rawPayload };
    },
    close: () => app.close(),
  };
}

function passedOn(headers: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  for (const [name, value] of Object.entries(headers)) {
    if (HOP_HEADERS.has(name)) continue;
    if (Array.isArray(value)) kept[name] = value.map(String);
    else if (value !== undefined) kept[name] = String(value);
  }
  return kept;
}

/** The HTTP server: prefixes, rate limiting, and both error envelopes around the routes. */
import fastify from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { addDocument } from '../openapi/shared-document.ts';
import { describeSandbox, TITLE } from './documentation.ts';
import { frameworkError, inOneShape, ServiceError } from './errors.ts';
import { assetRoutes } from './routes/assets.ts';
import { controlRoutes } from './routes/control.ts';
import { listRoutes } from './routes/lists.ts';
import { quoteRoutes } from './routes/quotes.ts';
import { recordRoutes } from './routes/records.ts';
import { inMessagesOfTheSchema, type Routes, type SandboxApp, type Site } from './routes/site.ts';
import { widgetRoutes } from './routes/widget.ts';

/** Under `/api`: rate-limited and counted. */
const API_ROUTES: readonly Routes[] = [assetRoutes, listRoutes, quoteRoutes, recordRoutes];

/** @param byEndpoint counts what arrives under `/api`, rejected requests included. */
export function buildServer(site: Site, byEndpoint: Map<string, number>): SandboxApp {
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    // The last value of a parameter that is given twice.
    routerOptions: { querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)) },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(inMessagesOfTheSchema);
  app.setSerializerCompiler(serializerCompiler);
  describeSandbox(app, site.schemas, site.identifierName);

  app.setErrorHandler((error, _request, reply) => {
    const answer = error instanceof ServiceError ? error : asFrameworkError(error);
    return reply.code(answer.statusCode).send(inOneShape(answer, site.bodies));
  });
  app.setNotFoundHandler((request, reply) => {
    // The path only: a query may hold a secret.
    const path = request.url.split('?', 1)[0] ?? '';
    const error = frameworkError(404, `Cannot ${request.method} ${path}`);
    return reply.code(error.statusCode).send(inOneShape(error, site.bodies));
  });

  // On the whole server and not on the prefix, because unknown paths under /api cost a request too.
  app.addHook('onRequest', async (request) => {
    if (!request.url.startsWith('/api/')) return;
    const path = request.routeOptions.url?.replace(/^\/api/, '') ?? '(unknown path)';
    const endpoint = `${request.method} ${path}`;
    byEndpoint.set(endpoint, (byEndpoint.get(endpoint) ?? 0) + 1);
    if (!site.limiter.admit(request.ip, site.clock.now()))
      throw frameworkError(429, 'ThrottlerException: Too Many Requests');
  });

  // A caller may check its clock against the header, which is the time of this machine and not of the sandbox's own clock.
  if (!site.datesAnswers) {
    app.addHook('onRequest', async (_request, reply) => {
      reply.raw.sendDate = false;
    });
  }

  app.register(async (api: SandboxApp) => API_ROUTES.forEach((routes) => void routes(api, site)), { prefix: '/api' });
  app.register(async (control: SandboxApp) => controlRoutes(control, site), { prefix: '/sandbox' });
  // A user's browser has an address of its own, so the page is neither limited nor counted.
  app.register(async (page: SandboxApp) => {
    widgetRoutes(page, site);
    addDocument(page, TITLE);
  });
  return app;
}

/** Requests refused by the server itself: unreadable JSON, another content type, too large a body. */
function asFrameworkError(error: unknown): ServiceError {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error && typeof error.statusCode === 'number'
      ? error.statusCode
      : 500;
  const message = error instanceof Error && status < 500 ? error.message : 'Internal server error';
  return frameworkError(status, message);
}

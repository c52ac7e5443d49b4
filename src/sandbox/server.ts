/** The HTTP server: prefixes, rate limiting, and both error envelopes around the routes. */
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { frameworkError, ServiceError } from './errors.ts';
import { API_ROUTES, CONTROL_ROUTES, DOCUMENTATION_ROUTES, WIDGET_ROUTES } from './routes/index.ts';
import type { Routes, Site } from './routes/site.ts';

export interface RequestCounters {
  byEndpoint: Map<string, number>;
}

/** @param counters counts what arrives under `/api`, rejected requests included. */
export function buildServer(site: Site, counters: RequestCounters): FastifyInstance {
  const app = fastify({ logger: false, forceCloseConnections: true });

  app.setErrorHandler((error, _request, reply) => {
    const answer = error instanceof ServiceError ? error : asFrameworkError(error);
    return reply.code(answer.statusCode).send(answer.body);
  });
  app.setNotFoundHandler((request, reply) => {
    // The path only: a query may hold a secret.
    const path = request.url.split('?', 1)[0] ?? '';
    const { statusCode, body } = frameworkError(404, `Cannot ${request.method} ${path}`);
    return reply.code(statusCode).send(body);
  });

  // On the whole server and not on the prefix, because unknown paths under /api cost a request too.
  app.addHook('onRequest', async (request) => {
    if (!request.url.startsWith('/api/')) return;
    const endpoint = endpointOf(request);
    counters.byEndpoint.set(endpoint, (counters.byEndpoint.get(endpoint) ?? 0) + 1);
    if (!site.limiter.admit(request.ip, site.clock.now())) {
      throw frameworkError(429, 'ThrottlerException: Too Many Requests');
    }
  });

  app.register(async (api) => mount(API_ROUTES, api, site), { prefix: '/api' });
  app.register(async (control) => mount(CONTROL_ROUTES, control, site), { prefix: '/sandbox' });
  app.register(async (page) => mount([...WIDGET_ROUTES, ...DOCUMENTATION_ROUTES], page, site));
  return app;
}

function mount(all: readonly Routes[], app: FastifyInstance, site: Site): void {
  for (const routes of all) routes(app, site);
}

function endpointOf(request: FastifyRequest): string {
  const route = request.routeOptions.url;
  return route === undefined ? `${request.method} (unknown path)` : `${request.method} ${route.replace(/^\/api/, '')}`;
}

/** What the server itself refuses: unreadable JSON, another content type, too large a body. */
function asFrameworkError(error: unknown): ServiceError {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error && typeof error.statusCode === 'number'
      ? error.statusCode
      : 500;
  const message = error instanceof Error && status < 500 ? error.message : 'Internal server error';
  return frameworkError(status, message);
}

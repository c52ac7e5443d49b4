/** Endpoints for monitoring: liveness, readiness and metrics. */
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { isRebound } from '../../ports/clear-request.ts';
import type { Log } from '../../ports/log.ts';
import { closeAfterAnswers, listenOn, type RunningServer } from './listen.ts';
import type { MetricsPage } from './metrics.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { UPKEEP_ROUTES } from './routes.ts';

interface UpkeepEdges {
  /** Rejects where the database cannot be used. */
  isReady: () => Promise<void>;
  log: Pick<Log, 'error'>;
}

/**
 * `/healthz` answers while the process runs: supervisors restart a process that fails it, and a restart repairs no
 * database. `/readyz` answers 503 while the database cannot be used.
 */
export function addUpkeepRoutes(app: FastifyInstance, edges: UpkeepEdges, metrics: MetricsPage): void {
  const config = { rateLimit: false as const };
  app.route({ ...UPKEEP_ROUTES.health, config, handler: async () => ({ status: 'ok' }) });
  app.route({
    ...UPKEEP_ROUTES.readiness,
    config,
    handler: async (_request, reply) => {
      try {
        await edges.isReady();
        return { status: 'ready' };
      } catch (error) {
        edges.log.error(`not ready: ${error instanceof Error ? error.message : 'the database cannot be used'}`);
        return reply.code(503).send({ status: 'not ready' });
      }
    },
  });
  app.route({
    ...UPKEEP_ROUTES.metrics,
    config,
    handler: async (_request, reply) => reply.header('content-type', metrics.contentType).send(await metrics.text()),
  });
}

const FOR_THIS_MACHINE = /^\/(?:metrics|openapi\.json|docs)(?:\/|$)/;

/** To be called before any route is added. Behind a proxy that is named, the names are the proxy's. */
export function refuseOtherNames(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!FOR_THIS_MACHINE.test(request.routeOptions.url ?? '') || !isRebound(request.raw)) return;
    const error = 'not for this name: use localhost or an address, or set webhooks.trustProxy behind a proxy';
    return reply.code(421).send({ statusCode: 421, error });
  });
}

/** These three endpoints alone, for a process that serves nothing else. @throws ListenError */
export async function startUpkeepServer(
  edges: UpkeepEdges & { host: string; port: number; setting: string; metrics: MetricsPage },
): Promise<RunningServer> {
  const app = Fastify({ forceCloseConnections: 'idle', return503OnClosing: true });
  app.setSerializerCompiler(serializerCompiler);
  const stop = closeAfterAnswers(app);
  app.setErrorHandler((error, _request, reply) => {
    edges.log.error(error instanceof Error ? `a request failed: ${error.message}` : 'a request failed');
    return reply.code(503).send({ statusCode: 503, error: 'try again later' });
  });
  refuseOtherNames(app);
  answerUnknownPaths(app);
  answerOtherMethods(app, app);
  addUpkeepRoutes(app, edges, edges.metrics);
  return { url: await listenOn(app, edges), close: stop };
}

export function answerUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ statusCode: 404, error: 'not found' }));
}

export function answerOtherMethods(server: FastifyInstance, routes: FastifyInstance): void {
  refuseOtherMethods(server, routes, (reply) => reply.code(405).send({ statusCode: 405, error: 'method not allowed' }));
}

/** `tieout serve`: the HTTP server for deliveries and monitoring. */
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyInstance } from 'fastify';
import { addDocument } from '../../openapi/shared-document.ts';
import { hasTwoHosts, refusePieces } from '../../ports/clear-request.ts';
import type { ServerEdges } from './contract.ts';
import { addWebhookRoutes } from './deliveries.ts';
import { describeReceiver, TITLE, useSchemas } from './documentation.ts';
import { closeAfterAnswers, listenOn, type RunningServer } from './listen.ts';
import { type WebhookMetrics, webhookMetrics } from './metrics.ts';
import { inPieces, malformed, refusalLines, refusalOf } from './refusals.ts';
import { addUpkeepRoutes, answerOtherMethods, answerUnknownPaths, refuseOtherNames } from './upkeep.ts';

/** A body of the Service has about 2 KiB. */
const BODY_LIMIT = 256 * 1024;
/** Per address. Three times the burst that must be taken: 2,000 deliveries in 10 seconds, from one address. */
const RATE_LIMIT = { requests: 6_000, perMs: 10_000 };
/** Connections that may wait to be accepted; the system drops further ones. */
const BACKLOG = 4_096;
/** A request whose body takes longer is refused. */
const REQUEST_TIMEOUT_MS = 15_000;

/** No headers with the remaining allowance: `retry-after` is enough for a sender. */
const NO_HEADERS = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false };

/** @throws ListenError */
export async function startIntakeServer(edges: ServerEdges): Promise<RunningServer> {
  const requestTimeout = edges.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout,
    // Node looks for slow requests every 30 s by default, and exchanges the two limits where the head has more time
    // (60 s): a body would have those 60 s.
    http: { connectionsCheckingInterval: 1000, headersTimeout: requestTimeout },
    // A keep-alive connection without a request under way must not hold up the stop.
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    // Behind an untrusted proxy all senders have the proxy's address and share one allowance.
    trustProxy: typeof edges.trustProxy === 'object' ? [...edges.trustProxy] : (edges.trustProxy ?? false),
  });
  const { requests, perMs } = edges.rateLimit ?? RATE_LIMIT;
  const metrics = webhookMetrics(edges.figures, (problem) => edges.log.error(`metrics: ${problem}`));
  const stop = closeAfterAnswers(app);
  useSchemas(app);
  takeBodiesAsTheyAre(app);
  refuseUnclear(app);
  if ((edges.trustProxy ?? false) === false) refuseOtherNames(app);
  tellRefusals(app, edges, metrics);
  await app.register(rateLimit, {
    max: requests,
    timeWindow: perMs,
    addHeaders: NO_HEADERS,
    addHeadersOnExceeding: NO_HEADERS,
  });
  if (edges.showsDocumentation) await describeReceiver(app, edges.documentation);
  // Apart from the pages, which have their own answer where a browser asks for what only a form sends.
  await app.register(async (own) => {
    answerOtherMethods(app, own);
    addWebhookRoutes(own, edges, metrics);
    addUpkeepRoutes(own, edges, metrics);
  });
  // A server has one answer for unknown paths: with the pages mounted, the pages give it, as HTML or JSON by the Accept header.
  if (edges.mount === undefined) answerUnknownPaths(app);
  else await edges.mount(app);
  if (edges.showsDocumentation) addDocument(app, TITLE);
  const url = await listenOn(app, { ...edges, setting: 'webhooks', backlog: BACKLOG });
  return { url, close: stop };
}

/** The signature covers the bytes, and they are evidence: fastify must not parse them. */
function takeBodiesAsTheyAre(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

function refuseUnclear(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (hasTwoHosts(request.raw)) throw malformed('two Host headers');
    // Node has closed it already: what follows the head is no HTTP. Nothing counts as this server's failure for it.
    if (request.socket.remoteAddress === undefined) throw malformed('the connection is closed');
  });
  app.addHook('preParsing', ({ raw }, _reply, _body, done) => {
    refusePieces(raw, inPieces);
    done();
  });
}

function tellRefusals(app: FastifyInstance, edges: ServerEdges, metrics: WebhookMetrics): void {
  const lines = refusalLines(edges.log);
  app.addHook('onClose', async () => lines.end());
  app.setErrorHandler((error, request, reply) => {
    const { endpoint } = request.routeOptions.config;
    const refusal = refusalOf(error);
    if (refusal !== null) {
      if (endpoint !== undefined) {
        metrics.count(endpoint, refusal.result);
        // Of a record that is not tracked the log has its id already.
        if (refusal.result !== 'untracked') lines.count(endpoint, refusal);
      }
      return reply.code(refusal.statusCode).send({ statusCode: refusal.statusCode, error: refusal.message });
    }
    if (endpoint !== undefined) metrics.count(endpoint, 'failed');
    edges.log.error(error instanceof Error ? `${request.method} request failed: ${error.message}` : 'a request failed');
    // Not acknowledged, so the Service sends it again.
    return reply.code(503).header('retry-after', '10').send({ statusCode: 503, error: 'try again later' });
  });
}

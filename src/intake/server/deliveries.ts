/** The endpoints for webhooks, SDK events and quotes: authentication, reading, and the answer. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BodyReading } from '../../ports/service.ts';
import { isWithinJsonLimits } from '../../text/json-limits.ts';
import { hostReferenceOf } from '../webhooks/host-reference.ts';
import type { IntakeEndpoint, ServerEdges } from './contract.ts';
import type { WebhookMetrics } from './metrics.ts';
import { closed, conflicting, encoded, malformed, tooComplex, unauthorized, untracked } from './refusals.ts';
import { deliveryRoutes } from './routes.ts';
import { WorkBudget } from './work-budget.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for the endpoints that are counted. */
    endpoint?: IntakeEndpoint;
  }
}

export function addWebhookRoutes(app: FastifyInstance, edges: ServerEdges, metrics: WebhookMetrics): void {
  const routes = deliveryRoutes(edges.documentation.schemas);
  const budget = new WorkBudget(edges.monotonic);
  for (const kind of ['purchase', 'sale'] as const) {
    app.route({
      ...routes[kind],
      config: { endpoint: kind },
      handler: async (request: FastifyRequest, reply) => {
        const bytes = bodyOf(request);
        budget.spend(bytes.length, () => checkSignature(request, bytes, edges));
        return take(edges.readWebhook(bytes, kind), kind, 'webhook', request, reply, edges, metrics);
      },
    });
  }
  app.route({
    ...routes.event,
    config: { endpoint: 'event' },
    handler: async (request: FastifyRequest, reply) => {
      checkBearer(request, edges);
      return take(edges.readEvent(bodyOf(request)), 'event', 'event', request, reply, edges, metrics);
    },
  });
  app.route({
    ...routes.quote,
    config: { endpoint: 'quote' },
    handler: async (request: FastifyRequest, reply) => {
      checkBearer(request, edges);
      const quote = edges.readQuote(bodyOf(request).toString('utf8'));
      if (!quote.ok) throw malformed(quote.problems.join('; '));
      const outcome = await edges.addQuote(quote);
      if (outcome === 'conflict') throw conflicting();
      metrics.count('quote', outcome === 'added' ? 'stored' : 'repeated');
      return reply.send({ outcome });
    },
  });
}

async function take(
  reading: BodyReading,
  endpoint: IntakeEndpoint,
  origin: 'webhook' | 'event',
  request: FastifyRequest,
  reply: FastifyReply,
  edges: ServerEdges,
  metrics: WebhookMetrics,
): Promise<FastifyReply> {
  if (reading.outcome === 'unusable') throw malformed(reading.problem);
  if (reading.outcome === 'no-record') {
    metrics.count(endpoint, 'ignored');
    return reply.send({ outcome: 'ignored' });
  }
  const { kind, id, token, eventType, body, identity, state } = reading.delivered;
  const outcome = await edges.accept({
    kind,
    id,
    token,
    origin,
    eventType,
    hostReference: hostReferenceOf(request.url),
    body,
    identity,
    state: state.ok ? state.value : null,
  });
  if (outcome === 'untracked') {
    edges.log.warn(`${kind} ${id}: a ${origin} without a view token, for a record that is not tracked`);
    throw untracked();
  }
  if (outcome === 'unreadable') edges.log.warn(`${kind} ${id}: the body of a ${origin} could not be read; kept sealed`);
  metrics.count(endpoint, outcome);
  edges.log.info({ kind, id, eventType, origin, outcome }, 'delivery');
  if (outcome === 'stored') edges.onStored({ kind, eventType });
  return reply.send({ outcome });
}

function bodyOf(request: FastifyRequest): Buffer {
  // The signature covers the uncompressed text.
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw encoded();
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  if (!isWithinJsonLimits(bytes.toString('latin1'))) throw tooComplex();
  return bytes;
}

function checkSignature(request: FastifyRequest, bytes: Buffer, { verify }: ServerEdges): void {
  if (verify === null) return;
  const signature = request.headers['x-body-signature'];
  if (typeof signature !== 'string' || !verify(bytes.toString('utf8'), signature)) throw unauthorized();
}

function checkBearer(request: FastifyRequest, { intakeToken }: ServerEdges): void {
  if (intakeToken === null) throw closed();
  if (!carriesToken(request.headers.authorization, intakeToken)) throw unauthorized();
}

/**
 * Whether an `Authorization` header carries the token. Both sides are hashed first, so that neither the time of the
 * comparison nor its outcome depends on a common beginning or on the length.
 */
function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

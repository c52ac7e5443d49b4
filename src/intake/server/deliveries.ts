/** The endpoints for webhooks, SDK events and quotes: authentication, reading, and the answer. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyReading } from '../../ports/service.ts';
import { isWithinJsonLimits } from '../../text/json-limits.ts';
import { percentDecoded } from '../../text/percent-decoded.ts';
import { isSecretParameter } from '../../text/secret-names.ts';
import type { IntakeEndpoint, ServerEdges } from './contract.ts';
import type { WebhookMetrics } from './metrics.ts';
import { closed, conflicting, encoded, malformed, tooComplex, unauthorized, untracked } from './refusals.ts';
import { deliveryRoutes } from './routes.ts';
import { workBudget } from './work-budget.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for the endpoints that are counted. */
    endpoint?: IntakeEndpoint;
  }
}

export function addWebhookRoutes(app: FastifyInstance, edges: ServerEdges, metrics: WebhookMetrics): void {
  const routes = deliveryRoutes(edges.documentation.schemas);
  const spend = workBudget(edges.monotonic);
  const addRoute = (endpoint: IntakeEndpoint, take: (request: FastifyRequest) => Promise<string>) =>
    app.route({
      ...routes[endpoint],
      config: { endpoint },
      handler: async (request: FastifyRequest, reply) => reply.send({ outcome: await take(request) }),
    });
  const taken = async (endpoint: Exclude<IntakeEndpoint, 'quote'>, reading: BodyReading, url: string) => {
    const outcome = await deliver(reading, endpoint === 'event' ? 'event' : 'webhook', url);
    metrics.count(endpoint, outcome);
    return outcome;
  };
  const deliver = async (reading: BodyReading, origin: 'webhook' | 'event', url: string) => {
    if (reading.outcome === 'unusable') throw malformed(reading.problem);
    if (reading.outcome === 'no-record') return 'ignored';
    const { state, ...delivered } = reading.delivered;
    const { kind, id, eventType } = delivered;
    const read = { state: state.ok ? state.value : null, hostReference: hostReferenceOf(url) };
    const outcome = await edges.accept({ ...delivered, ...read, origin });
    if (outcome === 'untracked') {
      edges.log.warn(`${kind} ${id}: a ${origin} without a view token, for a record that is not tracked`);
      throw untracked();
    }
    if (outcome === 'unreadable')
      edges.log.warn(`${kind} ${id}: the body of a ${origin} could not be read; kept sealed`);
    edges.log.info({ kind, id, eventType, origin, outcome }, 'delivery');
    if (outcome === 'stored') edges.onStored({ kind, eventType });
    return outcome;
  };
  for (const kind of ['purchase', 'sale'] as const) {
    addRoute(kind, async (request) => {
      const bytes = bodyOf(request);
      // What is done on this thread comes before the promise, and is what the budget counts.
      await spend(bytes.length, () => checkSignature(request, bytes, edges));
      return taken(kind, edges.readWebhook(bytes, kind), request.url);
    });
  }
  addRoute('event', async (request) => {
    checkBearer(request, edges);
    return taken('event', edges.readEvent(bodyOf(request)), request.url);
  });
  addRoute('quote', async (request) => {
    checkBearer(request, edges);
    const quote = edges.readQuote(bodyOf(request).toString('utf8'));
    if (!quote.ok) throw malformed(quote.problems.join('; '));
    const outcome = await edges.addQuote(quote);
    if (outcome === 'conflict') throw conflicting();
    metrics.count('quote', outcome === 'added' ? 'stored' : 'repeated');
    return outcome;
  });
}

function bodyOf(request: FastifyRequest): Buffer {
  // The signature covers the uncompressed text.
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw encoded();
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  if (!isWithinJsonLimits(bytes.toString('latin1'))) throw tooComplex();
  return bytes;
}

async function checkSignature(request: FastifyRequest, bytes: Buffer, { verify }: ServerEdges): Promise<void> {
  if (verify === null) return;
  const signature = request.headers['x-body-signature'];
  if (typeof signature !== 'string' || !(await verify(bytes.toString('utf8'), signature))) throw unauthorized();
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

/** As long as the column of an import may be. */
const LONGEST = 256;

/**
 * The query of a webhook's address: the Service calls it back unchanged (field facts "Webhooks"), and integrators put their user or session there.
 * `userId=42&sessionId=7`, as it stood in the address, without the parameters that are named like secrets, which reports must not show; null where
 * nothing is left. Whole parameters only: the last ones are left out where it would become too long.
 * @param url path and query, as the request has it.
 */
export function hostReferenceOf(url: string): string | null {
  const mark = url.indexOf('?');
  if (mark < 0) return null;
  let kept = '';
  for (const parameter of url.slice(mark + 1).split('&')) {
    const name = parameter.split('=', 1)[0] ?? '';
    if (parameter === '' || isSecretParameter(percentDecoded(name)) || !VISIBLE.test(parameter)) continue;
    const longer = kept === '' ? parameter : `${kept}&${parameter}`;
    if (longer.length > LONGEST) break;
    kept = longer;
  }
  return kept === '' ? null : kept;
}

/** It is shown in terminals and spreadsheets without further escaping. */
const VISIBLE = /^[\x21-\x7e]+$/;

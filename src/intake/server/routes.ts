/** The endpoints of `tieout serve`: address, documentation and the schemas of their answers. */
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Answer } from '../../openapi/shared-document.ts';
import type { IntakeEndpoint, WebhookSchemas } from './contract.ts';
import {
  closed,
  conflicting,
  limited,
  malformed,
  notJson,
  tooLarge,
  UNAVAILABLE,
  unauthorized,
  untracked,
} from './refusals.ts';

export interface Route {
  method: 'GET' | 'POST';
  url: string;
  schema: FastifySchema;
}

const json = (description: string, schema: z.ZodType): Answer => ({
  description,
  content: { 'application/json': { schema } },
});

export const Refusal = z.strictObject({ statusCode: z.int(), error: z.string() });

const RETRY_AFTER = { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } };

const refused = (description: string, by: { statusCode: number; message: string }): Answer => ({
  description,
  content: {
    'application/json': {
      schema: Refusal,
      examples: { refused: { statusCode: by.statusCode, error: by.message } },
    },
  },
});

/** Of every endpoint that takes something. Checks before authentication give no reason. */
const REFUSALS = {
  400: refused('The body cannot be taken.', malformed('it is not JSON')),
  401: refused('The signature or the token is missing or wrong.', unauthorized()),
  413: refused('The body is larger than 256 KiB.', tooLarge()),
  415: refused('The body is compressed, or not `application/json`.', notJson()),
  429: { ...refused('Too many from one address.', limited()), headers: RETRY_AFTER },
  503: {
    ...refused('It could not be stored, and so it is not acknowledged: send it again.', UNAVAILABLE),
    headers: RETRY_AFTER,
  },
};

const CLOSED = refused('The endpoint is closed: `webhooks.intakeToken` is not set.', closed());
const UNTRACKED = refused('An unknown record without a view token could never be fetched.', untracked());
const CONFLICT = refused('Stored with other content.', conflicting());

const taken = (...outcomes: readonly [string, ...string[]]) =>
  json('It is on disk, or does not have to be.', z.strictObject({ outcome: z.enum(outcomes) }));
const DELIVERED = ['stored', 'repeated', 'late', 'unreadable', 'ignored'] as const;

/** Integrators put a user or a session there; it comes back with the webhook unchanged (field facts "Webhooks"). */
const ABOUT_QUERY = 'The query of the address is kept as the host reference of the record.';

/** What takes deliveries. The bodies are documented only: a signature covers the bytes, which are checked before they are read. */
export function deliveryRoutes(bodies: WebhookSchemas): Readonly<Record<IntakeEndpoint, Route>> {
  const forwarded = { tags: ['intake'], security: [{ intakeToken: [] }] };
  const sent = (name: 'Purchase' | 'Sale', setting: string, body: z.ZodType): Route => ({
    method: 'POST',
    url: `/webhooks/${name.toLowerCase()}s`,
    schema: {
      tags: ['webhooks'],
      security: [{ bodySignature: [] }],
      operationId: `take${name}`,
      summary: `${name}s, as the Service sends them`,
      description: `For \`${setting}\`. ${ABOUT_QUERY}`,
      body: body.describe('In its envelope, or bare.'),
      response: { 200: taken(...DELIVERED), ...REFUSALS, 422: UNTRACKED },
    },
  });
  return {
    purchase: sent('Purchase', 'webhookStatusUrl', z.union([bodies.purchaseWebhook, bodies.purchase])),
    sale: sent('Sale', 'offrampWebhookV3Url', z.union([bodies.saleWebhook, bodies.sale])),
    event: {
      method: 'POST',
      url: '/events',
      schema: {
        ...forwarded,
        operationId: 'takeEvent',
        summary: 'SDK events, as the front end of the app forwards them',
        description: `Events about no record are answered with \`ignored\`. ${ABOUT_QUERY} An \`apiUrl\` is never called.`,
        body: eventOf(bodies),
        response: { 200: taken(...DELIVERED), ...REFUSALS, 404: CLOSED, 422: UNTRACKED },
      },
    },
    quote: {
      method: 'POST',
      url: '/quotes',
      schema: {
        ...forwarded,
        operationId: 'takeQuote',
        summary: 'One quote that a user was shown',
        description: 'Request and response exactly as the Service has them, every digit of a number included.',
        body: bodies.quoteLine,
        response: { 200: taken('added', 'unchanged'), ...REFUSALS, 404: CLOSED, 409: CONFLICT },
      },
    },
  };
}

/** The facts are in `payload`, as the widget emits them, or beside `type`. */
function eventOf({ purchase, sale }: WebhookSchemas): z.ZodType {
  const bought = { purchase, purchaseViewToken: z.string(), apiUrl: z.string().optional() };
  // The specification calls both tokens `purchaseViewToken` (§4.1, §6.1).
  const token = { saleViewToken: z.string().optional(), purchaseViewToken: z.string().optional() };
  const sold = { sale, ...token, apiUrl: z.string().optional() };
  return z.union([
    z.looseObject({ type: z.literal('PURCHASE_CREATED'), payload: z.looseObject(bought) }),
    z.looseObject({ type: z.literal('OFFRAMP_SALE_CREATED'), payload: z.looseObject(sold) }),
    z.looseObject({ type: z.string().max(64) }),
  ]);
}

const isUp = (status: string) => z.strictObject({ status: z.literal(status) });
const upkeep = (url: string, operationId: string, summary: string, response: Readonly<Record<number, Answer>>) => ({
  method: 'GET' as const,
  url,
  schema: { operationId, tags: ['upkeep'], summary, response },
});

export const UPKEEP_ROUTES = {
  health: upkeep('/healthz', 'getHealth', 'Whether the process answers', { 200: json('It does.', isUp('ok')) }),
  readiness: upkeep('/readyz', 'getReadiness', 'Whether the database can be used', {
    200: json('It can.', isUp('ready')),
    503: json('It cannot.', isUp('not ready')),
  }),
  metrics: upkeep('/metrics', 'getMetrics', 'Figures for Prometheus', {
    200: { description: 'Text format of Prometheus.', content: { 'text/plain': { schema: z.string() } } },
    503: { ...REFUSALS[503], description: 'The database cannot be used.' },
  }),
} as const satisfies Record<string, Route>;

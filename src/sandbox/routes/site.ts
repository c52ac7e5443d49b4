/** The input of every route. */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaCompiler,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Answer } from '../../openapi/shared-document.ts';
import type { Bodies, Night, SandboxInstant, SandboxStats } from '../contract.ts';
import { validationError } from '../errors.ts';
import type { SlidingLimiter } from '../limiter.ts';
import type { Live } from '../live/live-records.ts';
import type { Market } from '../market.ts';
import type { Partner } from '../partner.ts';
import type { Population } from '../population.ts';
import { answer, limited } from '../schemas/answers.ts';
import type { ServiceSchemas } from '../schemas/index.ts';

export interface Site {
  clock: MovedClock;
  market: Market;
  population: Population;
  /** Records that are made while the sandbox runs. */
  live: Live;
  /** Who pays for purchases besides the population; null for none. */
  partner: Partner | null;
  limiter: SlidingLimiter;
  identifierName: string;
  bodies: Bodies;
  schemas: ServiceSchemas;
  hostApiKeys: ReadonlySet<string>;
  /** Which night the population is seen on. */
  night: { current: Night };
  /** Whether answers have a `Date`. */
  datesAnswers: boolean;
  stats(): SandboxStats;
}

export type SandboxApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Adds its endpoints to an app whose prefix is already set. */
export type Routes = (app: SandboxApp, site: Site) => void;

/** The options of a route: its entry in the OpenAPI document, and the schemas of its request and answers. */
export function about<T extends object>(tag: string, operationId: string, summary: string, rest: T) {
  return { schema: { operationId, tags: [tag], summary, ...rest } };
}

/** A field of a query or of headers before it is validated; undefined where it is absent or no string. */
export function stringOf(part: unknown, name: string): string | undefined {
  const value: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

// The sandbox's own clock: the given clock plus an offset, which the control routes set.

export type MovedClock = ReturnType<typeof createMovedClock>;

export function createMovedClock(clock: () => SandboxInstant) {
  let offset = 0;
  return {
    now: () => clock() + offset,
    advance(ms: number) {
      offset += ms;
    },
    /** The clock goes on from there. */
    set(at: SandboxInstant) {
      offset = at - clock();
    },
  };
}

// Reference data: cacheable for 15 minutes, with a weak ETag and conditional requests (field facts "Reference data").

const CACHED = {
  'Cache-Control': { type: 'string', description: 'Fifteen minutes: `public, max-age=900`.' },
  ETag: { type: 'string', description: 'Weak: changes with the content.' },
};

const CACHE_HEADERS = Object.fromEntries(Object.entries(CACHED).map(([name, schema]) => [name, { schema }]));

const IF_NONE_MATCH = z.object({
  'If-None-Match': z.string().optional().describe('An `ETag` that was answered before.'),
});

/** Headers and answers of a reference endpoint. */
export function reference(schema: z.ZodType, refusals: Readonly<Record<number, Answer>> = {}) {
  return {
    headers: IF_NONE_MATCH,
    response: limited({
      200: { ...answer('Reference data at this moment.', schema), headers: CACHE_HEADERS },
      304: z.undefined().meta({ description: 'Nothing has changed since that `ETag`.', headers: CACHED }),
      ...refusals,
    }),
  };
}

/** An onSend hook. */
export async function cacheable(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
  const hash = createHash('sha1').update(payload).digest('base64url');
  const etag = `W/"${Buffer.byteLength(payload).toString(16)}-${hash}"`;
  reply.header('cache-control', 'public, max-age=900').header('etag', etag);
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim());
  if (!known.includes(etag) && !known.includes('*')) return payload;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return null;
}

// Answers invalid requests with the messages of the Service, not with those of zod.

/**
 * The schemas bring the messages themselves. A query is refused for its first wrong parameter, a body for all its wrong
 * fields.
 */
export const inMessagesOfTheSchema = compiler(({ message }) => message);

/** For the sandbox's own bodies: `field: message`. */
export const withFieldNames = compiler(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);

/** For requests that the route reads itself; the schema only documents them. */
export const documentedOnly: FastifySchemaCompiler<unknown> = () => () => true;

function compiler(tell: (issue: z.core.$ZodIssue) => string): FastifySchemaCompiler<unknown> {
  return ({ schema, httpPart }) => {
    // A missing header is the route's to answer: 403 for a view token, the whole body for an ETag.
    if (httpPart === 'headers' || !(schema instanceof z.ZodType)) return () => true;
    return (data) => {
      const read = schema.safeParse(data);
      if (read.success) return { value: read.data };
      const messages = read.error.issues.map(tell);
      return { error: validationError(...(httpPart === 'querystring' ? messages.slice(0, 1) : messages)) };
    };
  };
}

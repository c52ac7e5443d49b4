/** The input of every route. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Bodies, Night, Partner, SandboxStats } from '../contract.ts';
import type { SlidingLimiter } from '../limiter.ts';
import type { Live } from '../live/live-side.ts';
import type { Market } from '../market.ts';
import type { MovedClock } from '../moved-clock.ts';
import type { Population } from '../population.ts';
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

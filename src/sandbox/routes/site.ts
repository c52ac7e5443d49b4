/** What every route is given. A further part of the Service (widget page, webhooks) is one more file beside these. */
import type { FastifyInstance } from 'fastify';
import type { Night, SandboxStats } from '../contract.ts';
import type { SlidingLimiter } from '../limiter.ts';
import type { Live } from '../live/live-side.ts';
import type { Market } from '../market.ts';
import type { MovedClock } from '../moved-clock.ts';
import type { Population } from '../population.ts';

export interface Site {
  clock: MovedClock;
  market: Market;
  population: Population;
  /** What is made while the sandbox runs. */
  live: Live;
  limiter: SlidingLimiter;
  identifierName: string;
  hostApiKeys: ReadonlySet<string>;
  /** Which night the population is seen on. */
  night: { current: Night };
  stats(): SandboxStats;
}

/** Adds its endpoints to an app whose prefix is already set. */
export type Routes = (app: FastifyInstance, site: Site) => void;

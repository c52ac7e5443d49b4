/** What a plan costs, class by class, and what a budget would leave undone. Pure: counts and limits in, figures out. */

import { DUE_CLASSES, type DueClass } from '../domain/due.ts';
import type { Instant } from '../domain/record.ts';
import type { RateLimit } from '../ports/pacing.ts';
import { pacedDurationMs, paceInterval } from '../service/pacing/paced.ts';

export interface PlanTerms {
  limits: readonly RateLimit[];
  guardMs: number;
  now: Instant;
  /** When the first request may leave: now, or the end of the silence that the Service asked for. */
  startsAt: Instant;
  maxRequests: number | null;
  maxDurationMs: number | null;
  /** Addresses that the Service counts by, each with all of the limits to itself; 1 unless said otherwise. */
  addresses?: number;
}

/** Durations and times are null without limits, as then the Service decides how long it takes. */
export interface ClassForecast {
  class: DueClass;
  due: number;
  /** One a record; retries come on top. */
  requests: number;
  /** Of this class alone. */
  durationMs: number | null;
  /** When its last request would leave, all classes before it done; null where nothing of it is due. */
  endsAt: Instant | null;
  /** How many the budget would put off; null where it cannot be told. */
  deferred: number | null;
}

export interface Forecast {
  classes: readonly ClassForecast[];
  requests: number;
  durationMs: number | null;
  endsAt: Instant | null;
  /** Requests that the budget allows; null without a budget, or where a time alone says nothing. */
  allowed: number | null;
  deferred: number | null;
}

/** Classes in the order in which a short allowance is spent. */
export function forecast(due: Readonly<Record<DueClass, number>>, terms: PlanTerms): Forecast {
  const { limits, guardMs, startsAt, now, addresses = 1 } = terms;
  const allowed = allowedRequests(terms);
  // A time without limits to count by: how far a run gets in it is the Service's to decide.
  const untold = limits.length === 0 && terms.maxDurationMs !== null;
  const deferredOf = (from: number, count: number): number | null => {
    if (untold) return null;
    return allowed === null ? 0 : Math.min(count, Math.max(0, from + count - allowed));
  };
  let before = 0;
  const classes = DUE_CLASSES.map((name): ClassForecast => {
    const count = due[name];
    const from = before;
    before += count;
    const span = pacedDurationMs(before, limits, guardMs, addresses);
    return {
      class: name,
      due: count,
      requests: count,
      durationMs: pacedDurationMs(count, limits, guardMs, addresses),
      endsAt: span === null || count === 0 ? null : startsAt + span,
      deferred: deferredOf(from, count),
    };
  });
  const durationMs = pacedDurationMs(before, limits, guardMs, addresses);
  return {
    classes,
    requests: before,
    durationMs,
    // A silence that is over before anything is due delays nothing.
    endsAt: durationMs === null ? null : (before === 0 ? now : startsAt) + durationMs,
    allowed,
    deferred: deferredOf(0, before),
  };
}

function allowedRequests(terms: PlanTerms): number | null {
  const { limits, guardMs, now, startsAt, maxRequests, maxDurationMs, addresses = 1 } = terms;
  if (maxDurationMs === null || limits.length === 0) return maxRequests;
  const left = maxDurationMs - (startsAt - now);
  const within = left <= 0 ? 0 : addresses * (Math.floor(left / paceInterval(limits, guardMs)) + 1);
  return maxRequests === null ? within : Math.min(maxRequests, within);
}

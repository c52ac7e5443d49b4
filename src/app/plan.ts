/** What a run would fetch, how long that takes within the limits, and what a budget would leave undone. Sends nothing. */

import { listingsOf, OTHER_REFERENCE_REQUESTS } from '../capture/reference-data.ts';
import { lastFullDate } from '../domain/calendar.ts';
import { DUE_CLASSES, type DueClass } from '../domain/due.ts';
import { requirePastDate } from '../domain/plausible-date.ts';
import type { Instant } from '../domain/record.ts';
import type { Selection } from '../domain/run.ts';
import type { Job } from '../ports/job.ts';
import type { RateLimit } from '../ports/pacing.ts';
import { planScope } from '../reconcile/select.ts';
import { pacedDurationMs, paceInterval } from '../service/pacing/paced.ts';
import type { App } from './app.ts';
import { limitsOf, type RunOptions } from './wiring.ts';

type Budget = Pick<RunOptions, 'maxRequests' | 'maxDurationMs'>;

export interface PlanTerms extends Budget {
  limits: readonly RateLimit[];
  guardMs: number;
  now: Instant;
  /** When the first request may leave: now, or the end of the pause that the Service asked for. */
  startsAt: Instant;
  /** Addresses that the Service counts by, each with all of the limits to itself; 1 unless said otherwise. */
  addresses?: number;
}

/** Durations and times are null without limits, as then the Service decides how long it takes. */
interface Expected {
  /** One a record; retries come on top. */
  requests: number;
  /** Of a class alone. */
  durationMs: number | null;
  /** When its last request would leave, all classes before it done; null where nothing of it is due. */
  endsAt: Instant | null;
  /** The number of records that the budget would defer; null where it is unknown. */
  deferred: number | null;
}

export interface ClassForecast extends Expected {
  class: DueClass;
  due: number;
}

export interface Forecast extends Expected {
  classes: readonly ClassForecast[];
  /** Requests that the budget allows; null without a budget, or where a time alone says nothing. */
  allowed: number | null;
}

/** Classes in the order in which a short allowance is spent. */
export function forecast(due: Readonly<Record<DueClass, number>>, terms: PlanTerms): Forecast {
  const { limits, guardMs, startsAt, now, addresses = 1 } = terms;
  const allowed = allowedRequests(terms);
  // Without limits, how far a run gets in a time depends on the Service alone.
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
    // A pause that ends before anything is due delays nothing.
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

export interface PlanRequest extends Budget {
  job: Job;
  /** Null: the last full day. */
  businessDate: string | null;
  /** Null: what the job selects by itself. */
  selection: Selection | null;
  /** Addresses that the Service would be asked from, each with the limits to itself. */
  addresses: number;
}

/** What a job selects by itself. Jobs that fetch no records are not in it. */
const OWN_SELECTIONS: Readonly<Record<string, Selection>> = {
  nightly: { type: 'due' },
  audit: { type: 'all', kind: null },
  recheck: { type: 'delivered' },
};

/** The records that a run would look at; null for a job that fetches none. */
export function selectionOf({ selection, job }: PlanRequest): Selection | null {
  return selection ?? OWN_SELECTIONS[job.name] ?? null;
}

export async function planRun(app: App, request: PlanRequest, selection: Selection) {
  const { timezone, due: policy, service } = app.settings;
  const { job, maxRequests, maxDurationMs, addresses } = request;
  const now = app.clock.wall.now();
  requirePastDate(request.businessDate, now, timezone);
  const date = request.businessDate ?? lastFullDate(now, timezone);
  const due = await app.store.items.preview(
    planScope({ job: job.name, businessDate: date, selection, timezone }, policy),
  );
  const limits = limitsOf(app.settings);
  const guardMs = service.guard;
  const { circuit, windows } = await app.limiter.state();
  const startsAt = circuit.open && circuit.until !== null ? circuit.until : now;
  const plan = forecast(due, { limits, guardMs, now, startsAt, maxRequests, maxDurationMs, addresses });
  const intervalMs = limits.length === 0 ? 0 : paceInterval(limits, guardMs);
  const offered = await app.store.reference.currencies();
  const listings = offered === null ? null : listingsOf(offered, await app.store.tracked.currenciesInUse()).length;
  // Of one capture, which the job reference-data makes besides.
  const referenceRequests = listings === null ? null : listings + OTHER_REFERENCE_REQUESTS;
  return { date, due, plan, intervalMs, circuit, windows, startsAt, referenceRequests };
}

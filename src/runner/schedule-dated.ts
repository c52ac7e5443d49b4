/**
 * A job with exactly one finished run per business date. A tick reads the due dates from the ledger: a skipped tick
 * is caught up, a doubled one finds nothing to do, and a killed run is resumed.
 */
import { addDays, daysBetween, lastFullDate } from '../domain/calendar.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import { isFinished } from '../domain/run.ts';
import type { Log } from '../ports/log.ts';
import type { RunStore } from '../ports/store/store.ts';
import { counted } from '../text/counts.ts';
import { type CronLine, lastTick } from './schedule-calendar.ts';

/** `refused`: another process has the lock or has made the run. `stopped`: by a signal; everything fetched is saved. */
export type Attempt = 'done' | 'refused' | 'failed' | 'stopped';

type DatedRun = { businessDate: BusinessDate; resume: false } | { businessDate: null; resume: true };

interface DatedJobOptions {
  name: string;
  line: CronLine;
  /** Time zone of the line. */
  timezone: string;
  /** Time zone of business days. */
  businessTimezone: string;
  now: () => Instant;
  runs: Pick<RunStore, 'list' | 'unfinished'>;
  attempt: (run: DatedRun) => Promise<Attempt>;
  stopped: () => boolean;
  log: Pick<Log, 'info' | 'warn'>;
  maxNights?: number;
}

interface DatedJob {
  /**
   * Makes the runs that are due now, oldest date first. A call during another one repeats the search when that one
   * ends.
   */
  look: () => Promise<void>;
}

/** After a failure: long enough for an outage to pass and for a closed circuit to open, 15 or 60 minutes. */
const RETRY_AFTER = 60 * 60_000;
/** Most attempts for one date between two ticks; each failed one sends an alarm. */
const MAX_FAILURES = 4;
/** Runs of the ledger that are looked at: a year of nights, with a few made again by hand. */
const LEDGER_PAGE = 400;

export function datedJob(options: DatedJobOptions): DatedJob {
  /** By date, or by the id of an unfinished run. */
  const tried = new Map<string, { at: Instant; outcome: Attempt; failures: number }>();
  let busy = false;
  let again = false;
  /** Ticks up to here were before the schedule's time: no run is made for days before the schedule was set up. */
  let owedSince: Instant | null = null;
  let givenUp = 0;

  const look = async () => {
    again = true;
    if (busy) return;
    busy = true;
    try {
      while (!options.stopped()) {
        // Unset before the clock is read, so that a tick during the ledger's answer is not lost.
        again = false;
        const next = await nextOwed();
        if (next === null) {
          if (again) continue;
          return;
        }
        const outcome = await options.attempt(next.run);
        remember(next.key, outcome);
        // The cause of this failure would stop the next date too, and the oldest date must come first.
        if (outcome !== 'done') return;
      }
    } finally {
      busy = false;
    }
  };

  async function nextOwed(): Promise<{ key: string; run: DatedRun } | null> {
    const now = options.now();
    const tick = lastTick(options.line, options.timezone, now) ?? Number.NEGATIVE_INFINITY;
    const ledger = await options.runs.list({ job: options.name, limit: LEDGER_PAGE });
    owedSince ??= ledger.length === 0 ? now : Number.NEGATIVE_INFINITY;
    const unfinished = await options.runs.unfinished(options.name);
    if (unfinished !== null) {
      const may = mayTry(unfinished.runId, tick, now);
      if (may === 'now') return { key: unfinished.runId, run: { businessDate: null, resume: true } };
      // A new run would abort the unfinished one.
      if (may === 'later') return null;
    }
    if (tick <= owedSince) return null;
    const finished = ledger.filter(isFinished).map((run) => run.businessDate);
    const missed = missedDates(finished, lastFullDate(tick, options.businessTimezone), options.maxNights);
    tell(missed);
    for (const date of missed.dates) {
      const may = mayTry(date, tick, now);
      if (may === 'now') return { key: date, run: { businessDate: date, resume: false } };
      if (may === 'later') return null;
    }
    return null;
  }

  /** `later`: retried before the next tick. `given up`: not retried before the next tick. */
  function mayTry(key: string, tick: Instant, now: Instant): 'now' | 'later' | 'given up' {
    const last = tried.get(key);
    if (last === undefined || last.at < tick) return 'now';
    if (last.outcome === 'refused') return now > last.at ? 'now' : 'later';
    if (last.outcome !== 'failed') return 'given up';
    if (last.failures >= MAX_FAILURES) return 'given up';
    return now - last.at >= RETRY_AFTER ? 'now' : 'later';
  }

  function remember(key: string, outcome: Attempt): void {
    const at = options.now();
    const tick = lastTick(options.line, options.timezone, at) ?? Number.NEGATIVE_INFINITY;
    const last = tried.get(key);
    const failuresBefore = last === undefined || last.at < tick ? 0 : last.failures;
    tried.set(key, { at, outcome, failures: failuresBefore + (outcome === 'failed' ? 1 : 0) });
    // The process may live for years: dates older than the nights looked at are never read again.
    for (const oldest of [...tried.keys()].slice(0, -50)) tried.delete(oldest);
  }

  function tell(missed: Missed): void {
    if (missed.givenUp > 0 && missed.givenUp !== givenUp) {
      options.log.warn(
        `${options.name}: ${counted(missed.givenUp, 'business date')} before ${missed.dates[0]} ${missed.givenUp === 1 ? 'has no run and is' : 'have no run and are'} too old to catch up with; \`tieout run ${options.name} --date\` makes one by hand`,
      );
    }
    givenUp = missed.givenUp;
    if (missed.dates.length > 1)
      options.log.info({ job: options.name, dates: missed.dates }, 'catching up with missed business dates');
  }

  return { look };
}

/** The most nights to catch up with: reports of older dates are no longer of use. */
const MAX_NIGHTS = 7;

interface Missed {
  /** Oldest first; each needs a run. */
  dates: readonly BusinessDate[];
  /** The number of older dates that are given up. */
  givenUp: number;
}

/**
 * The dates after the last finished one, up to and with `upTo`.
 *
 * @param finished business dates that have a finished run, in any order. Dates after `upTo` do not count: a manual run for a
 * later date must not hide missed nights. With no date at all, only `upTo` is missing.
 */
export function missedDates(finished: readonly BusinessDate[], upTo: BusinessDate, maxNights = MAX_NIGHTS): Missed {
  const past = finished.filter((date) => date <= upTo);
  if (past.length === 0) return { dates: [upTo], givenUp: 0 };
  const last = past.reduce((newest, date) => (date > newest ? date : newest));
  const missing = daysBetween(last, upTo);
  const wanted = Math.min(missing, maxNights);
  return {
    dates: Array.from({ length: wanted }, (_, index) => addDays(upTo, index - wanted + 1)),
    givenUp: missing - wanted,
  };
}

/** Which business dates still want their run: decided from the ledger alone, so that it does not matter who ran what. */
import { addDays, daysBetween } from '../domain/calendar.ts';
import type { BusinessDate } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';

/** Nights that are caught up with at most: older ones would be labelled with dates that nobody waits for any more. */
export const MAX_NIGHTS = 7;

export interface Missed {
  /** Oldest first; each wants a run of its own. */
  dates: readonly BusinessDate[];
  /** How many older ones are given up. */
  givenUp: number;
}

/** True for a run that has published its report set. Whether all of it was verified is told by its own state. */
export function isFinished(run: Pick<Run, 'state'>): boolean {
  return run.state === 'complete' || run.state === 'incomplete';
}

/**
 * The dates after the last finished one, up to and with `upTo`.
 *
 * @param finished business dates that have a finished run, in any order. One beyond `upTo` does not count: a run by hand
 * for a date to come must not silence the nights before it. With none, `upTo` alone is missing: a first run has no past.
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

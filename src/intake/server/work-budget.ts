/**
 * Processor time for requests whose sender is not known yet. Every sender that knows the address of the receiver can
 * send large unsigned bodies; the work that they cause must leave time for the deliveries of the Service, which are small.
 */
import { overloaded } from './refusals.ts';

/** A delivery of the Service has about 2 KiB: up to this size it never waits. */
const ALWAYS_TAKEN_BYTES = 16 * 1024;
/** Milliseconds of work per second of time. */
const SHARE = 0.2;
/** The most that is saved up while no request comes. */
const MOST_MS = 500;

/** @param now milliseconds of a monotonic clock. */
export function workBudget(now: () => number) {
  let leftMs = MOST_MS;
  let since = now();
  /** Does the work and counts its time. @throws RefusedError (429) before it where the budget is spent. */
  return <T>(bytes: number, work: () => T): T => {
    if (bytes <= ALWAYS_TAKEN_BYTES) return work();
    const begun = now();
    leftMs = Math.min(MOST_MS, leftMs + (begun - since) * SHARE);
    since = begun;
    if (leftMs <= 0) throw overloaded();
    try {
      return work();
    } finally {
      leftMs -= now() - begun;
    }
  };
}

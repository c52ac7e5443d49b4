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

export class WorkBudget {
  private readonly now: () => number;
  private leftMs = MOST_MS;
  private since: number;

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.now = now;
    this.since = now();
  }

  /** Does the work and counts its time. @throws RefusedError (429) before it where the budget is spent. */
  spend<T>(bytes: number, work: () => T): T {
    if (bytes <= ALWAYS_TAKEN_BYTES) return work();
    const begun = this.now();
    this.leftMs = Math.min(MOST_MS, this.leftMs + (begun - this.since) * SHARE);
    this.since = begun;
    if (this.leftMs <= 0) throw overloaded();
    try {
      return work();
    } finally {
      this.leftMs -= this.now() - begun;
    }
  }
}

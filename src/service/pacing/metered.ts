/** Counts what a run sends, and ends it when its own budget of requests is spent. */

import type { Limiter } from '../../ports/pacing.ts';
import { RequestBudgetError } from '../../ports/service-errors.ts';

/** A limiter that counts what it let pass. */
export type MeteredLimiter = ReturnType<typeof meterLimiter>;

/** @param most requests the run may send, or null for no bound of its own. */
export function meterLimiter(limiter: Limiter, most: number | null) {
  let reserved = 0;
  let sent = 0;
  let taken = 0;
  const spent = () => most !== null && reserved >= most;
  return {
    acquire: async (options: Parameters<Limiter['acquire']>[0]) => {
      if (spent()) throw new RequestBudgetError(`The run's budget of ${most} requests is spent`);
      // Reserved before the wait: several waiters must not all see the last free place.
      reserved++;
      try {
        await limiter.acquire(options);
      } catch (error) {
        reserved--;
        throw error;
      }
      sent++;
    },
    report: (answer: Parameters<Limiter['report']>[0]) => limiter.report(answer),
    state: () => limiter.state(),
    /** Slots booked: requests that left, retries and rejected ones included. */
    sent: () => sent,
    /**
     * The same since the last call: for a ledger that is written batch by batch, so that a crash loses the count of one
     * batch.
     */
    takeSent: () => {
      const fresh = sent - taken;
      taken = sent;
      return fresh;
    },
    /** Returns a count that was not written: the next call includes it. */
    giveBack: (requests: number) => {
      taken -= requests;
    },
    /** True once the budget is spent. */
    spent,
  };
}

/** The same limiter with a signal for every request that has none. */
export function stoppable(limiter: Limiter, signal: AbortSignal): Limiter {
  return {
    acquire: (options) => limiter.acquire({ ...options, signal: options.signal ?? signal }),
    report: (answer) => limiter.report(answer),
    state: () => limiter.state(),
  };
}

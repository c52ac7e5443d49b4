/** The waiters for a slot in this process: one first-in-first-out lane per pace. Knows neither time nor the log. */
import type { Pace } from '../../ports/pacing.ts';

interface Waiter {
  readonly pace: Pace;
  /** False: an error instead of a wait for an open circuit. */
  readonly mayWait: boolean;
  /** Order of arrival, over both lanes. */
  readonly ticket: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The error of a waiter whose `signal` aborts: always an AbortError; the signal's reason is its cause. */
export function abortError(signal: AbortSignal): Error {
  return new DOMException('Waiting for a request slot was aborted', { name: 'AbortError', cause: signal.reason });
}

/** Who waits for a slot, first come first served. */
export class WaitingLine {
  readonly #lanes: Readonly<Record<Pace, Waiter[]>> = { burst: [], paced: [] };
  #tickets = 0;

  get isEmpty(): boolean {
    return this.#lanes.burst.length === 0 && this.#lanes.paced.length === 0;
  }

  waiting(pace: Pace): number {
    return this.#lanes[pace].length;
  }

  /** Paces with a waiter, the longest wait first: neither lane can starve the other. */
  lanesByAge(): readonly Pace[] {
    const heads = [this.#lanes.burst[0], this.#lanes.paced[0]].filter((head) => head !== undefined);
    return heads.sort((a, b) => a.ticket - b.ticket).map((head) => head.pace);
  }

  /**
   * Waits for a slot. `onLeave` is called after an abort has emptied a place.
   * @throws an AbortError when `signal` aborts; the error that `rejectWhere` is given.
   */
  join(pace: Pace, mayWait: boolean, signal: AbortSignal | undefined, onLeave: () => void): Promise<void> {
    if (signal?.aborted) return Promise.reject(abortError(signal));
    return new Promise((resolve, reject) => {
      const lane = this.#lanes[pace];
      const leave = () => {
        // The listener is gone once a slot is given, so the waiter is always still in its lane here.
        lane.splice(lane.indexOf(waiter), 1);
        if (signal !== undefined) reject(abortError(signal));
        onLeave();
      };
      const waiter: Waiter = {
        pace,
        mayWait,
        ticket: this.#tickets++,
        resolve: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
        reject: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      lane.push(waiter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Hands out up to `slots` slots in order. A slot whose waiter has left is lost: booked, and not used. */
  grant(pace: Pace, slots: number): void {
    for (const waiter of this.#lanes[pace].splice(0, slots)) waiter.resolve();
  }

  rejectWhere(test: (waiter: Waiter) => boolean, error: unknown): void {
    for (const lane of [this.#lanes.burst, this.#lanes.paced]) {
      const refused = lane.filter(test);
      if (refused.length === 0) continue;
      lane.splice(0, lane.length, ...lane.filter((waiter) => !test(waiter)));
      for (const waiter of refused) waiter.reject(error);
    }
  }
}

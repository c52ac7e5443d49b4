import type { MonotonicClock } from '../ports/pacing.ts';

export type Clock = Pick<MonotonicClock, 'now' | 'sleep'>;

/** Waits; the signal ends the wait early, without an error. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

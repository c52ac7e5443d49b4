/**
 * The offset of the server's clock from the clock of this machine, as an interval: a reading was taken at some moment
 * between its request and its arrival. Each further reading narrows the interval; a reading outside of it means that
 * one of the clocks was set.
 */

/** Milliseconds, server minus this machine; the true offset lies in [low, high]. */
export interface Offset {
  readonly low: number;
  readonly high: number;
}

/** The server's time, with this machine's time before the request and after the answer. */
export interface Reading {
  readonly server: number;
  readonly before: number;
  readonly after: number;
}

/** The offset, with the time of the last reading on this machine's clock. */
export interface KnownOffset extends Offset {
  readonly at: number;
}

/** Upper bound of the drift between two clocks that are not set, as a share of the elapsed time. */
const DRIFT = 0.001;

/** @returns the narrowed interval, or null where the reading lies outside of it. */
export function narrow(known: KnownOffset | null, { server, before, after }: Reading): KnownOffset | null {
  const low = server - after;
  const high = server - before;
  if (known === null) return { low, high, at: after };
  const drifted = Math.max(0, after - known.at) * DRIFT;
  const narrowed = { low: Math.max(low, known.low - drifted), high: Math.min(high, known.high + drifted), at: after };
  return narrowed.low <= narrowed.high ? narrowed : null;
}

export function middle({ low, high }: Offset): number {
  return (low + high) / 2;
}

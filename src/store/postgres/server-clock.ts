/**
 * How far the server's clock is ahead of ours, as an interval: a reading that was asked for at one moment and had arrived by
 * another was true at some moment between. Each further reading narrows the interval; one that does not fit in says that one
 * of the clocks was moved.
 */

/** Milliseconds, server minus ours; the truth lies between the two, ends included. */
export interface Offset {
  readonly low: number;
  readonly high: number;
}

/** The server's time, with our own before it was asked and after it had answered. */
export interface Reading {
  readonly server: number;
  readonly before: number;
  readonly after: number;
}

/** What is known of the offset, and since when on our own clock. */
export interface KnownOffset extends Offset {
  readonly at: number;
}

/** Two clocks that nobody moves still part from each other, by far less than this share of the time. */
const DRIFT = 0.001;

/** @returns the narrowed interval, or null where the reading contradicts what was known. */
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

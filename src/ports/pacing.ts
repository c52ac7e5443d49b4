/** The rate limit: the limiter that every request asks, and the durable log of bookings that it shares with other processes. */
import type { Instant } from '../domain/record.ts';

/** How a request may spend the allowance: `paced` spreads evenly, `burst` may take what is free (a person waits). */
export type Pace = 'paced' | 'burst';

/** Bounds the rate. Every request asks here first, retries and rejected ones included. */
export interface Limiter {
  /**
   * Resolves when a slot is booked durably and the request may leave.
   * @throws an AbortError when `signal` aborts, CircuitOpenError where waiting is not wanted (`mayWait: false`).
   */
  acquire(options: { pace: Pace; signal?: AbortSignal | undefined; mayWait?: boolean }): Promise<void>;
  /** Reports an answer of the Service to the circuit. */
  report(answer: { kind: 'ok' | 'forbidden' | 'refused' | 'limited'; retryAfterMs: number | null }): Promise<void>;
  /** The present state, for plan, doctor and messages. */
  state(): Promise<LimiterState>;
}

/** What became of the circuit, as this process has just seen it. */
export interface CircuitChange {
  /** `waiting`: requests stand in line until the pause is over. */
  type: 'opened' | 'waiting' | 'closed';
  /** End of the pause (wall clock); null where it is over. */
  until: Instant | null;
  /** Openings in a row. */
  trips: number;
  /** Why it is open, or was. */
  reason: string;
}

export interface LimiterState {
  circuit: { open: boolean; until: Instant | null; trips: number; reason: string | null };
  windows: readonly { requests: number; perMs: number; used: number }[];
  /** Other names of addresses that booked within a day; where one stands for the same address, the limit is exceeded. */
  otherEgresses: readonly string[];
}

/** At most `requests` in any `perMs`. It holds for fixed and for sliding windows. */
export interface RateLimit {
  requests: number;
  perMs: number;
}

/** Times here are milliseconds of a monotonic clock whose `domain` names the boot it counts from. */
export interface MonotonicClock {
  /** Readings of different domains cannot be compared: a new boot, another machine. */
  readonly domain: string;
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Whether anything may be sent at all; shared by every process of one egress. */
export interface CircuitRecord {
  state: 'closed' | 'open' | 'probing';
  /** Monotonic time until which no request may be sent. */
  until: number;
  /** Openings in a row without a lasting success between them. */
  trips: number;
  /** Refusals in a row. */
  refusals: number;
  /** When it last closed after a probe, monotonic; null never. */
  closedAt: number | null;
  reason: string | null;
  /** The clock domain that `until` and `closedAt` were read in. */
  domain: string;
}

/** One egress's bookings, inside one write transaction that excludes every other process. */
export interface BookingTransaction {
  /** Monotonic time of the n-th latest booking in this clock's domain (1 = latest), or null where there are fewer. */
  nthLatest(n: number): Promise<number | null>;
  /** The same for several n, in one query. */
  latest(ns: readonly number[]): Promise<ReadonlyMap<number, number | null>>;
  book(at: number): Promise<void>;
  /** Re-dates bookings of another domain to `now`, in this domain, because their age is unknown. Returns how many. */
  adoptForeign(now: number): Promise<number>;
  forgetBefore(at: number): Promise<void>;
  /** Other egresses that booked at or after `at` in this clock's domain, sorted. */
  othersSince(at: number): Promise<readonly string[]>;
  circuit(): Promise<CircuitRecord | null>;
  saveCircuit(circuit: CircuitRecord): Promise<void>;
}

/** The durable log of bookings; implemented by the store. Committed durably before the returned promise resolves. */
export interface BookingLog {
  withBookings<T>(egress: string, domain: string, work: (bookings: BookingTransaction) => Promise<T>): Promise<T>;
}

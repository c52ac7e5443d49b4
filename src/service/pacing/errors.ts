/** What can go wrong while waiting for a slot; one class per cause. */
import { type Instant, showInstant } from '../../domain/record.ts';

/** Thrown by `acquire({ mayWait: false })` while the circuit is open: nothing may be sent before `until`. */
export class CircuitOpenError extends Error {
  override readonly name = 'CircuitOpenError';
  /** When the next attempt is allowed (wall clock). */
  readonly until: Instant;
  readonly reason: string;
  constructor(until: Instant, reason: string) {
    super(
      `no request is sent before ${showInstant(until)}: ${reason}. Sending anyway could block this address for longer; ` +
        'try again after that time, and lower service.rateLimits if it happens again',
    );
    this.until = until;
    this.reason = reason;
  }
}

/** Thrown when slots are stale by the time they are committed, several times running: they would no longer be safe to use. */
export class BookingTooSlowError extends Error {
  override readonly name = 'BookingTooSlowError';
  constructor(tookMs: number, staleAfterMs: number) {
    super(
      `booking a request took ${Math.round(tookMs)} ms, and after ${staleAfterMs} ms a booking no longer protects the rate ` +
        'limit. Move the database to a local disk, free the machine of other load, or raise service.guard',
    );
  }
}

/** Thrown when bookings under another clock keep appearing: two machines use one egress name, and no order of theirs can be known. */
export class EgressSharedError extends Error {
  override readonly name = 'EgressSharedError';
  constructor(egress: string) {
    super(
      `the egress "${egress}" is being booked from machines with different clocks, so neither can know when a slot is ` +
        'free. Give each machine its own egress name and a share of service.rateLimits, or run on one machine only',
    );
  }
}

/** Reasons for which the limiter cannot keep its promise, and sends nothing. */
import { UnavailableError } from '../../domain/errors.ts';

/**
 * Thrown when slots are stale by the time they are committed, several times in a row: they would no longer be safe to
 * use.
 */
export class BookingTooSlowError extends UnavailableError {
  constructor(tookMs: number, staleAfterMs: number) {
    super(
      `booking a request took ${Math.round(tookMs)} ms, and after ${staleAfterMs} ms a booking no longer protects the rate limit`,
      { remedy: 'move the database to a local disk, free the machine of other load, or raise service.guard' },
    );
  }
}

/** Thrown when bookings under another clock keep appearing: two machines use one egress name, and their bookings cannot be ordered. */
export class EgressSharedError extends UnavailableError {
  constructor(egress: string) {
    super(
      `the egress "${egress}" is being booked from machines with different clocks, so neither can know when a slot is free`,
      { remedy: 'give each machine its own egress name and a share of service.rateLimits, or run on one machine only' },
    );
  }
}

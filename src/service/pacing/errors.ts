/** What can go wrong while waiting for a slot; one class per cause. */
import { EXIT, TieoutError } from '../../domain/errors.ts';

/** Thrown when slots are stale by the time they are committed, several times running: they would no longer be safe to use. */
export class BookingTooSlowError extends TieoutError {
  override readonly name = 'BookingTooSlowError';
  override readonly exitCode = EXIT.unavailable;
  constructor(tookMs: number, staleAfterMs: number) {
    super(
      `booking a request took ${Math.round(tookMs)} ms, and after ${staleAfterMs} ms a booking no longer protects the rate ` +
        'limit. Move the database to a local disk, free the machine of other load, or raise service.guard',
    );
  }
}

/** Thrown when bookings under another clock keep appearing: two machines use one egress name, and no order of theirs can be known. */
export class EgressSharedError extends TieoutError {
  override readonly name = 'EgressSharedError';
  override readonly exitCode = EXIT.unavailable;
  constructor(egress: string) {
    super(
      `the egress "${egress}" is being booked from machines with different clocks, so neither can know when a slot is ` +
        'free. Give each machine its own egress name and a share of service.rateLimits, or run on one machine only',
    );
  }
}

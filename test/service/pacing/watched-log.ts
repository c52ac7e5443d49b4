/** A booking log that notes what else is asked of it besides slots. */
import type { BookingTransaction, CircuitRecord } from '../../../src/ports/pacing.ts';
import { MemoryBookingLog } from '../../support/memory-booking-log.ts';

export class WatchedLog extends MemoryBookingLog {
  /** Every circuit that was written, in order. */
  readonly saved: CircuitRecord[] = [];
  /** Every time before which bookings were dropped, in order. */
  readonly forgotten: number[] = [];
  /** How often bookings of other clocks were asked for. */
  adoptions = 0;

  override withBookings<T>(
    egress: string,
    domain: string,
    work: (bookings: BookingTransaction) => Promise<T>,
  ): Promise<T> {
    return super.withBookings(egress, domain, (bookings) => work(this.#watch(bookings)));
  }

  #watch(bookings: BookingTransaction): BookingTransaction {
    return {
      ...bookings,
      adoptForeign: (now) => {
        this.adoptions++;
        return bookings.adoptForeign(now);
      },
      forgetBefore: (at) => {
        this.forgotten.push(at);
        return bookings.forgetBefore(at);
      },
      saveCircuit: (circuit) => {
        this.saved.push(circuit);
        return bookings.saveCircuit(circuit);
      },
    };
  }
}

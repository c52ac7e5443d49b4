/** Tables that processes share: leases, the request log of the rate limiter, its circuit. */
import type { Generated } from 'kysely';
import type { CircuitRecord } from '../../ports/pacing.ts';

export interface LeaseTable {
  name: string;
  /** Grows with every acquisition; the row stays after a release, so that no token is ever given twice. */
  token: number;
  /** Null when released. */
  holder: string | null;
  held_until: number;
}

export interface BookingTable {
  booking_key: Generated<number>;
  egress: string;
  domain: string;
  /** Monotonic milliseconds of the domain, with their fraction. */
  at: number;
}

export interface CircuitTable extends Omit<CircuitRecord, 'closedAt'> {
  egress: string;
  closed_at: number | null;
}

/** Tables that processes share: leases, the request log of the rate limiter, its circuit. */
import type { CircuitRecord } from '../../ports/pacing.ts';
import { id, integer, key, real, table, text } from './column.ts';

const RUNNING = 'holds for the minutes of a run or of a request';

export const CIRCUIT = {
  state: text.as<CircuitRecord['state']>(),
  until: real,
  trips: integer,
  refusals: integer,
  closed_at: real.orNull,
  reason: text.orNull,
  domain: text,
};

export const LIMITS = {
  leases: table(
    {
      name: id,
      /** Grows with every acquisition; the row stays after a release, so that no token is ever given twice. */
      token: integer,
      /** Null when released. */
      holder: text.orNull,
      held_until: integer,
    },
    { seal: RUNNING, key: ['name'], clustered: true, storage: 'fillfactor = 50' },
  ),

  bookings: table(
    {
      booking_key: key,
      egress: id,
      domain: id,
      /** Monotonic milliseconds of the domain, with their fraction. */
      at: real,
    },
    { seal: RUNNING, indexes: ['bookings_time (egress, domain, at)'] },
  ),

  circuits: table(
    {
      egress: id,
      ...CIRCUIT,
    },
    { seal: RUNNING, key: ['egress'], clustered: true, storage: 'fillfactor = 50' },
  ),
};

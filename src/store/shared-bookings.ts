/**
 * The log of bookings that several machines share, in the time of the one clock that all of them can read: the
 * server's.
 *
 * Each machine computes with its own monotonic clock; times are converted when they are written and read. The
 * uncertainty of the offset is always added on the safe side: a booking counts as younger than it is, never as older.
 * Where the offset cannot be trusted (a clock was set, the server was restarted, the log does not know this machine's
 * boot), every booking counts as made now, and the windows drain.
 */

import { sql } from 'kysely';
import type { BookingLog, BookingTransaction, CircuitRecord, MonotonicClock } from '../ports/pacing.ts';
import { bookingTransaction, clockOf } from './bookings.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { deleteRows, setRows } from './rows.ts';
import { insertRows } from './write-rows.ts';

/**
 * Each boot stores its offset in the log, so that its next process can detect that the server's clock was set in between.
 * A difference below this tolerance is drift; it is a tenth of the limiter's guard interval.
 */
const TOLERANCE_MS = 500;
/** Number of boots whose offset the log keeps, per egress. */
const BOOTS = 100;

type Clock = NonNullable<Engine['clock']>;

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

/**
 * A reading was taken at some moment between its request and its arrival: each further one narrows the interval of the offset.
 * @returns null where the reading lies outside of it: one of the clocks was set
 */
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

interface ClockRow {
  now: number;
  started: string;
  left: number | null;
}

/** Own bookings of which the exact time is kept: more than the largest limit that is known has slots. */
const OWN_KEPT = 5_000;

/** The clock's state in one transaction. */
interface ClockNow {
  /** Identifies the server's clock by its start time: times under another name are not comparable. */
  name: string;
  offset: KnownOffset;
  /** Number of bookings that were set to now. */
  redated: number;
}

async function readClock(tx: WriteTransaction, egress: string, domain: string, clock: Clock): Promise<ClockRow> {
  const { rows } = await sql<ClockRow>`
    select ${clock.now} as now, ${clock.started} as started,
      (select at from bookings where egress = ${clockOf(egress)} and domain = ${domain} limit 1) as left`.execute(
    tx.db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the server gave no time');
  return row;
}

async function leaveOffset(tx: WriteTransaction, egress: string, domain: string, offset: Offset): Promise<void> {
  // Offsets are rows of `bookings` too; no request is ever booked under that name.
  const boots = clockOf(egress);
  await deleteRows(tx, 'bookings', { egress: boots, domain });
  await insertRows(tx, 'bookings', [{ egress: boots, domain, at: middle(offset) }]);
  await sql`delete from bookings where egress = ${boots} and booking_key <= (
    select booking_key from bookings where egress = ${boots} order by booking_key desc limit 1 offset ${BOOTS})`.execute(
    tx.db,
  );
}

/** Sets every booking of the egress to `at` and marks its circuit's times as not comparable. */
async function redate(tx: WriteTransaction, egress: string, name: string, at: number): Promise<number> {
  await setRows(tx, 'circuits', { egress }, { domain: 'unknown' });
  return setRows(tx, 'bookings', { egress }, { domain: name, at });
}

/** A circuit with times that are not comparable keeps its domain: the limiter treats it as one of another boot. */
function readCircuit(circuit: CircuitRecord | null, { name, offset }: ClockNow, domain: string): CircuitRecord | null {
  if (circuit === null || circuit.domain !== name) return circuit;
  const closedAt = circuit.closedAt === null ? null : circuit.closedAt - offset.low;
  return { ...circuit, domain, until: circuit.until - offset.low, closedAt };
}

/**
 * The own time of each booking of this process, by its stored time. Without it the uncertainty of the offset, at least the
 * network's fastest round trip, would be lost with every slot. An entry that was given up or redated matches no stored time.
 */
type OwnBookings = Map<number, number>;

function note(own: OwnBookings, stored: number, at: number): void {
  own.set(stored, at);
  const [oldest] = own.keys();
  if (own.size > OWN_KEPT && oldest !== undefined) own.delete(oldest);
}

function translated(
  tx: WriteTransaction,
  egress: string,
  domain: string,
  now: ClockNow,
  own: OwnBookings,
): BookingTransaction {
  const { name, offset } = now;
  const log = bookingTransaction(tx, egress, name);
  const here = (stored: number | null) => (stored === null ? null : (own.get(stored) ?? stored - offset.low));
  return {
    nthLatest: async (n) => here(await log.nthLatest(n)),
    latest: async (ns) => new Map([...(await log.latest(ns))].map(([n, stored]) => [n, here(stored)])),
    book: (at) => {
      note(own, at + offset.high, at);
      return log.book(at + offset.high);
    },
    adoptForeign: async (at) => now.redated + (await log.adoptForeign(at + offset.high)),
    forgetBefore: (at) => log.forgetBefore(at + offset.low),
    othersSince: (at) => log.othersSince(at + offset.low),
    circuit: async () => readCircuit(await log.circuit(), now, domain),
    saveCircuit: (circuit) =>
      log.saveCircuit({
        ...circuit,
        domain: name,
        until: circuit.until + offset.high,
        closedAt: circuit.closedAt === null ? null : circuit.closedAt + offset.high,
      }),
  };
}

/** @param own this machine's clock; every call must give its `domain`. */
export function sharedBookingLog(engine: Engine, server: Clock, own: MonotonicClock): BookingLog {
  // By egress: each has its own lock, so no two transactions of one egress run at the same time.
  const offsets = new Map<string, KnownOffset>();
  const booked = new Map<string, OwnBookings>();
  return {
    withBookings: async (egress, domain, work) => {
      const mine: OwnBookings = booked.get(egress) ?? new Map();
      booked.set(egress, mine);
      const { result, offset } = await engine.writeAs(`bookings of ${egress}`, async (tx) => {
        const now = await settleClock(tx, egress, domain);
        return { result: await work(translated(tx, egress, domain, now, mine)), offset: now.offset };
      });
      // Stored only after the commit: where the transaction failed, the next one must check the clock again.
      offsets.set(egress, offset);
      return result;
    },
  };

  /** Reads the server's clock; where it is not the clock that the log was kept by, sets all bookings to now. */
  async function settleClock(tx: WriteTransaction, egress: string, domain: string): Promise<ClockNow> {
    const known = offsets.get(egress) ?? null;
    const before = own.now();
    const row = await readClock(tx, egress, domain, server);
    const reading = { server: row.now, before, after: own.now() };
    const name = `server started ${row.started}`;
    const narrowed = narrow(known, reading);
    const offset = narrowed ?? { low: row.now - reading.after, high: row.now - before, at: reading.after };
    const width = offset.high - offset.low;
    const asLeft = row.left !== null && Math.abs(middle(offset) - row.left) <= TOLERANCE_MS + width;
    const trusted = narrowed !== null && (known !== null || asLeft);
    if (row.left === null || Math.abs(middle(offset) - row.left) > TOLERANCE_MS / 4)
      await leaveOffset(tx, egress, domain, offset);
    const redated = trusted ? 0 : await redate(tx, egress, name, reading.after + offset.high);
    return { name, offset, redated };
  }
}

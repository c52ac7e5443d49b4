/**
 * The log of bookings where several machines share it: kept by the one clock that all of them can ask, the server's.
 *
 * Each machine goes on reckoning by its own monotonic clock; times are translated on their way in and out. Both ways round
 * the uncertainty falls on the safe side: a booking looks younger than it is, never older. Where nothing is known of the
 * clock (it was moved, the server was started again, this machine's boot is new to the log), every booking counts as made
 * just now, and the windows drain.
 */
import { sql } from 'kysely';
import type { BookingLog, BookingTransaction, CircuitRecord, MonotonicClock } from '../../ports/pacing.ts';
import { bookingTransaction } from '../bookings.ts';
import type { Engine, WriteTransaction } from '../engine.ts';
import { type KnownOffset, middle, narrow, type Offset } from './server-clock.ts';

/**
 * A boot leaves its offset in the log, so that its next process can tell whether the server's clock was moved in between.
 * Less than this is the clocks' own parting, and a tenth of the guard.
 */
const TOLERANCE_MS = 500;
/** Boots that the log remembers, for each address. */
const BOOTS = 100;

interface ClockRow {
  now: number;
  started: string;
  left: number | null;
}

/** The clock's state in one transaction. */
interface ClockNow {
  /** Names the server's clock since its start: times under another name cannot be compared. */
  name: string;
  offset: KnownOffset;
  /** Bookings that had to be taken as made just now. */
  redated: number;
}

/** What a boot left lies among the bookings, under an egress that no request is booked for. */
const bootsOf = (egress: string): string => `clock of ${egress}`;

async function readClock(tx: WriteTransaction, egress: string, domain: string): Promise<ClockRow> {
  const { rows } = await sql<ClockRow>`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as now,
      extract(epoch from pg_postmaster_start_time())::text as started,
      (select at from bookings where egress = ${bootsOf(egress)} and domain = ${domain} limit 1) as left`.execute(
    tx.db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the server told no time');
  return row;
}

async function leaveOffset(tx: WriteTransaction, egress: string, domain: string, offset: Offset): Promise<void> {
  const boots = bootsOf(egress);
  await tx.db.deleteFrom('bookings').where('egress', '=', boots).where('domain', '=', domain).execute();
  await tx.insertMany('bookings', ['egress', 'domain', 'at'], [[boots, domain, middle(offset)]]);
  await sql`delete from bookings where egress = ${boots} and booking_key <= (
    select booking_key from bookings where egress = ${boots} order by booking_key desc limit 1 offset ${BOOTS})`.execute(
    tx.db,
  );
}

/** Every booking of the address counts as made at `at`, and its circuit as one whose times nobody can tell. */
async function redate(tx: WriteTransaction, egress: string, name: string, at: number): Promise<number> {
  await tx.db.updateTable('circuits').set({ domain: 'unknown' }).where('egress', '=', egress).execute();
  const result = await tx.db
    .updateTable('bookings')
    .set({ domain: name, at })
    .where('egress', '=', egress)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Looks at the server's clock, and makes the log safe where that is not the clock that it was kept by. */
async function settleClock(
  tx: WriteTransaction,
  egress: string,
  domain: string,
  clock: MonotonicClock,
  known: KnownOffset | null,
): Promise<ClockNow> {
  const before = clock.now();
  const row = await readClock(tx, egress, domain);
  const reading = { server: row.now, before, after: clock.now() };
  const name = `server started ${row.started}`;
  const narrowed = narrow(known, reading);
  const offset = narrowed ?? { low: row.now - reading.after, high: row.now - before, at: reading.after };
  const width = offset.high - offset.low;
  const asLeft = row.left !== null && Math.abs(middle(offset) - row.left) <= TOLERANCE_MS + width;
  const trusted = narrowed !== null && (known !== null || asLeft);
  if (row.left === null || Math.abs(middle(offset) - row.left) > TOLERANCE_MS / 4) {
    await leaveOffset(tx, egress, domain, offset);
  }
  const redated = trusted ? 0 : await redate(tx, egress, name, reading.after + offset.high);
  return { name, offset, redated };
}

/** A circuit whose times cannot be told counts as another boot's, for which the limiter has a rule. */
function readCircuit(circuit: CircuitRecord | null, { name, offset }: ClockNow, domain: string): CircuitRecord | null {
  if (circuit === null || circuit.domain !== name) return circuit;
  const closedAt = circuit.closedAt === null ? null : circuit.closedAt - offset.low;
  return { ...circuit, domain, until: circuit.until - offset.low, closedAt };
}

function translated(tx: WriteTransaction, egress: string, domain: string, now: ClockNow): BookingTransaction {
  const { name, offset } = now;
  const log = bookingTransaction(tx, egress, name);
  return {
    nthLatest: async (n) => {
      const at = await log.nthLatest(n);
      return at === null ? null : at - offset.low;
    },
    book: (at) => log.book(at + offset.high),
    adoptForeign: async (at) => now.redated + (await log.adoptForeign(at + offset.high)),
    forgetBefore: (at) => log.forgetBefore(at + offset.low),
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

/** @param clock this machine's; `domain` of every call must be its. */
export function sharedBookingLog(engine: Engine, clock: MonotonicClock): BookingLog {
  // By egress, since each has its own lock: two transactions of one egress are never under way at once.
  const offsets = new Map<string, KnownOffset>();
  return {
    withBookings: async (egress, domain, work) => {
      const { answer, offset } = await engine.writeAs(`bookings of ${egress}`, async (tx) => {
        const now = await settleClock(tx, egress, domain, clock, offsets.get(egress) ?? null);
        return { answer: await work(translated(tx, egress, domain, now)), offset: now.offset };
      });
      // Only what was committed is known: a log that could not be made safe must be made so by the next one.
      offsets.set(egress, offset);
      return answer;
    },
  };
}

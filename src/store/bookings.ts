/** The durable log of the rate limiter: a booking holds the egress's lock until it is on disk. */
import type { BookingLog, BookingTransaction, CircuitRecord } from '../ports/pacing.ts';
import type { Engine, WriteTransaction } from './engine.ts';

async function nthLatest(tx: WriteTransaction, egress: string, domain: string, n: number): Promise<number | null> {
  const row = await tx.db
    .selectFrom('bookings')
    .select('at')
    .where('egress', '=', egress)
    .where('domain', '=', domain)
    .orderBy('at', 'desc')
    .limit(1)
    .offset(n - 1)
    .executeTakeFirst();
  return row?.at ?? null;
}

async function readCircuit(tx: WriteTransaction, egress: string): Promise<CircuitRecord | null> {
  const row = await tx.db.selectFrom('circuits').selectAll().where('egress', '=', egress).executeTakeFirst();
  if (row === undefined) return null;
  const { state, until, trips, refusals, reason, domain } = row;
  return { state, until, trips, refusals, closedAt: row.closed_at, reason, domain };
}

async function saveCircuit(tx: WriteTransaction, egress: string, circuit: CircuitRecord): Promise<void> {
  const { state, until, trips, refusals, closedAt, reason, domain } = circuit;
  const columns = { state, until, trips, refusals, closed_at: closedAt, reason, domain };
  await tx.db
    .insertInto('circuits')
    .values({ egress, ...columns })
    .onConflict((conflict) => conflict.column('egress').doUpdateSet(columns))
    .execute();
}

export function bookingTransaction(tx: WriteTransaction, egress: string, domain: string): BookingTransaction {
  return {
    nthLatest: (n) => nthLatest(tx, egress, domain, n),
    book: (at) => tx.insertMany('bookings', ['egress', 'domain', 'at'], [[egress, domain, at]]),
    adoptForeign: async (now) => {
      const adopted = await tx.db
        .updateTable('bookings')
        .set({ domain, at: now })
        .where('egress', '=', egress)
        .where('domain', '!=', domain)
        .executeTakeFirst();
      return Number(adopted.numUpdatedRows);
    },
    forgetBefore: async (at) => {
      await tx.db
        .deleteFrom('bookings')
        .where('egress', '=', egress)
        .where('domain', '=', domain)
        .where('at', '<', at)
        .execute();
    },
    circuit: () => readCircuit(tx, egress),
    saveCircuit: (circuit) => saveCircuit(tx, egress, circuit),
  };
}

export function bookingLog(engine: Engine): BookingLog {
  return {
    withBookings: (egress, domain, work) =>
      engine.writeAs(`bookings of ${egress}`, (tx) => work(bookingTransaction(tx, egress, domain))),
  };
}

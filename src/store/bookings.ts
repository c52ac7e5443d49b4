/** The durable log of the rate limiter: a booking holds the egress's lock until it is on disk. */
import { sql } from 'kysely';
import type { BookingLog, BookingTransaction } from '../ports/pacing.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { type CellsOf, namesOf } from './schema/column.ts';
import { CIRCUIT } from './schema/limits.ts';
import { readerOf, writerOf } from './schema/places.ts';
import { insertRows } from './write-rows.ts';

/** Names of ours that stand for no address of the Service's clients: offsets of clocks, endpoints of chains. */
export const clockOf = (egress: string) => `clock of ${egress}`;
export const endpointOf = (chain: string, name: string) => `chain:${chain}:${name}`;

/** Statements go through `rows` and `run`, which keep their order where they are sent without waiting. */
export function bookingTransaction(tx: WriteTransaction, egress: string, domain: string): BookingTransaction {
  const latest = async (ns: readonly number[]): Promise<ReadonlyMap<number, number | null>> => {
    if (ns.length === 0) return new Map();
    const nth = (n: number) =>
      sql`(select at from bookings where egress = ${egress} and domain = ${domain} order by at desc limit 1
      offset ${n - 1})`;
    // The text depends only on the number of ranks, so that a server keeps the plan of each.
    const query = sql`select ${sql.join(ns.map((n, index) => sql`${nth(n)} as ${sql.ref(`n${index}`)}`))}`;
    const [row] = await tx.rows({ compile: () => query.compile(tx.db) });
    return new Map(ns.map((n, index) => [n, (row?.[index] ?? null) as number | null]));
  };
  return {
    nthLatest: async (n) => (await latest([n])).get(n) ?? null,
    latest,
    book: async (at) => tx.send([insertRows(tx, 'bookings', [{ egress, domain, at }])]),
    adoptForeign: async (now) => {
      const foreign = tx.db.updateTable('bookings').set({ domain, at: now }).where('egress', '=', egress);
      return (await tx.rows(foreign.where('domain', '!=', domain).returning('booking_key'))).length;
    },
    forgetBefore: (at) =>
      tx.run(
        tx.db.deleteFrom('bookings').where('egress', '=', egress).where('domain', '=', domain).where('at', '<', at),
      ),
    othersSince: async (at) => {
      const names = tx.db.selectFrom('bookings').select('egress').distinct().where('domain', '=', domain);
      const others = names.where('egress', '!=', egress).where('at', '>=', at).orderBy('egress');
      const rows = await tx.rows(
        others.where('egress', 'not like', clockOf('%')).where('egress', 'not like', endpointOf('%', '%')),
      );
      return rows.map(([name]) => String(name));
    },
    circuit: async () => {
      const names = namesOf(CIRCUIT);
      const [row] = await tx.rows(tx.db.selectFrom('circuits').select(names).where('egress', '=', egress));
      if (row === undefined) return null;
      const cells = Object.fromEntries(names.map((name, index) => [name, row[index]]));
      return readerOf(CIRCUIT)(cells as CellsOf<typeof CIRCUIT>);
    },
    saveCircuit: async (circuit) => {
      const columns = writerOf(CIRCUIT)(circuit);
      const insert = tx.db.insertInto('circuits').values({ egress, ...columns });
      tx.send([tx.run(insert.onConflict((conflict) => conflict.column('egress').doUpdateSet(columns)))]);
    },
  };
}

export function bookingLog(engine: Engine): BookingLog {
  return {
    withBookings: (egress, domain, work) =>
      engine.writeAs(`bookings of ${egress}`, (tx) => work(bookingTransaction(tx, egress, domain))),
  };
}

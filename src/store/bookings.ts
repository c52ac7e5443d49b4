/** The durable log of the rate limiter: a booking holds the egress's lock until it is on disk. */
import { sql } from 'kysely';
import type { BookingLog, BookingTransaction, CircuitRecord } from '../ports/pacing.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { type CellsOf, namesOf } from './schema/column.ts';
import { CIRCUIT } from './schema/limits.ts';
import { readerOf, writerOf } from './schema/places.ts';
import { insertRows } from './write-rows.ts';

/** Statements go through `rows` and `run`, which keep their order where they are sent without waiting. */
async function latest(
  tx: WriteTransaction,
  egress: string,
  domain: string,
  ns: readonly number[],
): Promise<ReadonlyMap<number, number | null>> {
  if (ns.length === 0) return new Map();
  const nth = (n: number) =>
    sql`(select at from bookings where egress = ${egress} and domain = ${domain} order by at desc limit 1
      offset ${n - 1})`;
  // The text depends only on the number of ranks, so that a server keeps the plan of each.
  const query = sql`select ${sql.join(ns.map((n, index) => sql`${nth(n)} as ${sql.ref(`n${index}`)}`))}`;
  const [row] = await tx.rows({ compile: () => query.compile(tx.db) });
  return new Map(ns.map((n, index) => [n, (row?.[index] ?? null) as number | null]));
}

async function readCircuit(tx: WriteTransaction, egress: string): Promise<CircuitRecord | null> {
  const names = namesOf(CIRCUIT);
  const [row] = await tx.rows(tx.db.selectFrom('circuits').select(names).where('egress', '=', egress));
  if (row === undefined) return null;
  const cells = Object.fromEntries(names.map((name, index) => [name, row[index]]));
  return readerOf(CIRCUIT)(cells as CellsOf<typeof CIRCUIT>);
}

async function saveCircuit(tx: WriteTransaction, egress: string, circuit: CircuitRecord): Promise<void> {
  const columns = writerOf(CIRCUIT)(circuit);
  const insert = tx.db.insertInto('circuits').values({ egress, ...columns });
  tx.send([tx.run(insert.onConflict((conflict) => conflict.column('egress').doUpdateSet(columns)))]);
}

/** Names of ours that stand for no address of the Service's clients: offsets of clocks, endpoints of chains. */
export const clockOf = (egress: string) => `clock of ${egress}`;
export const endpointOf = (chain: string, name: string) => `chain:${chain}:${name}`;

async function othersSince(tx: WriteTransaction, egress: string, domain: string, at: number): Promise<string[]> {
  const names = tx.db.selectFrom('bookings').select('egress').distinct().where('domain', '=', domain);
  const others = names.where('egress', '!=', egress).where('at', '>=', at).orderBy('egress');
  const rows = await tx.rows(
    others.where('egress', 'not like', clockOf('%')).where('egress', 'not like', endpointOf('%', '%')),
  );
  return rows.map(([name]) => String(name));
}

export function bookingTransaction(tx: WriteTransaction, egress: string, domain: string): BookingTransaction {
  return {
    nthLatest: async (n) => (await latest(tx, egress, domain, [n])).get(n) ?? null,
    latest: (ns) => latest(tx, egress, domain, ns),
    book: async (at) => tx.send([insertRows(tx, 'bookings', [{ egress, domain, at }])]),
    adoptForeign: async (now) => {
      const foreign = tx.db.updateTable('bookings').set({ domain, at: now }).where('egress', '=', egress);
      return (await tx.rows(foreign.where('domain', '!=', domain).returning('booking_key'))).length;
    },
    forgetBefore: (at) =>
      tx.run(
        tx.db.deleteFrom('bookings').where('egress', '=', egress).where('domain', '=', domain).where('at', '<', at),
      ),
    othersSince: (at) => othersSince(tx, egress, domain, at),
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

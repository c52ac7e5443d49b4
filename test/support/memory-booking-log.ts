/**
 * The contract of a booking log, in memory: one write transaction at a time, undone where the work throws. Several
 * limiters over one such log are several processes over one database.
 */
import type { BookingLog, BookingTransaction, CircuitRecord } from '../../src/ports/pacing.ts';

interface Egress {
  /** Bookings per clock domain, oldest first. */
  bookings: Map<string, number[]>;
  circuit: CircuitRecord | null;
}

export class MemoryBookingLog implements BookingLog {
  readonly #egresses = new Map<string, Egress>();
  #last: Promise<unknown> = Promise.resolve();
  /** Transactions so far: what a real store would pay for. */
  transactions = 0;
  /** Runs before each commit; a slow disk, or one that fails. */
  beforeCommit: (() => Promise<void>) | null = null;

  withBookings<T>(egress: string, domain: string, work: (bookings: BookingTransaction) => Promise<T>): Promise<T> {
    const mine = this.#last.then(() => this.#transact(egress, domain, work));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** All bookings of an egress, of every clock domain, oldest first within each. */
  bookings(egress: string): readonly number[] {
    return [...(this.#egresses.get(egress)?.bookings.values() ?? [])].flat();
  }

  circuit(egress: string): CircuitRecord | null {
    return this.#egresses.get(egress)?.circuit ?? null;
  }

  /** Every other egress with its latest booking of the domain. */
  #others(name: string, domain: string): (readonly [string, number])[] {
    return [...this.#egresses]
      .filter(([other]) => other !== name)
      .map(([other, { bookings }]) => [other, bookings.get(domain)?.at(-1) ?? Number.NEGATIVE_INFINITY] as const);
  }

  async #transact<T>(name: string, domain: string, work: (bookings: BookingTransaction) => Promise<T>): Promise<T> {
    this.transactions++;
    const egress = this.#egresses.get(name) ?? { bookings: new Map<string, number[]>(), circuit: null };
    this.#egresses.set(name, egress);
    const undo: (() => void)[] = [];
    try {
      const result = await work(transactionOn(egress, domain, undo, () => this.#others(name, domain)));
      await this.beforeCommit?.();
      return result;
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }
}

function transactionOn(
  egress: Egress,
  domain: string,
  undo: (() => void)[],
  others: () => readonly (readonly [string, number])[],
): BookingTransaction {
  const own = () => {
    const found = egress.bookings.get(domain) ?? [];
    egress.bookings.set(domain, found);
    return found;
  };
  const replace = (of: string, by: number[]) => {
    const before = egress.bookings.get(of) ?? [];
    undo.push(() => egress.bookings.set(of, before));
    egress.bookings.set(of, by);
  };
  return {
    nthLatest: async (n) => own().at(-n) ?? null,
    latest: async (ns) => new Map(ns.map((n) => [n, own().at(-n) ?? null])),
    book: async (at) => {
      const bookings = own();
      const place = bookings.findLastIndex((earlier) => earlier <= at) + 1;
      bookings.splice(place, 0, at);
      undo.push(() => bookings.splice(place, 1));
    },
    adoptForeign: async (now) => {
      let adopted = 0;
      for (const [other, bookings] of egress.bookings) {
        if (other === domain || bookings.length === 0) continue;
        adopted += bookings.length;
        replace(other, []);
      }
      if (adopted > 0)
        replace(
          domain,
          [...own(), ...Array<number>(adopted).fill(now)].sort((a, b) => a - b),
        );
      return adopted;
    },
    forgetBefore: async (at) => {
      const bookings = own();
      const first = bookings.findIndex((each) => each >= at);
      if (first !== 0 && bookings.length > 0) replace(domain, first === -1 ? [] : bookings.slice(first));
    },
    othersSince: async (at) =>
      others()
        .filter(([, latest]) => latest >= at)
        .map(([name]) => name)
        .sort(),
    circuit: async () => egress.circuit,
    saveCircuit: async (circuit) => {
      const before = egress.circuit;
      undo.push(() => {
        egress.circuit = before;
      });
      egress.circuit = circuit;
    },
  };
}

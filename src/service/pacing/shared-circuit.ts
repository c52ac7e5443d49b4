/** The circuit as this process knows it, and the log's record of it that all processes share. */
import type { BookingLog, BookingTransaction, CircuitRecord, MonotonicClock } from '../../ports/pacing.ts';
import { type Answer, afterAnswer, type CircuitPolicy, closedCircuit, inDomain } from './circuit.ts';

/** The stored circuit in this clock's terms; `stored` is what it was read from, the same object where nothing differs. */
export async function readCircuit(
  bookings: BookingTransaction,
  domain: string,
  now: number,
  policy: CircuitPolicy,
): Promise<{ stored: CircuitRecord; circuit: CircuitRecord }> {
  const stored = (await bookings.circuit()) ?? closedCircuit(domain);
  return { stored, circuit: inDomain(stored, domain, now, policy) };
}

export class SharedCircuit {
  readonly #log: BookingLog;
  readonly #egress: string;
  readonly #clock: MonotonicClock;
  readonly #policy: CircuitPolicy;
  /** As last seen; null before the first look. */
  #known: CircuitRecord | null = null;
  #seenAt = Number.NEGATIVE_INFINITY;
  /** When what is known was read, within its transaction. */
  #readAt = Number.NEGATIVE_INFINITY;
  #look: Promise<void> | null = null;
  readonly #changed: (before: CircuitRecord | null, now: CircuitRecord) => void;

  /** @param changed is called where the circuit was opened, or opened again, or closed, by this process or another one */
  constructor(
    log: BookingLog,
    egress: string,
    clock: MonotonicClock,
    policy: CircuitPolicy,
    changed: (before: CircuitRecord | null, now: CircuitRecord) => void = () => undefined,
  ) {
    this.#changed = changed;
    this.#log = log;
    this.#egress = egress;
    this.#clock = clock;
    this.#policy = policy;
  }

  get isClosed(): boolean {
    return this.#known?.state === 'closed';
  }

  /** Whether an answer opened it after a turn read it: slots that were booked ahead are not used then. */
  openedSince(readAt: number): boolean {
    return this.#readAt > readAt && this.#known?.state === 'open';
  }

  /** Takes over a circuit that a turn has read, so that it need not be read again. */
  saw(circuit: CircuitRecord, readAt: number): void {
    if (readAt < this.#readAt) return;
    const before = this.#known;
    this.#known = circuit;
    this.#readAt = readAt;
    const wasOpen = before !== null && before.state !== 'closed';
    if (circuit.state === 'open' ? !wasOpen || before.trips !== circuit.trips : circuit.state === 'closed' && wasOpen)
      this.#changed(before, circuit);
    this.#seenAt = this.#clock.now();
  }

  /** Reads the log if the last reading is older than this; concurrent callers share one reading. */
  async refresh(olderThanMs: number): Promise<void> {
    if (this.#clock.now() - this.#seenAt < olderThanMs) return;
    this.#look ??= this.#transact(() => null).finally(() => {
      this.#look = null;
    });
    await this.#look;
  }

  /** Records an answer; resolves with whether it could change the shared circuit. */
  async report(answer: Answer): Promise<boolean> {
    if (!this.#matters(answer)) return false;
    await this.#transact((circuit, now) => afterAnswer(circuit, answer, now, this.#policy));
    return true;
  }

  /** Whether an answer can change the circuit: usual ones cannot, and must cost nothing. */
  #matters({ kind }: Answer): boolean {
    const circuit = this.#known;
    if (kind === 'limited') return true;
    if (circuit !== null && circuit.state !== 'closed') return true;
    return kind === 'ok' ? circuit === null || circuit.refusals > 0 : this.#policy[kind];
  }

  async #transact(change: (circuit: CircuitRecord, now: number) => CircuitRecord | null): Promise<void> {
    const { domain } = this.#clock;
    const read = await this.#log.withBookings(this.#egress, domain, async (bookings) => {
      const now = this.#clock.now();
      const { stored, circuit: before } = await readCircuit(bookings, domain, now, this.#policy);
      const changed = change(before, now);
      // Reading writes nothing, so it costs no commit.
      if (changed !== null && changed !== stored) await bookings.saveCircuit(changed);
      return { circuit: changed ?? before, now };
    });
    this.saw(read.circuit, read.now);
  }
}

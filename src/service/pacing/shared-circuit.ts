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

export type SharedCircuit = ReturnType<typeof sharedCircuit>;

/** @param changed is called where the circuit was opened, or opened again, or closed, by this process or another one */
export function sharedCircuit(
  log: BookingLog,
  egress: string,
  clock: MonotonicClock,
  policy: CircuitPolicy,
  changed: (before: CircuitRecord | null, now: CircuitRecord) => void = () => undefined,
) {
  /** As last seen; null before the first look. */
  let known: CircuitRecord | null = null;
  let seenAt = Number.NEGATIVE_INFINITY;
  /** When what is known was read, within its transaction. */
  let knownAt = Number.NEGATIVE_INFINITY;
  let look: Promise<void> | null = null;

  /** Takes over a circuit that a turn has read, so that it need not be read again. */
  const saw = (circuit: CircuitRecord, readAt: number) => {
    if (readAt < knownAt) return;
    const before = known;
    known = circuit;
    knownAt = readAt;
    const wasOpen = before !== null && before.state !== 'closed';
    if (circuit.state === 'open' ? !wasOpen || before.trips !== circuit.trips : circuit.state === 'closed' && wasOpen)
      changed(before, circuit);
    seenAt = clock.now();
  };

  const transact = async (change: (circuit: CircuitRecord, now: number) => CircuitRecord | null) => {
    const read = await log.withBookings(egress, clock.domain, async (bookings) => {
      const now = clock.now();
      const { stored, circuit: before } = await readCircuit(bookings, clock.domain, now, policy);
      const after = change(before, now);
      // Reading writes nothing, so it costs no commit.
      if (after !== null && after !== stored) await bookings.saveCircuit(after);
      return { circuit: after ?? before, now };
    });
    saw(read.circuit, read.now);
  };

  /** Whether an answer can change the circuit: usual ones cannot, and must cost nothing. */
  const matters = ({ kind }: Answer): boolean => {
    if (kind === 'limited') return true;
    if (known !== null && known.state !== 'closed') return true;
    return kind === 'ok' ? known === null || known.refusals > 0 : policy[kind];
  };

  return {
    saw,

    get isClosed(): boolean {
      return known?.state === 'closed';
    },

    /** Whether an answer opened it after a turn read it: slots that were booked ahead are not used then. */
    openedSince: (readAt: number) => knownAt > readAt && known?.state === 'open',

    /** Reads the log if the last reading is older than this; concurrent callers share one reading. */
    async refresh(olderThanMs: number): Promise<void> {
      if (clock.now() - seenAt < olderThanMs) return;
      look ??= transact(() => null).finally(() => {
        look = null;
      });
      await look;
    },

    /** Records an answer; resolves with whether it could change the shared circuit. */
    async report(answer: Answer): Promise<boolean> {
      if (!matters(answer)) return false;
      await transact((circuit, now) => afterAnswer(circuit, answer, now, policy));
      return true;
    },
  };
}

/**
 * One turn at the log: inside one transaction, books the allowed slots for the waiters and returns the time of the
 * next turn. Changes only the log, so a store may repeat it with its transaction.
 */
import type { BookingTransaction, CircuitRecord, Pace } from '../../ports/pacing.ts';
import { admission, type CircuitPolicy, takeProbe } from './circuit.ts';
import { readCircuit } from './shared-circuit.ts';
import { earliestSlot, type Rung } from './windows.ts';

/** The inputs that are equal in every turn. */
export interface TurnRules {
  domain: string;
  /**
   * Per pace, sets of rungs of which a booking must keep one whole set; without limits, empty sets: then nothing is
   * booked either.
   */
  rungs: Readonly<Record<Pace, readonly (readonly Rung[])[]>>;
  policy: CircuitPolicy;
  /** No rung looks back further than this. */
  keepMs: number;
}

/** Waiters per pace, the longest wait first. */
type Wishes = readonly { pace: Pace; waiting: number }[];

/** Slots that are booked together, and when the next turn is. */
export interface Turn {
  /** Monotonic time of the turn. Slots booked in it are dated at most GRACE_MS before, and not beyond `freeAt`. */
  at: number;
  /** Slots booked per pace. */
  slots: Readonly<Record<Pace, number>>;
  /** Monotonic time from which the slots may be used: the date of the last one, where it lies ahead of the turn. */
  freeAt: number;
  /** Time of the next turn for the remaining waiters; null without any. */
  wakeAt: number | null;
  circuit: CircuitRecord;
  /** Whether the circuit admits no request before `circuit.until`. */
  shut: boolean;
  /** Bookings of other clocks found in the log. */
  adopted: number;
}

/**
 * A slot is dated at the time it was free, up to this long before a late timer's turn: lateness does not add up, and
 * costs only this much more guard.
 */
export const GRACE_MS = 100;
/** Slots booked in one transaction: enough to share its cost, few enough to be sent before they are stale. */
const BATCH = 50;
/** Interval of reading the result of another process's probe. */
const PROBE_LOOK_MS = 5_000;

/**
 * Books for `wishes` what their rungs and the circuit allow at `now` (monotonic ms), at most a batch.
 * @param forget whether to drop bookings that no rung looks back to any more.
 * @param aheadMs how far ahead of `now` a slot may be dated: the time until the booking is on disk.
 */
export async function takeTurn(
  log: BookingTransaction,
  wishes: Wishes,
  now: number,
  rules: TurnRules,
  forget: boolean,
  aheadMs = 0,
): Promise<Turn> {
  // Whole milliseconds, rounded up: the log needs no fractions, and no slot is dated too early.
  const at = Math.ceil(now);
  const limited = rules.rungs.paced.some((set) => set.length > 0);
  const counts = [...new Set(wishes.flatMap(({ pace }) => rules.rungs[pace].flat().map(({ count }) => count)))];
  // In this order, and without waiting in between.
  const [adopted, , read, first] = await Promise.all([
    limited ? log.adoptForeign(at) : 0,
    limited && forget ? log.forgetBefore(at - rules.keepMs) : undefined,
    readCircuit(log, rules.domain, now, rules.policy),
    log.latest(counts),
  ]);
  const { stored, circuit: present } = read;
  let circuit = present;
  const slots = { burst: 0, paced: 0 };
  const gate = admission(circuit, now);
  if (gate.type === 'shut') {
    if (circuit !== stored) await log.saveCircuit(circuit);
    const look = circuit.state === 'probing' ? Math.min(gate.until, now + PROBE_LOOK_MS) : gate.until;
    return { at, slots, freeAt: at, wakeAt: look, circuit, shut: true, adopted };
  }

  let room = gate.type === 'probe' ? 1 : BATCH;
  let wakeAt: number | null = null;
  let freeAt = at;
  let latest: typeof first | null = first;
  for (const { pace, waiting } of wishes) {
    for (let left = waiting; left > 0; left--) {
      if (room > 0) latest ??= await log.latest(counts);
      const earliest = room === 0 || latest === null ? now : earliestOf(rules.rungs[pace], latest);
      if (room === 0 || earliest > now + aheadMs) {
        wakeAt = Math.min(wakeAt ?? earliest, earliest);
        break;
      }
      if (limited) {
        await log.book(Math.max(earliest, at - GRACE_MS));
        freeAt = Math.max(freeAt, earliest);
        latest = null;
      }
      slots[pace]++;
      room--;
    }
  }
  if (gate.type === 'probe' && room === 0) {
    // The claim is committed with the slot, so exactly one process sends the probe.
    circuit = takeProbe(circuit, now, rules.policy);
    if (wakeAt !== null) wakeAt = Math.min(circuit.until, now + PROBE_LOOK_MS);
  }
  if (circuit !== stored) await log.saveCircuit(circuit);
  return { at, slots, freeAt, wakeAt, circuit, shut: false, adopted };
}

function earliestOf(sets: readonly (readonly Rung[])[], latest: ReadonlyMap<number, number | null>): number {
  const times = sets.map((set) =>
    earliestSlot(set.map((rung) => ({ rung, nthLatest: latest.get(rung.count) ?? null }))),
  );
  return Math.min(...times);
}

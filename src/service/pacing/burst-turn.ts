/**
 * One turn at the log: inside one transaction, books what may be booked for those who wait and says when to look again.
 * Changes nothing but the log, so a store may run it again where a transaction has to be repeated.
 */
import type { BookingTransaction, CircuitRecord, Pace } from '../../ports/pacing.ts';
import { admission, type CircuitPolicy, claimProbe } from './circuit.ts';
import { readCircuit } from './shared-circuit.ts';
import { earliestSlot, type Rung, readRungs } from './windows.ts';

/** What does not change from turn to turn. */
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

export interface Turn {
  /** Monotonic time of the turn. Slots booked in it are dated at most GRACE_MS before. */
  at: number;
  /** Slots booked per pace. */
  slots: Readonly<Record<Pace, number>>;
  /** When to look again, for those still waiting; null where none is. */
  wakeAt: number | null;
  circuit: CircuitRecord;
  /** Whether the circuit admits no request before `circuit.until`. */
  shut: boolean;
  /** Bookings of other clocks found in the log. */
  adopted: number;
}

/**
 * A slot is dated when it was free, not when a late timer found it so, up to this long before: lateness then never adds
 * up, and costs nothing but this much more guard.
 */
export const GRACE_MS = 100;
/** Slots booked in one transaction: enough to share its cost, few enough to be sent before they are stale. */
const BATCH = 50;
/** While another process probes, its result is looked for this often. */
const PROBE_LOOK_MS = 5_000;

/**
 * Books for `wishes` what their rungs and the circuit allow at `now` (monotonic ms), at most a batch.
 * @param forget whether to drop bookings that no rung looks back to any more.
 */
export async function takeTurn(
  log: BookingTransaction,
  wishes: Wishes,
  now: number,
  rules: TurnRules,
  forget: boolean,
): Promise<Turn> {
  // Whole milliseconds, rounded up: the log need not keep fractions, and nothing is dated too early by them.
  const at = Math.ceil(now);
  const limited = rules.rungs.paced.some((set) => set.length > 0);
  const adopted = limited ? await log.adoptForeign(at) : 0;
  if (limited && forget) await log.forgetBefore(at - rules.keepMs);

  const { stored, circuit: present } = await readCircuit(log, rules.domain, now, rules.policy);
  let circuit = present;
  const slots = { burst: 0, paced: 0 };
  const gate = admission(circuit, now);
  if (gate.type === 'shut') {
    if (circuit !== stored) await log.saveCircuit(circuit);
    const look = circuit.state === 'probing' ? Math.min(gate.until, now + PROBE_LOOK_MS) : gate.until;
    return { at, slots, wakeAt: look, circuit, shut: true, adopted };
  }

  let room = gate.type === 'probe' ? 1 : BATCH;
  let wakeAt: number | null = null;
  for (const { pace, waiting } of wishes) {
    for (let left = waiting; left > 0; left--) {
      const earliest = room === 0 ? now : await earliestOf(rules.rungs[pace], log);
      if (room === 0 || earliest > now) {
        wakeAt = Math.min(wakeAt ?? earliest, earliest);
        break;
      }
      if (limited) await log.book(Math.max(earliest, at - GRACE_MS));
      slots[pace]++;
      room--;
    }
  }
  if (gate.type === 'probe' && room === 0) {
    // The claim is committed with the slot, so exactly one process sends the probe.
    circuit = claimProbe(circuit, now, rules.policy);
    if (wakeAt !== null) wakeAt = Math.min(circuit.until, now + PROBE_LOOK_MS);
  }
  if (circuit !== stored) await log.saveCircuit(circuit);
  return { at, slots, wakeAt, circuit, shut: false, adopted };
}

async function earliestOf(sets: readonly (readonly Rung[])[], log: BookingTransaction): Promise<number> {
  const times: number[] = [];
  for (const set of sets) times.push(earliestSlot(await readRungs(set, (n) => log.nthLatest(n))));
  return Math.min(...times);
}

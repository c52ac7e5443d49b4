/**
 * The limiter: bounds the rate of all requests from this address, over all processes and through crashes.
 *
 * A slot is committed to the shared log before its request leaves. Waiters of one process stand in line, and one pump
 * asks the log for all of them, and sleeps until the time that the log names, without polling.
 */

import type { Instant } from '../../domain/record.ts';
import type {
  BookingLog,
  CircuitChange,
  CircuitRecord,
  Limiter,
  MonotonicClock,
  RateLimit,
} from '../../ports/pacing.ts';
import { CircuitOpenError } from '../../ports/service-errors.ts';
import { GRACE_MS, type Turn, type TurnRules, takeTurn } from './burst-turn.ts';
import { type CircuitPolicy, LASTING_MS } from './circuit.ts';
import { BookingTooSlowError, EgressSharedError } from './errors.ts';
import { abortError, WaitingLine } from './line.ts';
import { burstRungs, pacedRungs } from './paced.ts';
import { readCircuit, sharedCircuit } from './shared-circuit.ts';
import { slotsTaken } from './windows.ts';

export interface LimiterOptions {
  /** All limits hold at once; an empty list is off: then only a 429 stops requests. */
  limits: readonly RateLimit[];
  /** Longest time between booking a request and the Service counting it. */
  guardMs: number;
  /** The address that the Service counts by; processes with the same name share one allowance. */
  egress: string;
  log: BookingLog;
  clock: MonotonicClock;
  /** Only for messages about the end of the circuit's pause. */
  wall: () => Instant;
  /** In [0, 1): spreads processes that wait for the same slot. Without it they differ only by chance. */
  random?: () => number;
  /** Which answers besides 429 count towards the circuit; both by default, neither where limits are off. */
  circuit?: { forbidden: boolean; refused: boolean };
  /** Called where the circuit opened or closed, and once where requests begin to wait for it. */
  onCircuit?: ((change: CircuitChange) => void) | undefined;
  /** Longest time that one exchange may take, retries not included; 30 s by default. */
  deadlineMs?: number;
}

const DEFAULT_DEADLINE_MS = 30_000;
/** Without limits no booking is read; the shared circuit is read this often. */
const CIRCUIT_LOOK_MS = 5_000;
const FORGET_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** Kept at least this long, so that a process with other limits on the same egress still finds what it needs. */
const KEEP_AT_LEAST_MS = 3_600_000;
/**
 * Bookings of another clock in this many consecutive turns are not left from an old boot: another machine makes them.
 */
const FOREIGN_TURNS = 5;
const STALE_TURNS = 5;
/** Pauses of a busy machine: half of a shorter guard would reject slots that are still safe. */
const SHORTEST_STALE_MS = 250;
/** The process that had the last slot waits this long, so that other processes go first. */
const YIELD_MS = 5;
/** A turn begins at most this long before the slot that it is for is free. */
const MOST_AHEAD_MS = 500;

/** The limiter over a shared log. Holds nothing open: there is nothing to close. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { limits, egress, log, clock, wall } = options;
  const { domain } = clock;
  /** From the date of a booking to the Service counting it, at most. */
  const guardMs = options.guardMs + GRACE_MS;
  // Half of the guard is for this process, from booking to sending; the other half is for the network.
  const staleAfterMs = Math.max(SHORTEST_STALE_MS, options.guardMs / 2);
  const watch = limits.length === 0 ? null : (options.circuit ?? { forbidden: true, refused: true });
  const policy: CircuitPolicy = {
    forbidden: watch?.forbidden ?? false,
    refused: watch?.refused ?? false,
    probeMs: options.guardMs + (options.deadlineMs ?? DEFAULT_DEADLINE_MS),
  };
  const spread = pacedRungs(limits, guardMs);
  const burst = burstRungs(limits, guardMs);
  const rungs = { burst: [burst, spread], paced: [spread] };
  const longest = Math.max(0, ...[...burst, ...spread].map((rung) => rung.spanMs));
  const rules: TurnRules = { domain, rungs, policy, keepMs: Math.max(longest, KEEP_AT_LEAST_MS) };
  const shared = sharedCircuit(log, egress, clock, policy, (before, now) =>
    tell(now.state === 'closed' ? 'closed' : 'opened', now, now.reason ?? before?.reason ?? null),
  );
  const line = new WaitingLine();
  /** How long the last turn took, up to a bound: the next one begins that much before its slot is free. */
  let turnMs = 0;
  let forgotAt = Number.NEGATIVE_INFINITY;
  let isPumping = false;
  /** Consecutive turns with bookings of another clock. */
  let foreignTurns = 0;
  /** The end of the pause that requests were last said to wait for. */
  let waitsUntil = 0;
  /** Consecutive turns whose slots were too old to use. */
  let staleTurns = 0;
  /** Consecutive times that another process took the awaited slot. */
  let losses = 0;
  /** Set when the line changed after the current turn or sleep began. */
  let isStirred = false;
  let wake: (() => void) | null = null;

  const stir = () => {
    isStirred = true;
    wake?.();
  };

  /** Serves the line until it is empty. An error here rejects every present waiter; later ones start a new pump. */
  const pump = async () => {
    isPumping = true;
    try {
      let cameForSlot = false;
      while (!line.isEmpty) {
        isStirred = false;
        const turn = await nextTurn();
        checkForeign(turn);
        if (isStale(turn)) continue;
        // A slot that was booked ahead is not used before its date.
        await sleepUntil(clock, turn.freeAt);
        if (shared.openedSince(turn.at)) continue;
        handOut(turn);
        if (turn.slots.burst + turn.slots.paced > 0) losses = 0;
        else if (cameForSlot) losses++;
        cameForSlot = false;
        if (isStirred || turn.wakeAt === null || line.isEmpty) continue;
        cameForSlot = await sleepUnlessStirred(turn.wakeAt - (turn.shut ? 0 : turnMs) + courtesyMs());
      }
    } catch (error) {
      line.rejectWhere(() => true, error);
    } finally {
      isPumping = false;
    }
  };

  /** @throws EgressSharedError */
  const checkForeign = ({ adopted }: Turn) => {
    foreignTurns = adopted > 0 ? foreignTurns + 1 : 0;
    if (foreignTurns >= FOREIGN_TURNS) throw new EgressSharedError(egress);
  };

  /**
   * Slots that took too long to commit are not used: sent now, they might be counted later than the guard allows for.
   * They stay booked.
   * @throws BookingTooSlowError after several such turns in a row.
   */
  const isStale = ({ slots, at }: Turn): boolean => {
    const age = clock.now() - at;
    const stale = limits.length > 0 && slots.burst + slots.paced > 0 && age > staleAfterMs;
    staleTurns = stale ? staleTurns + 1 : 0;
    if (staleTurns >= STALE_TURNS) throw new BookingTooSlowError(age, staleAfterMs);
    return stale;
  };

  const nextTurn = async (): Promise<Turn> => {
    const began = clock.now();
    const forget = began - forgotAt >= FORGET_EVERY_MS;
    if (forget) forgotAt = began;
    const turn = await log.withBookings(egress, domain, (bookings) => {
      const wishes = line.lanesByAge().map((pace) => ({ pace, waiting: line.waiting(pace) }));
      // Read inside the transaction: the slot is dated after the wait for the write lock.
      return takeTurn(bookings, wishes, clock.now(), rules, forget, turnMs);
    });
    turnMs = Math.min(clock.now() - began, MOST_AHEAD_MS);
    return turn;
  };

  const handOut = ({ circuit, slots, shut, at }: Turn) => {
    shared.saw(circuit, at);
    line.grant('burst', slots.burst);
    line.grant('paced', slots.paced);
    if (!shut) return;
    const refusal = new CircuitOpenError(wallTime(circuit), circuit.reason ?? 'the Service refuses this address');
    line.rejectWhere((waiter) => !waiter.mayWait, refusal);
    if (line.isEmpty || circuit.state !== 'open' || waitsUntil === circuit.until) return;
    waitsUntil = circuit.until;
    tell('waiting', circuit, circuit.reason);
  };

  const wallTime = ({ until }: CircuitRecord): Instant => Math.round(wall() + until - clock.now());

  const tell = (type: CircuitChange['type'], circuit: CircuitRecord, reason: string | null) =>
    options.onCircuit?.({
      type,
      until: type === 'closed' ? null : wallTime(circuit),
      trips: circuit.trips,
      reason: reason ?? 'the Service refuses this address',
    });

  /**
   * Several processes wake for the same slot. The process with the last slot waits longest, and a process that lost
   * comes earlier each time, so that none starves.
   */
  const courtesyMs = (): number => {
    if (losses === 0) return YIELD_MS;
    return ((YIELD_MS - 1) * (options.random?.() ?? 0.5)) / 2 ** (losses - 1);
  };

  /** True where the time has come, false where `stir` woke it before. */
  const sleepUnlessStirred = async (at: number): Promise<boolean> => {
    const nap = new AbortController();
    wake = () => nap.abort();
    try {
      await sleepUntil(clock, at, nap.signal);
      return true;
    } catch (error) {
      if (nap.signal.aborted) return false;
      throw error;
    } finally {
      wake = null;
    }
  };

  return {
    async acquire({ pace, mayWait = true, signal }) {
      if (limits.length === 0) {
        await shared.refresh(CIRCUIT_LOOK_MS);
        if (signal?.aborted) throw abortError(signal);
        if (shared.isClosed) return;
      }
      const slot = line.join(pace, mayWait, signal, stir);
      // Behind others of the same pace nothing changes for the pump, unless this caller must not wait at an open circuit.
      if (!mayWait || line.waiting(pace) === 1) stir();
      if (!isPumping) void pump();
      return slot;
    },

    async report(answer) {
      if (await shared.report(answer)) stir();
    },

    state: () =>
      log.withBookings(egress, domain, async (bookings) => {
        const now = clock.now();
        if (limits.length > 0) await bookings.adoptForeign(Math.ceil(now));
        const windows = [];
        for (const limit of limits) {
          const since = now - limit.perMs - guardMs;
          windows.push({ ...limit, used: await slotsTaken(limit, since, (n) => bookings.nthLatest(n)) });
        }
        const otherEgresses = limits.length === 0 ? [] : await bookings.othersSince(now - DAY_MS);
        const { circuit } = await readCircuit(bookings, domain, now, policy);
        const open = circuit.state !== 'closed';
        const lasted = !open && (circuit.closedAt === null || now - circuit.closedAt >= LASTING_MS);
        return {
          circuit: {
            open,
            until: open ? Math.round(wall() + circuit.until - now) : null,
            trips: lasted ? 0 : circuit.trips,
            reason: circuit.reason,
          },
          windows,
          otherEgresses,
        };
      }),
  };
}

/** A timer may fire early by a fraction; the log is not asked before the time has come. */
async function sleepUntil(clock: MonotonicClock, at: number, signal?: AbortSignal): Promise<void> {
  for (let left = at - clock.now(); left > 0; left = at - clock.now())
    await clock.sleep(Math.max(1, Math.ceil(left)), signal);
}

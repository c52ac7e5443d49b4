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
  LimiterState,
  MonotonicClock,
  RateLimit,
} from '../../ports/pacing.ts';
import { CircuitOpenError } from '../../ports/service-errors.ts';
import { GRACE_MS, type Turn, type TurnRules, takeTurn } from './burst-turn.ts';
import { type Answer, type CircuitPolicy, LASTING_MS } from './circuit.ts';
import { BookingTooSlowError, EgressSharedError } from './errors.ts';
import { abortError, WaitingLine } from './line.ts';
import { burstRungs, pacedRungs } from './paced.ts';
import { readCircuit, SharedCircuit } from './shared-circuit.ts';
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

class SharedLimiter implements Limiter {
  readonly #options: LimiterOptions;
  readonly #rules: TurnRules;
  /** From the date of a booking to the Service counting it, at most. */
  readonly #guardMs: number;
  readonly #staleAfterMs: number;
  readonly #circuit: SharedCircuit;
  readonly #line = new WaitingLine();
  /** How long the last turn took, up to a bound: the next one begins that much before its slot is free. */
  #turnMs = 0;
  #forgotAt = Number.NEGATIVE_INFINITY;
  #pumping = false;
  /** Consecutive turns with bookings of another clock. */
  #foreignTurns = 0;
  /** The end of the pause that requests were last said to wait for. */
  #waitsUntil = 0;
  /** Consecutive turns whose slots were too old to use. */
  #staleTurns = 0;
  /** Consecutive times that another process took the awaited slot. */
  #losses = 0;
  /** Set when the line changed after the current turn or sleep began. */
  #stirred = false;
  #wake: (() => void) | null = null;

  constructor(options: LimiterOptions) {
    const { limits, guardMs, clock } = options;
    this.#options = options;
    this.#guardMs = guardMs + GRACE_MS;
    const watch = limits.length === 0 ? null : (options.circuit ?? { forbidden: true, refused: true });
    const policy: CircuitPolicy = {
      forbidden: watch?.forbidden ?? false,
      refused: watch?.refused ?? false,
      probeMs: guardMs + (options.deadlineMs ?? DEFAULT_DEADLINE_MS),
    };
    const spread = pacedRungs(limits, this.#guardMs);
    const burst = burstRungs(limits, this.#guardMs);
    const rungs = { burst: [burst, spread], paced: [spread] };
    const longest = Math.max(0, ...[...burst, ...spread].map((rung) => rung.spanMs));
    this.#rules = { domain: clock.domain, rungs, policy, keepMs: Math.max(longest, KEEP_AT_LEAST_MS) };
    this.#circuit = new SharedCircuit(options.log, options.egress, clock, policy, (before, now) =>
      this.#tell(now.state === 'closed' ? 'closed' : 'opened', now, now.reason ?? before?.reason ?? null),
    );
    // Half of the guard is for this process, from booking to sending; the other half is for the network.
    this.#staleAfterMs = Math.max(SHORTEST_STALE_MS, guardMs / 2);
  }

  async acquire(options: Parameters<Limiter['acquire']>[0]): Promise<void> {
    if (this.#options.limits.length === 0) {
      await this.#circuit.refresh(CIRCUIT_LOOK_MS);
      if (options.signal?.aborted) throw abortError(options.signal);
      if (this.#circuit.isClosed) return;
    }
    const mayWait = options.mayWait ?? true;
    const slot = this.#line.join(options.pace, mayWait, options.signal, () => this.#stir());
    // Behind others of the same pace nothing changes for the pump, unless this caller must not wait at an open circuit.
    if (!mayWait || this.#line.waiting(options.pace) === 1) this.#stir();
    if (!this.#pumping) void this.#pump();
    return slot;
  }

  async report(answer: Answer): Promise<void> {
    if (await this.#circuit.report(answer)) this.#stir();
  }

  async state(): Promise<LimiterState> {
    const { limits, log, egress, clock, wall } = this.#options;
    const { domain, policy } = this.#rules;
    return log.withBookings(egress, domain, async (bookings) => {
      const now = clock.now();
      if (limits.length > 0) await bookings.adoptForeign(Math.ceil(now));
      const windows = [];
      for (const limit of limits) {
        const since = now - limit.perMs - this.#guardMs;
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
    });
  }

  #stir(): void {
    this.#stirred = true;
    this.#wake?.();
  }

  /** Serves the line until it is empty. An error here rejects every present waiter; later ones start a new pump. */
  async #pump(): Promise<void> {
    const { clock } = this.#options;
    this.#pumping = true;
    try {
      let cameForSlot = false;
      while (!this.#line.isEmpty) {
        this.#stirred = false;
        const turn = await this.#turn();
        this.#checkForeign(turn);
        if (this.#isStale(turn)) continue;
        // A slot that was booked ahead is not used before its date.
        await sleepUntil(clock, turn.freeAt);
        if (this.#circuit.openedSince(turn.at)) continue;
        this.#handOut(turn);
        if (turn.slots.burst + turn.slots.paced > 0) this.#losses = 0;
        else if (cameForSlot) this.#losses++;
        cameForSlot = false;
        if (this.#stirred || turn.wakeAt === null || this.#line.isEmpty) continue;
        cameForSlot = await this.#sleepUntil(turn.wakeAt - (turn.shut ? 0 : this.#turnMs) + this.#courtesyMs());
      }
    } catch (error) {
      this.#line.rejectWhere(() => true, error);
    } finally {
      this.#pumping = false;
    }
  }

  /** @throws EgressSharedError */
  #checkForeign(turn: Turn): void {
    this.#foreignTurns = turn.adopted > 0 ? this.#foreignTurns + 1 : 0;
    if (this.#foreignTurns >= FOREIGN_TURNS) throw new EgressSharedError(this.#options.egress);
  }

  /**
   * Slots that took too long to commit are not used: sent now, they might be counted later than the guard allows for.
   * They stay booked.
   * @throws BookingTooSlowError after several such turns in a row.
   */
  #isStale(turn: Turn): boolean {
    const booked = this.#options.limits.length > 0 && turn.slots.burst + turn.slots.paced > 0;
    const age = this.#options.clock.now() - turn.at;
    const stale = booked && age > this.#staleAfterMs;
    this.#staleTurns = stale ? this.#staleTurns + 1 : 0;
    if (this.#staleTurns >= STALE_TURNS) throw new BookingTooSlowError(age, this.#staleAfterMs);
    return stale;
  }

  async #turn(): Promise<Turn> {
    const { log, egress, clock } = this.#options;
    const began = clock.now();
    const forget = began - this.#forgotAt >= FORGET_EVERY_MS;
    if (forget) this.#forgotAt = began;
    const turn = await log.withBookings(egress, this.#rules.domain, (bookings) => {
      const wishes = this.#line.lanesByAge().map((pace) => ({ pace, waiting: this.#line.waiting(pace) }));
      // Read inside the transaction: the slot is dated after the wait for the write lock.
      return takeTurn(bookings, wishes, clock.now(), this.#rules, forget, this.#turnMs);
    });
    this.#turnMs = Math.min(clock.now() - began, MOST_AHEAD_MS);
    return turn;
  }

  #handOut(turn: Turn): void {
    this.#circuit.saw(turn.circuit, turn.at);
    this.#line.grant('burst', turn.slots.burst);
    this.#line.grant('paced', turn.slots.paced);
    if (!turn.shut) return;
    const { circuit } = turn;
    const refusal = new CircuitOpenError(this.#wallTime(circuit), circuit.reason ?? 'the Service refuses this address');
    this.#line.rejectWhere((waiter) => !waiter.mayWait, refusal);
    if (this.#line.isEmpty || circuit.state !== 'open' || this.#waitsUntil === circuit.until) return;
    this.#waitsUntil = circuit.until;
    this.#tell('waiting', circuit, circuit.reason);
  }

  #wallTime({ until }: CircuitRecord): Instant {
    const { wall, clock } = this.#options;
    return Math.round(wall() + until - clock.now());
  }

  #tell(type: CircuitChange['type'], circuit: CircuitRecord, reason: string | null): void {
    const until = type === 'closed' ? null : this.#wallTime(circuit);
    this.#options.onCircuit?.({
      type,
      until,
      trips: circuit.trips,
      reason: reason ?? 'the Service refuses this address',
    });
  }

  /**
   * Several processes wake for the same slot. The process with the last slot waits longest, and a process that lost
   * comes earlier each time, so that none starves.
   */
  #courtesyMs(): number {
    if (this.#losses === 0) return YIELD_MS;
    return ((YIELD_MS - 1) * (this.#options.random?.() ?? 0.5)) / 2 ** (this.#losses - 1);
  }

  /** True where the time has come, false where `#stir` woke it before. */
  async #sleepUntil(at: number): Promise<boolean> {
    const { clock } = this.#options;
    const nap = new AbortController();
    this.#wake = () => nap.abort();
    try {
      await sleepUntil(clock, at, nap.signal);
      return true;
    } catch (error) {
      if (nap.signal.aborted) return false;
      throw error;
    } finally {
      this.#wake = null;
    }
  }
}

/** A timer may fire early by a fraction; the log is not asked before the time has come. */
async function sleepUntil(clock: MonotonicClock, at: number, signal?: AbortSignal): Promise<void> {
  for (let left = at - clock.now(); left > 0; left = at - clock.now())
    await clock.sleep(Math.max(1, Math.ceil(left)), signal);
}

/** The limiter over a shared log. Holds nothing open: there is nothing to close. */
export function createLimiter(options: LimiterOptions): Limiter {
  return new SharedLimiter(options);
}

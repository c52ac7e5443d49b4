/**
 * The circuit as a pure state machine. One address shares one block, so the record of it is shared by every process;
 * these functions compute its next state, the limiter reads and writes it inside the log's transaction.
 *
 * closed ──429, or five 403s or refusals in a row──► open ──silence over, one claims it──► probing ──ok──► closed
 *                                                     ▲──────────────── anything else ────────┘
 */
import type { CircuitRecord, Limiter } from '../../ports/pacing.ts';

/** How the Service answered. `retryAfterMs`: the value of a `Retry-After` header; null without one. */
export type Answer = Parameters<Limiter['report']>[0];

/** When to fall silent, and for how long. */
export interface CircuitPolicy {
  /** Whether 403s in a row open it. */
  forbidden: boolean;
  /** Whether refused connections in a row open it. */
  refused: boolean;
  /** How long a claimed probe may take before another process may claim it: guard plus the exchange's deadline. */
  probeMs: number;
}

const MINUTE = 60_000;
const FIRST_SILENCE_MS = 15 * MINUTE;
const REPEATED_SILENCE_MS = 60 * MINUTE;
/** A circuit that stayed closed for this long had a lasting success: the next opening counts as the first. */
export const LASTING_MS = 60 * MINUTE;
const REFUSALS_TO_OPEN = 5;
/** A `Retry-After` beyond a day is more likely a misread date than a request; one probe after a day does no harm. */
const LONGEST_SILENCE_MS = 24 * 60 * MINUTE;

const REASONS = {
  limited: 'the Service answered 429 (rate limit)',
  refusals: `${REFUSALS_TO_OPEN} requests in a row were answered 403 or refused, as a blocked address is`,
} as const;

export function closedCircuit(domain: string): CircuitRecord {
  return { state: 'closed', until: 0, trips: 0, refusals: 0, closedAt: null, reason: null, domain };
}

function silenceMs(trips: number): number {
  return trips >= 2 ? REPEATED_SILENCE_MS : FIRST_SILENCE_MS;
}

function open(
  circuit: CircuitRecord,
  trips: number,
  reason: string,
  now: number,
  retryAfterMs: number | null,
): CircuitRecord {
  const silence = Math.max(silenceMs(trips), Math.min(retryAfterMs ?? 0, LONGEST_SILENCE_MS));
  return { ...circuit, state: 'open', until: Math.ceil(now + silence), trips, refusals: 0, reason };
}

function close(circuit: CircuitRecord, now: number): CircuitRecord {
  const at = Math.ceil(now);
  // `trips` stays, because only the next opening shows whether this success lasted.
  return { ...circuit, state: 'closed', until: at, refusals: 0, closedAt: at, reason: null };
}

/** Openings in a row, counting one that would happen now. */
function nextTrip(circuit: CircuitRecord, now: number): number {
  const lasted = circuit.closedAt === null || now - circuit.closedAt >= LASTING_MS;
  return lasted ? 1 : circuit.trips + 1;
}

function watched(answer: Answer, policy: CircuitPolicy): boolean {
  return answer.kind === 'limited' || (answer.kind !== 'ok' && policy[answer.kind]);
}

function whileClosed(circuit: CircuitRecord, answer: Answer, now: number, policy: CircuitPolicy): CircuitRecord {
  if (answer.kind === 'ok') return circuit.refusals === 0 ? circuit : { ...circuit, refusals: 0 };
  if (answer.kind === 'limited')
    return open(circuit, nextTrip(circuit, now), REASONS.limited, now, answer.retryAfterMs);
  if (!watched(answer, policy)) return circuit;
  const refusals = circuit.refusals + 1;
  if (refusals < REFUSALS_TO_OPEN) return { ...circuit, refusals };
  return open(circuit, nextTrip(circuit, now), REASONS.refusals, now, answer.retryAfterMs);
}

/** Answers that arrive now belong to requests that left before the opening: one more 429 is the same trip, later. */
function whileOpen(circuit: CircuitRecord, answer: Answer, now: number): CircuitRecord {
  if (answer.kind !== 'limited') return circuit;
  const again = open(circuit, circuit.trips, REASONS.limited, now, answer.retryAfterMs);
  return again.until > circuit.until ? again : circuit;
}

function whileProbing(circuit: CircuitRecord, answer: Answer, now: number, policy: CircuitPolicy): CircuitRecord {
  if (watched(answer, policy)) {
    const reason =
      answer.kind === 'limited' ? REASONS.limited : `${circuit.reason ?? REASONS.refusals}; a probe failed`;
    return open(circuit, circuit.trips + 1, reason, now, answer.retryAfterMs);
  }
  // An unwatched 403 is still an answer; an unwatched refusal is none, and the claim expires.
  return answer.kind === 'refused' ? circuit : close(circuit, now);
}

/** The circuit after an answer; the same object without a change. `now` is of the circuit's domain. */
export function afterAnswer(circuit: CircuitRecord, answer: Answer, now: number, policy: CircuitPolicy): CircuitRecord {
  switch (circuit.state) {
    case 'closed':
      return whileClosed(circuit, answer, now, policy);
    case 'open':
      return whileOpen(circuit, answer, now);
    case 'probing':
      return whileProbing(circuit, answer, now, policy);
    default:
      return circuit.state satisfies never;
  }
}

/** `pass`: requests may leave. `probe`: exactly one may, once `takeProbe` is saved. `shut`: none before `until`. */
type Admission = { type: 'pass' } | { type: 'probe' } | { type: 'shut'; until: number };

export function admission(circuit: CircuitRecord, now: number): Admission {
  if (circuit.state === 'closed') return { type: 'pass' };
  // If the claim of a probe has expired, its process died or got no answer: the next process may probe.
  return now >= circuit.until ? { type: 'probe' } : { type: 'shut', until: circuit.until };
}

/** The circuit with its one probe taken, for as long as an exchange may last. */
export function takeProbe(circuit: CircuitRecord, now: number, policy: CircuitPolicy): CircuitRecord {
  return { ...circuit, state: 'probing', until: Math.ceil(now + policy.probeMs) };
}

/**
 * The circuit in this clock's terms. Times of another domain (another boot) cannot be compared, so the cautious reading
 * is taken: a silence starts over, a probe was claimed just now, a circuit closed just now.
 */
export function inDomain(circuit: CircuitRecord, domain: string, now: number, policy: CircuitPolicy): CircuitRecord {
  if (circuit.domain === domain) return circuit;
  const at = Math.ceil(now);
  switch (circuit.state) {
    case 'closed':
      return { ...circuit, domain, until: at, closedAt: circuit.closedAt === null ? null : at };
    case 'open':
      return { ...circuit, domain, until: at + silenceMs(circuit.trips), closedAt: null };
    case 'probing':
      return { ...circuit, domain, until: Math.ceil(now + policy.probeMs), closedAt: null };
    default:
      return circuit.state satisfies never;
  }
}

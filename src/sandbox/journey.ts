/** A record's way through its statuses (spec §3, field facts): drawn once, then a function of time. */
import type { SandboxInstant, SandboxKind } from './contract.ts';
import type { Method } from './payment-tables.ts';
import type { Draws } from './random.ts';

const HOUR = 3_600_000;

/** The status of a record at a time. */
export interface StatusAtTime {
  status: string;
  /** The time of that status: the record's `updatedAt`. */
  since: SandboxInstant;
  terminal: boolean;
}

export interface Journey {
  /** Statuses on the way, in order, the last one terminal. */
  steps: readonly string[];
  /** From creation to the end, in milliseconds; in a calm market never as long as the 120 h after which a record counts as stuck. */
  lasts: number;
  /** Milliseconds from creation to each step; absent where steps take equally long. */
  at?: readonly number[];
  /** Milliseconds from creation to the expiry of an unpaid purchase, where the journey fixes it. */
  endsAfter?: number;
}

export const BY_BANK = ['INITIALIZED', 'PAYMENT_STARTED', 'FIAT_SENT', 'FIAT_RECEIVED', 'RELEASING', 'RELEASED'];
export const BY_CARD = [
  'INITIALIZED',
  'PAYMENT_STARTED',
  'PAYMENT_IN_PROGRESS',
  'PAYMENT_EXECUTED',
  'RELEASING',
  'RELEASED',
];
const ABANDONED = ['INITIALIZED', 'EXPIRED'];
const FAILED = ['INITIALIZED', 'PAYMENT_STARTED', 'PAYMENT_FAILED', 'EXPIRED'];
const CANCELLED = ['INITIALIZED', 'PAYMENT_STARTED', 'CANCELLED'];

/** Sales have the vocabulary of their webhooks: no list of sale states is published (spec §3). */
const SOLD = ['CREATED', 'RELEASED'];
const NOT_SENT = ['CREATED', 'EXPIRED'];

const SHORTEST_EXPIRY = 20 * HOUR;
const LONGEST_EXPIRY = 46 * HOUR;

/** A record stays in these. */
export const TERMINAL: ReadonlySet<string> = new Set([
  'RELEASED',
  'EXPIRED',
  'CANCELLED',
  'FIAT_RETURNED',
  'REVIEW_REJECTED',
  'RETURNED',
]);

export function drawJourney(draws: Draws, kind: SandboxKind, method: Method): Journey {
  const fate = draws.unit();
  // Most records are quick and a few are slow: the square pulls towards the short end.
  const share = draws.unit() ** 2;
  const [shortest, longest] = method.hours;
  const normal = (shortest + share * (longest - shortest)) * HOUR;
  const expiry = draws.between(SHORTEST_EXPIRY, LONGEST_EXPIRY);
  if (kind === 'sale') return fate < 0.92 ? { steps: SOLD, lasts: normal } : { steps: NOT_SENT, lasts: expiry };
  if (fate < 0.04) return { steps: ABANDONED, lasts: expiry };
  if (fate < 0.07) return { steps: FAILED, lasts: expiry };
  if (fate < 0.1) return { steps: CANCELLED, lasts: normal };
  return { steps: method.name.endsWith('TRANSFER') ? BY_BANK : BY_CARD, lasts: normal };
}

/** Before its creation a record has its first status. */
export function statusAt(journey: Journey, createdAt: SandboxInstant, at: SandboxInstant): StatusAtTime {
  const last = journey.steps.length - 1;
  const reached =
    journey.at?.findLastIndex((after) => createdAt + after <= at) ??
    Math.floor(((at - createdAt) / journey.lasts) * last);
  const step = Math.max(0, Math.min(last, reached));
  return {
    status: journey.steps[step] ?? 'INITIALIZED',
    since: createdAt + (journey.at?.[step] ?? Math.round((journey.lasts * step) / last)),
    terminal: step === last,
  };
}

/** Every status so far with its time, as bodies list them (field facts: `actions[]`). */
export function passedSteps(journey: Journey, createdAt: SandboxInstant, at: SandboxInstant) {
  const all = journey.steps.map((status, i) => ({ status, from: createdAt + (journey.at?.[i] ?? 0) }));
  return all.filter(({ from }) => from <= at);
}

/**
 * Records in a floating market (field facts "Prices float"): the price is fixed when the payment arrives, or when a seller's
 * transfer is confirmed. Until then every body is an estimate; many purchases are never paid.
 */
import type { SandboxInstant, SandboxKind } from './contract.ts';
import { BY_BANK, BY_CARD, type Journey } from './journey.ts';
import type { Method } from './payment-tables.ts';
import type { Draws } from './random.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What a floating market makes of a record. */
export interface Floating {
  /** From then on no figure moves: executed, or ended without a price. Infinite for one that waits for ever. */
  settledAt: SandboxInstant;
  /** The order, as a share of the quoted one: users change their minds. */
  factor: number;
}

/** The user of one record in 25 takes another amount than quoted. */
const CHANGES = 0.04;

export function drawFactor(draws: Draws): number {
  const changes = draws.chance(CHANGES);
  const factor = draws.pick([0.5, 0.75, 0.9, 1.1, 1.25, 2]);
  return changes ? factor : 1;
}

interface FloatingJourney extends Journey {
  /** Milliseconds after the creation at which the price is fixed; infinite for an order without one. */
  executes: number;
}

/**
 * @param pays a record that is paid, and soon: one with a defect that is to be seen
 * @param silent no status and no time of change tells that a sale's transfer was confirmed, so it is within minutes
 */
export function drawFloatingJourney(
  draws: Draws,
  kind: SandboxKind,
  { name }: Method,
  { pays, silent }: { pays: boolean; silent: boolean },
): FloatingJourney {
  const fate = pays ? 1 : draws.unit();
  if (kind === 'sale') return drawSale(draws, fate, silent);
  const endsAfter = draws.pick([72, 120]) * HOUR;
  const ended = (steps: readonly string[], at: readonly number[], executes = Number.POSITIVE_INFINITY) => ({
    ...journeyOf(steps, at, endsAfter),
    executes,
  });
  // A step back makes a new purchase, and the old one waits for its end.
  if (fate < 0.33) return ended(['INITIALIZED', 'EXPIRED'], [endsAfter]);
  if (fate < 0.36)
    return ended(['INITIALIZED', 'PAYMENT_STARTED', 'PAYMENT_FAILED', 'EXPIRED'], [MINUTE, 3 * MINUTE, endsAfter]);
  if (fate < 0.37) return ended(['INITIALIZED', 'REVIEW_REJECTED'], [20 * MINUTE]);
  if (fate < 0.39) return ended(['INITIALIZED', 'PAYMENT_STARTED', 'CANCELLED'], [MINUTE, 2 * HOUR]);
  if (!name.endsWith('TRANSFER')) {
    const executes = draws.between(1, 7) * MINUTE;
    const started = executes * 0.3;
    const at = [started, executes * 0.6, executes, executes + MINUTE, executes + draws.between(2, 40) * MINUTE];
    return ended(BY_CARD, at, executes);
  }
  const slow = !pays && draws.chance(0.03);
  // Six to eight working days: the purchase has expired by then, and is released all the same.
  const executes = slow ? draws.between(8, 11) * DAY : draws.between(0.3, pays || draws.chance(0.7) ? 12 : 44) * HOUR;
  const released = executes + draws.between(0.2, 3) * HOUR;
  if (slow) {
    const late = ['INITIALIZED', 'EXPIRED', 'FIAT_RECEIVED', 'RELEASED'];
    return ended(late, [endsAfter, executes, released], executes);
  }
  if (fate < 0.41) return ended(['INITIALIZED', 'FIAT_PENDING', 'FIAT_RETURNED'], [HOUR / 4, executes], executes);
  if (fate < 0.42) return ended(['INITIALIZED', 'FIAT_RECEIVED', 'RETURNED'], [executes, released], executes);
  const steps = fate < 0.5 ? BY_BANK.map((step) => (step === 'PAYMENT_STARTED' ? 'FIAT_PENDING' : step)) : BY_BANK;
  const releasing = executes + (released - executes) / 2;
  return ended(steps, [executes * 0.02, executes * 0.5, executes, releasing, released], executes);
}

function drawSale(draws: Draws, fate: number, silent: boolean): FloatingJourney {
  const executes = (silent ? draws.between(1, 4) : draws.between(3, draws.chance(0.8) ? 40 : 110)) * MINUTE;
  if (fate < 0.05)
    return { ...journeyOf(['CREATED', 'EXPIRED'], [12 * HOUR], null), executes: Number.POSITIVE_INFINITY };
  const paidOut = executes + draws.between(0.1, draws.chance(0.8) ? 5 : 30) * HOUR;
  return { ...journeyOf(['CREATED', 'RELEASED'], [paidOut], null), executes };
}

/** @param after milliseconds from the creation to each step after the first */
function journeyOf(steps: readonly string[], after: readonly number[], endsAfter: number | null): Journey {
  const at = [0, ...after.map(Math.round)];
  return { steps, at, lasts: at.at(-1) ?? 0, ...(endsAfter === null ? {} : { endsAfter }) };
}

/**
 * The status model is data: the Service publishes no transition table (spec §3), so every value, its stage, whether it
 * ends the record, and how long a record may stay there come from configuration.
 */
import type { Kind } from './record.ts';
import { sameStatus } from './released.ts';

export const MONEY_MOVED = ['yes', 'no', 'pending', 'unknown'] as const;
/** `yes`: paid and delivered, or not given back in time. `pending`: paid, not yet delivered. `no`: never paid. */
export type MoneyMoved = (typeof MONEY_MOVED)[number];

/** One status of the model. The Service publishes no table of them, so that they are settings. */
export interface StatusDefinition {
  value: string;
  /** Order of progress; a record may move to the same or a higher stage, never back. */
  stage: number;
  terminal: boolean;
  /** Longest stay before STATUS_STUCK, or null for no limit. */
  stuckAfter: Stay | null;
  /** Other stays by payment or payout method. */
  stuckAfterBy?: Readonly<Record<string, Stay>>;
  /** Stages a record may fall back to from here: a failed payment may be followed by another attempt. */
  mayReturnTo: number | null;
  /** What it says of the money; absent for what src/service/profile.ts says of it. */
  moneyMoved?: MoneyMoved;
  /** Of a terminal status: those that may follow all the same, as a payment may arrive after the purchase expired. */
  mayBecome?: readonly string[];
}

/** In milliseconds; in working days, as banks count; or in milliseconds after the purchase's end time. */
export type Stay = number | { workingDays: number } | { afterEndTime: number };

/** The statuses of each kind, by value. */
export type StatusModel = Readonly<Record<Kind, ReadonlyMap<string, StatusDefinition>>>;

/** `forbidden` opens STATUS_REGRESSED; `unknown` has a status outside the model on one side. */
export type Transition = 'same' | 'legal' | 'forbidden' | 'unknown';

/**
 * What the model says of a move: `same` for two words of one status, `forbidden` out of a terminal status to any other but those that
 * it may become, whether the model knows that or not; else `unknown` where it does not know one of the two.
 */
export function transition(model: StatusModel, kind: Kind, from: string, to: string): Transition {
  if (sameStatus(from, to)) return 'same';
  const before = model[kind].get(from);
  const after = model[kind].get(to);
  if (before?.terminal === true) return before.mayBecome?.includes(to) === true ? 'legal' : 'forbidden';
  if (before === undefined || after === undefined) return 'unknown';
  if (after.stage >= before.stage) return 'legal';
  return before.mayReturnTo !== null && after.stage >= before.mayReturnTo ? 'legal' : 'forbidden';
}

export function isTerminal(model: StatusModel, kind: Kind, status: string | null): boolean {
  return status !== null && model[kind].get(status)?.terminal === true;
}

/** True where a record went on legally after a status that ends records as a rule. */
export function isResumed(model: StatusModel, kind: Kind, from: string | null, to: string | null): boolean {
  return from !== null && to !== null && isTerminal(model, kind, from) && transition(model, kind, from, to) === 'legal';
}

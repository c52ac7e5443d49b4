/**
 * The status model is data: the Service publishes no transition table (spec §3), so every value, its stage, whether it
 * ends the record, and how long a record may stay there come from configuration.
 */
import type { Kind } from './record.ts';
import { sameStatus } from './released.ts';

export interface StatusDefinition {
  value: string;
  /** Order of progress; a record may move to the same or a higher stage, never back. */
  stage: number;
  terminal: boolean;
  /** Longest stay in milliseconds before STATUS_STUCK, or null for no limit. */
  stuckAfter: number | null;
  /** Stages a record may fall back to from here: a failed payment may be followed by another attempt. */
  mayReturnTo: number | null;
}

export type StatusModel = Readonly<Record<Kind, ReadonlyMap<string, StatusDefinition>>>;

export type Transition = 'same' | 'legal' | 'forbidden' | 'unknown';

/**
 * What the model says of a move: `same` for two words of one status, `forbidden` out of a terminal status to any other, whether the
 * model knows that or not; else `unknown` where it does not know one of the two.
 */
export function transition(model: StatusModel, kind: Kind, from: string, to: string): Transition {
  if (sameStatus(from, to)) return 'same';
  const before = model[kind].get(from);
  const after = model[kind].get(to);
  if (before?.terminal === true) return 'forbidden';
  if (before === undefined || after === undefined) return 'unknown';
  if (after.stage >= before.stage) return 'legal';
  return before.mayReturnTo !== null && after.stage >= before.mayReturnTo ? 'legal' : 'forbidden';
}

export function isTerminal(model: StatusModel, kind: Kind, status: string | null): boolean {
  return status !== null && model[kind].get(status)?.terminal === true;
}

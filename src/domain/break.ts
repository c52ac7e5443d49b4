/** A break is a finding followed through runs. Its whole life is a list of events; each event carries the state after it. */
import { createHash } from 'node:crypto';
import type { Proof } from './actor.ts';
import type { Decimal } from './decimal.ts';
import type { Finding } from './finding.ts';
import { type BusinessDate, type Instant, KINDS } from './record.ts';

/** What a break is about: a record, or a payment of the host's revenue (a month of it, or one payment). */
export const BREAK_KINDS = ['payout', ...KINDS] as const;
export type BreakKind = (typeof BREAK_KINDS)[number];

export const BREAK_STATES = ['open', 'acknowledged', 'waived', 'resolved', 'reopened'] as const;
export type BreakState = (typeof BREAK_STATES)[number];

/** Open in the sense of the work list and of exit code 1: a person still has to act. */
export function isOpen(state: BreakState): boolean {
  return state === 'open' || state === 'acknowledged' || state === 'reopened';
}

export type BreakEventType =
  | 'opened'
  | 'seen'
  | 'resolved'
  | 'reopened'
  | 'acknowledged'
  | 'assigned'
  | 'waived'
  | 'claimed';

export interface Waiver {
  reason: string;
  author: string;
  /** Last business date on which it holds, or null without an end. */
  until: BusinessDate | null;
  /** The difference it was given for; another difference reopens. Null where the break has no number. */
  difference: Decimal | null;
  /** The found value when it was given, for breaks without a number. */
  actual: string | null;
}

/** One break as it stands after some event. */
export interface Break extends Finding {
  breakId: string;
  kind: BreakKind;
  /** Of a payout break: the month with its currency (`2026-10-EUR`), or the payment's id. */
  recordId: string;
  state: BreakState;
  firstSeenDate: BusinessDate;
  lastSeenDate: BusinessDate;
  timesReopened: number;
  assignee: string | null;
  waiver: Waiver | null;
  evidenceSha256: string | null;
  /** Fiat currency of the record, of `loss` and of `moneyAtStake`; null where the record was never read. */
  recordCurrency: string | null;
  /** Of the whole record, on its leading break alone (see stake.ts). */
  moneyAtStake: Decimal | null;
  leadingBreakId: string | null;
  /** The claim against the Service that it is part of; absent for none. */
  claimId?: string;
}

export interface BreakEvent {
  type: BreakEventType;
  /** When it happened: of a run's event, when the run was settled. Until then it is provisional. */
  at: Instant;
  /** The run that caused it, or null for a person's doing. */
  runId: string | null;
  /** `tieout` for runs, otherwise a person's name. */
  who: string;
  reason: string | null;
  /** Of a person: whether the name was stated or proved. Absent for runs, and for events from before this was recorded. */
  proof?: Proof;
  /** The account that stated or proved the name: the operating system's user, or the one of the sign-in. */
  account?: string;
  /** The state after the event. */
  after: Break;
}

/** SHA-256 of (kind, record id, rule, field), hexadecimal: the same trouble keeps its id forever. */
export function breakId(kind: BreakKind, recordId: string, rule: string, field: string): string {
  return createHash('sha256').update(`${kind}\n${recordId}\n${rule}\n${field}`).digest('hex');
}

/** A break is a finding followed through runs. Its whole life is a list of events; each event carries the state after it. */
import { createHash } from 'node:crypto';
import type { Proof } from './actor.ts';
import { daysBetween } from './calendar.ts';
import type { Decimal } from './decimal.ts';
import type { Finding } from './finding.ts';
import type { BusinessDate, Instant, Kind } from './record.ts';
import type { MoneyMoved } from './status.ts';

/**
 * What a break is about: a record; the prices of one asset in one currency and direction (`market`); a payment of the host's revenue, or a
 * month of it (`payout`); the run itself. In report order.
 */
export const BREAK_KINDS = ['market', 'payout', 'purchase', 'run', 'sale'] as const;
/** What a break speaks of: a record, a market, a run, or the host's payments. */
export type BreakKind = (typeof BREAK_KINDS)[number];

/** False for a break that is about no single record. */
export function isOnRecord(kind: BreakKind): kind is Kind {
  return kind === 'purchase' || kind === 'sale';
}

export const BREAK_STATES = ['open', 'acknowledged', 'waived', 'resolved', 'reopened'] as const;
/** Runs open, resolve and reopen breaks; people acknowledge, waive and reopen them. */
export type BreakState = (typeof BREAK_STATES)[number];

/** Open in the sense of the work list and of exit code 1: a person still has to act. */
export function isOpen(state: BreakState): boolean {
  return state === 'open' || state === 'acknowledged' || state === 'reopened';
}

/** Who loses the money. */
export type Bearer = 'user' | 'service' | 'host';

/** Whole days since it was first seen. Never negative: a night that is run late for an earlier date sees breaks that were found after it. */
export function ageInDays({ firstSeenDate }: Pick<Break, 'firstSeenDate'>, asOf: BusinessDate): number {
  return Math.max(0, daysBetween(firstSeenDate, asOf));
}

/** What happened to a break. Events are appended, never changed. */
export type BreakEventType =
  | 'opened'
  | 'seen'
  | 'resolved'
  | 'reopened'
  | 'acknowledged'
  | 'assigned'
  | 'waived'
  | 'undone'
  | 'claimed';

/** The decision to accept a break as it is. Another difference than this one reopens it. */
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
  /** `market`: `BTC/EUR/onramp`. `payout`: the month with its currency (`2026-10-EUR`), or the payment's id. `run`: `onramp` or `offramp`. */
  recordId: string;
  state: BreakState;
  firstSeenDate: BusinessDate;
  lastSeenDate: BusinessDate;
  timesReopened: number;
  assignee: string | null;
  waiver: Waiver | null;
  evidenceSha256: string | null;
  /** The quote it was last found against (`AGAINST_QUOTE`); absent of other rules, and of breaks from before this was recorded. */
  quoteId?: string;
  /** Fiat currency of the record, of `loss` and of `moneyAtStake`; null where the record was never read. */
  recordCurrency: string | null;
  /** Status of the record when the break was last found; null where it has none, or was never read. */
  recordStatus: string | null;
  /** Whether the record's money has moved; null of breaks from before this was recorded. */
  moneyMoved: MoneyMoved | null;
  /** Of the record's loss; null where nothing can have been lost. */
  lossBearer: Bearer | null;
  /** Of the whole record, on its leading break alone (see stake.ts). */
  moneyAtStake: Decimal | null;
  /** The record's loss on the leading break where it is not at stake: pending, waived or claimed (`asideOf`). */
  moneyAside: Decimal | null;
  leadingBreakId: string | null;
  /** The claim against the Service that it is part of; absent for none. */
  claimId?: string;
  /** What that claim asks for it, on the break that the claim names; absent of claims from before this was recorded. */
  claimed?: Decimal;
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

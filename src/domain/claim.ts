/** A claim: breaks raised with the Service's support, with the amounts claimed and recovered. */
import type { Actor } from './actor.ts';
import type { Decimal } from './decimal.ts';
import type { BusinessDate, Instant } from './record.ts';

/** open → sent → accepted | rejected; accepted → recovered; what is not recovered is rejected or written off. */
export const CLAIM_STATES = ['open', 'sent', 'accepted', 'rejected', 'recovered', 'written-off'] as const;
/** How far a claim is; `worklist/claims.ts` says what may follow what. */
export type ClaimState = (typeof CLAIM_STATES)[number];
/** After which nothing more is expected, even where an amount is missing. */
export const GIVEN_UP_STATES: readonly ClaimState[] = ['rejected', 'written-off'];

/** What a person asks the Service to give back, for one or many breaks. */
export interface Claim {
  /** `claim-` and twelve hexadecimal digits. */
  claimId: string;
  title: string;
  state: ClaimState;
  /** The ticket of the provider's support; null until it is known. */
  reference: string | null;
  openedAt: Instant;
  openedBy: string;
  /** When a notice reminds of it; null for never. */
  remindOn: BusinessDate | null;
  /** Number of its events: the version that an update compares. */
  events: number;
}

/** One break of a claim. Amounts are without a sign, in major units of the currency. */
export interface ClaimItem {
  breakId: string;
  currency: string;
  /** What the Service is asked to give back: at most what evidence proves. */
  claimed: Decimal;
  /** What the Service has given back so far. */
  recovered: Decimal;
}

/** One step of a claim; steps are appended, never changed. */
export interface ClaimEvent extends Actor {
  at: Instant;
  /** The state after it. */
  state: ClaimState;
  reason: string;
}

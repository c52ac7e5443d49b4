/**
 * The live side of the sandbox: purchases and sales that somebody makes while it runs, in the widget or by a call, beside
 * the seeded population. The same endpoints serve both.
 */
import type { Body } from '../asset-bodies.ts';
import type { SandboxKind } from '../contract.ts';

/**
 * How a live record ends. `held` waits until the release endpoint is called; `returned` was paid and sent back (field
 * facts: the event RETURNED matches no status); `failed` is a payment that failed and expired.
 */
export const OUTCOMES = {
  purchase: ['released', 'held', 'failed', 'returned', 'expired'],
  sale: ['released', 'expired'],
} as const satisfies Readonly<Record<SandboxKind, readonly string[]>>;

export type LiveOutcome = (typeof OUTCOMES)['purchase'][number];

/** An order as the widget takes it. Exactly one of `fiatValue` and `cryptoAmount` (units), as in a quote (spec §2.6). */
export interface LiveRequest {
  kind: SandboxKind;
  cryptoAssetSymbol: string;
  fiatCurrency: string;
  fiatValue?: number;
  cryptoAmount?: string;
  /** A payment or payout method of spec §2.4. */
  method: string;
  userCountryCode?: string;
  /** Where the crypto goes; for a sale, where it comes from. Drawn where absent. */
  address?: string;
  /** Default `released`. */
  outcome?: LiveOutcome;
  /** `webhookStatusUrl` of a purchase, `offrampWebhookV3Url` of a sale; called back with its query unchanged. */
  webhookUrl?: string;
  /** ISO 8601: when the price was shown. Refused where another price has come since. Default: now. */
  quotedAt?: string;
}

/** What the widget is told of a record that it has just made. */
export interface LiveReceipt {
  kind: SandboxKind;
  id: string;
  viewToken: string;
  /** Where a seller sends the crypto; null for a purchase. */
  payInAddress: string | null;
  /** As its endpoint answers. */
  body: Body;
}

export interface DeliveryAttempt {
  /** ISO 8601, by the sandbox's clock. */
  at: string;
  /** Null where no answer came. */
  status: number | null;
  /** Null where it was delivered. */
  problem: string | null;
}

/** `refused`: an address that a sandbox does not call. `dropped`: five attempts failed, and there is no sixth. */
export type DeliveryState = 'pending' | 'delivered' | 'dropped' | 'refused';

export interface Delivery {
  /** Counted from 1. */
  number: number;
  kind: SandboxKind;
  recordId: string;
  /** The event type: CREATED, RELEASED, RETURNED, EXPIRED. */
  type: string;
  /** The address, with its query. */
  url: string;
  state: DeliveryState;
  attempts: readonly DeliveryAttempt[];
  /** ISO 8601, or null where none will follow. */
  nextAttemptAt: string | null;
}

export interface LiveLine {
  kind: SandboxKind;
  id: string;
  view_token: string;
  created_at: string;
  status: string;
}

/** The live side, in process; `/sandbox/live`, `/sandbox/deliveries` and the widget page do the same over HTTP. */
export interface LiveSide {
  /** @throws ServiceError for an order that the Service would refuse */
  create(request: LiveRequest): LiveReceipt;
  /** Releases a purchase at once. @throws ServiceError 404 for one that is not live, 409 where it has ended otherwise. */
  release(id: string): void;
  /**
   * From now on the record's endpoint answers with these fields changed, as a Service would that went wrong; webhooks sent
   * before are not. @throws ServiceError 404
   */
  tamper(id: string, changes: Body): void;
  /** In order of creation. */
  records(): readonly LiveLine[];
  deliveries(): readonly Delivery[];
  /** How many times faster than by the clock records move on and webhooks are repeated. */
  setSpeed(speed: number): void;
}

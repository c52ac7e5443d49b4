/**
 * The interface of the sandbox: the Service, embedded, on a loopback port, with a seeded population whose defects are
 * known. It keeps no record in memory: every body, quote and export line is computed from (seed, index) when it is
 * asked for, so a million records take as much memory as ten.
 */
import type { answerKey, deliveries, LiveOrder, stats } from './schemas/control.ts';
import type { Answered } from './schemas/scalars.ts';

/** Sandbox instants are milliseconds since 1970-01-01T00:00:00Z. */
export type SandboxInstant = number;

export type SandboxKind = 'purchase' | 'sale';

/** At most `requests` in any window of `perMs` milliseconds. */
export interface SandboxRateLimit {
  requests: number;
  perMs: number;
}

/** Field facts: 100 a minute and 1,000 per 15 minutes and address; passing the second blocks the address for an hour. */
export const DEFAULT_RATE_LIMITS: readonly SandboxRateLimit[] = [
  { requests: 100, perMs: 60_000 },
  { requests: 1_000, perMs: 900_000 },
];

/** The default integration key of the sandbox. Not a secret: it opens only the sandbox. */
export const SANDBOX_HOST_API_KEY = 'sandbox-host-key';

/** `spec`: every body exactly as the specification declares it. `observed`: the mix of forms seen in deployments (field facts). */
export type Bodies = 'spec' | 'observed';

/** `bare`: the record alone (spec §6.2). `envelope`: as seen in deployments, with an event type. */
export type WebhookForm = 'bare' | 'envelope';

export interface SandboxOptions {
  /**
   * The source of time, in milliseconds since 1970. The sandbox's own clock is this plus the offset set by its
   * control routes.
   */
  clock: () => SandboxInstant;
  /** Whether answers have a `Date`, the time of this machine; for a sandbox whose clock is that time. Default false. */
  datesAnswers?: boolean;
  /** 0 (the default) takes a free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Equal seeds, counts, days and `now` give equal bytes. Default 7. */
  seed?: number;
  /** Purchases and sales together. Default 2,000. */
  records?: number;
  /** How far back from `now` the population's creation times reach. Default 30. */
  days?: number;
  /** The instant of the first night: the population is as it was then. Default: what `clock` says at the start. */
  now?: SandboxInstant;
  /** Share of records with a defect, 0 to 1. Default 0: a clean population. */
  defects?: number;
  /** Only these: names of defects or break codes. Default: all of them, in turn. */
  defectKinds?: readonly string[];
  /** `on` (the default), `off`, or limits of one's own, from the shortest window to the longest. */
  rateLimits?: 'on' | 'off' | readonly SandboxRateLimit[];
  /** The maker's name in identifiers: `base<Name>Fee`. Default `Service`. */
  identifierName?: string;
  /** Integration keys that are accepted. Default: `SANDBOX_HOST_API_KEY`. */
  hostApiKeys?: readonly string[];
  /**
   * Factor for the pace of live records and webhook retries, 0.001 to 100,000. It does not change the clock, so times
   * in bodies, prices and limits stay. Default 1.
   */
  speed?: number;
  /**
   * `moving` (the default): prices change with the minute. `still`: all quotes and live records have the prices of
   * the first night, so that a quote captured a minute after a purchase equals the quote that its user was shown.
   */
  prices?: 'moving' | 'still';
  /**
   * `on`: prices walk, network fees move, and a record has the price of the moment at which its payment arrived; users change
   * their minds, and a third of the purchases is never paid. `off` (the default): every record has the price of its quote.
   */
  market?: 'on' | 'off';
  /** Default `spec`. */
  bodies?: Bodies;
  /** Default: `bare` with bodies of the specification, `envelope` with observed ones. */
  webhooks?: WebhookForm;
  /**
   * Pays released purchases on local chains (EVM, Bitcoin, Solana), and the deposits of sales where bodies are as observed; defects
   * of deliveries are then among the others. Default false.
   */
  chains?: boolean;
  /** Defects that only a contract's price list shows: PIX at 1.99 % of the value, the network fee on top. */
  contract?: boolean;
  /** Purchases of three past months, and a statement of the payments for them. */
  payouts?: boolean;
  /** Five months of purchases besides the population, and a partner who pays for them. */
  partner?: boolean;
  /** In a floating market with defects, a skim off every purchase of one market: too little to see on one of them. */
  skims?: boolean;
  /** PEM, a private key on secp256k1 to sign webhooks with. Default: one made at the start. */
  webhookPrivateKey?: string;
}

/** The population as of the first night, or a day later, after the changes of defects that need one. */
export type Night = 1 | 2;

/** One line of the answer key: every break due for one defective record; no other record has one. */
export type DueEntry = Answered<typeof answerKey>[number];

/** A break of many records together; its id is asset, currency and direction. */
export interface MarketDue extends Omit<DueEntry, 'kind'> {
  kind: 'market';
}

/** A break about payments; its id is a month and currency (`2026-10-EUR`), or the reference of a payment. */
export interface PayoutDue extends Omit<DueEntry, 'kind'> {
  kind: 'payout';
}

/** One finding that is due, with its figures: the sandbox's own arithmetic, in doubles. */
export type DueFigures = DueEntry['figures'][number];

/** One line of `tieout import`. Null cells are left empty. */
export interface TrackedLine {
  kind: SandboxKind;
  id: string;
  view_token: string;
  /** ISO 8601. */
  created_at: string;
  host_reference: string | null;
  quote_id: string | null;
  expected_status: string | null;
  /** The amount that the app showed, rounded as on a screen; null where it kept none. */
  shown_total: string | null;
  shown_fee: string | null;
}

/** One captured quote: request and response exactly as the endpoint would have them at `captured_at`. */
export interface QuoteLine {
  quote_id: string;
  direction: 'onramp' | 'offramp';
  api_version: 'v1' | 'v3';
  /** ISO 8601. */
  captured_at: string;
  request: Readonly<Record<string, unknown>>;
  response: Readonly<Record<string, unknown>>;
}

export type SandboxStats = Answered<typeof stats>;

export interface ChainEndpoint {
  /** As records name it: `ETH`. */
  chain: string;
  type: 'evm' | 'bitcoin' | 'solana';
  /** EVM only. */
  chainId: number | null;
  /** Hash of the first block; null for EVM. */
  genesis: string | null;
  /** JSON-RPC; Esplora's REST for Bitcoin. */
  url: string;
}

/** A JSON body. */
export type Body = Record<string, unknown>;

export type LiveOutcome = NonNullable<LiveRequest['outcome']>;

export type Environment = NonNullable<LiveRequest['environment']>;

/** An order as the widget takes it. Exactly one of `fiatValue` and `cryptoAmount` (units), as in a quote (spec §2.6). */
export type LiveRequest = Answered<typeof LiveOrder>;

/** A webhook with its attempts, the newest state last. */
export type ShownWebhook = Answered<typeof deliveries>[number];
export type WebhookAttempt = ShownWebhook['attempts'][number];
export type WebhookState = ShownWebhook['state'];

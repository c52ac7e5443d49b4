/** What the rest of Tieout may expect of the Service as a client. Implemented in this folder; wired in src/app/app.ts. */

import type { QuarantineReason, UnreachableReason } from '../domain/case.ts';
import type { Quote, QuoteApi } from '../domain/quote.ts';
import type { Instant, Kind } from '../domain/record.ts';
import type { AssetTerms, GlobalTerms, MethodTerms } from '../domain/reference.ts';
import type { Drift, RecordState } from '../domain/snapshot.ts';

/** How a request may spend the allowance: `paced` spreads evenly, `burst` may take what is free (a person waits). */
export type Pace = 'paced' | 'burst';

/** What was learned by asking for one record. Never throws for what the Service answers; see the outcomes. */
export type FetchResult =
  | { outcome: 'verified'; state: RecordState; body: ReceivedBody; attempts: number; httpStatus: number; at: Instant }
  | {
      outcome: 'quarantined';
      reason: QuarantineReason;
      detail: string;
      drift: readonly Drift[];
      body: ReceivedBody | null;
      attempts: number;
      httpStatus: number | null;
      at: Instant;
    }
  | {
      outcome: 'unreachable';
      reason: UnreachableReason;
      errorCode: string | null;
      attempts: number;
      httpStatus: number | null;
      at: Instant;
    };

/** A body as received, and the form in which it may be kept. */
export interface ReceivedBody {
  /** SHA-256 of the bytes received, hexadecimal. */
  sha256: string;
  /** The text with every view token cut out. Only this is stored. */
  evidence: string;
}

export interface RecordRef {
  kind: Kind;
  id: string;
  /** The view token (`secret`). Never logged. */
  token: string;
}

export interface ReferenceAnswer {
  /** SHA-256 of the bytes received. */
  sha256: string;
  body: string;
  at: Instant;
}

export interface AssetsAnswer extends ReferenceAnswer {
  global: GlobalTerms;
  assets: readonly AssetTerms[];
  /** What is wrong with assets that were left out of `assets`; none where absent. */
  leftOut?: readonly Drift[];
}

export interface MethodsAnswer extends ReferenceAnswer {
  methods: readonly MethodTerms[];
}

export interface CurrenciesAnswer extends ReferenceAnswer {
  currencies: readonly { code: string; onramp: boolean; offramp: boolean }[];
}

export interface QuoteRequest {
  api: QuoteApi;
  direction: 'onramp' | 'offramp';
  cryptoAssetSymbol: string;
  fiatCurrency: string;
  /** Units, as text. One of the two amounts. */
  cryptoAmount?: string;
  /** Plain decimal, as text. */
  fiatValue?: string;
  paymentMethodType?: string;
  userCountryCode?: string;
  userRegionCode?: string;
}

export interface QuoteAnswer {
  /** The request body as sent and the response body as received, for storage. */
  request: string;
  response: string;
  quote: Quote;
}

/** The client: all thirteen endpoints of spec §4. */
export interface ServiceClient {
  /** @param options.refusalExpected a refusal of this record is known, so one more says nothing of the address. */
  fetchRecord(
    ref: RecordRef,
    options: { pace: Pace; signal?: AbortSignal | undefined; refusalExpected?: boolean | undefined },
  ): Promise<FetchResult>;
  quote(request: QuoteRequest, options: { pace: Pace; quoteId: string }): Promise<QuoteAnswer>;
  assets(options: { direction: 'onramp' | 'offramp'; currency: string; pace: Pace }): Promise<AssetsAnswer>;
  methods(options: { direction: 'onramp' | 'offramp'; pace: Pace }): Promise<MethodsAnswer>;
  currencies(options: { country?: string; pace: Pace }): Promise<CurrenciesAnswer>;
  /** Any endpoint by its command name (`tieout service NAME`), answered as parsed JSON text, unchanged. */
  raw(call: RawCall): Promise<{ httpStatus: number; body: string }>;
  close(): Promise<void>;
}

export interface RawCall {
  name:
    | 'assets'
    | 'offramp-assets'
    | 'payment-methods'
    | 'payout-methods'
    | 'currencies'
    | 'countries'
    | 'quote'
    | 'offramp-quote'
    | 'purchase'
    | 'sale';
  api: 'v1' | 'v2' | 'v3';
  id?: string;
  token?: string;
  query: Readonly<Record<string, string>>;
  body?: string;
}

/** Bounds the rate. Every request asks here first, retries and rejected ones included. */
export interface Limiter {
  /**
   * Resolves when a slot is booked durably and the request may leave.
   * @throws an AbortError when `signal` aborts, CircuitOpenError where waiting is not wanted (`mayWait: false`).
   */
  acquire(options: { pace: Pace; signal?: AbortSignal | undefined; mayWait?: boolean }): Promise<void>;
  /** Tells the circuit how the Service answered. */
  report(answer: { kind: 'ok' | 'forbidden' | 'refused' | 'limited'; retryAfterMs: number | null }): Promise<void>;
  /** The present state, for plan, doctor and messages. */
  state(): Promise<LimiterState>;
}

export interface LimiterState {
  circuit: { open: boolean; until: Instant | null; trips: number; reason: string | null };
  windows: readonly { requests: number; perMs: number; used: number }[];
}

export interface RateLimit {
  requests: number;
  perMs: number;
}

/** Times here are milliseconds of a monotonic clock whose `domain` names the boot it counts from. */
export interface MonotonicClock {
  /** Readings of different domains cannot be compared: a new boot, another machine. */
  readonly domain: string;
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface CircuitRecord {
  state: 'closed' | 'open' | 'probing';
  /** Monotonic time until which there is silence. */
  until: number;
  /** Openings in a row without a lasting success between them. */
  trips: number;
  /** Refusals in a row. */
  refusals: number;
  /** When it last closed after a probe, monotonic; null never. */
  closedAt: number | null;
  reason: string | null;
  /** The clock domain that `until` and `closedAt` were read in. */
  domain: string;
}

/** One egress's bookings, inside one write transaction that excludes every other process. */
export interface BookingTransaction {
  /** Monotonic time of the n-th latest booking in this clock's domain (1 = latest), or null where there are fewer. */
  nthLatest(n: number): Promise<number | null>;
  book(at: number): Promise<void>;
  /** Bookings made under another domain are re-dated to `now`, in this domain: nothing is known of their age. Returns how many. */
  adoptForeign(now: number): Promise<number>;
  forgetBefore(at: number): Promise<void>;
  circuit(): Promise<CircuitRecord | null>;
  saveCircuit(circuit: CircuitRecord): Promise<void>;
}

/** The durable log of bookings; implemented by the store. Committed durably before the returned promise resolves. */
export interface BookingLog {
  withBookings<T>(egress: string, domain: string, work: (bookings: BookingTransaction) => Promise<T>): Promise<T>;
}

/** The client of the Service, as other rooms use it. Implemented in src/service, wired in src/app/wiring.ts. */

import type { QuarantineReason, UnreachableReason } from '../domain/case.ts';
import type { Quote, QuoteApi } from '../domain/quote.ts';
import type { Instant, Kind } from '../domain/record.ts';
import type { AssetTerms, CurrencyTerms, GlobalTerms, MethodTerms } from '../domain/reference.ts';
import type { Drift, RecordState } from '../domain/snapshot.ts';
import type { Pace } from './pacing.ts';

/** The wall clock of this machine against the `Date` of the Service's answers, by their median. */
export interface ClockComparison {
  /** To be called before answers are stored. @throws WrongClockError where the clock is more than a day off. */
  require(): void;
  /** Where the clock is more than five minutes off: by how much, in words; null otherwise. */
  remark(): string | null;
}

/** The outcome of asking for one record. No answer of the Service is an exception. */
export type FetchResult = FetchOutcome & { attempts: number; at: Instant };

/** What a request for one record came to. Amounts are judged where it is `verified`. */
export type FetchOutcome =
  | { outcome: 'verified'; state: RecordState; body: ReceivedBody; httpStatus: number }
  | {
      outcome: 'quarantined';
      reason: QuarantineReason;
      detail: string;
      drift: readonly Drift[];
      /** The maker's name that the body has in its identifiers, where it lacks the configured one; absent otherwise. */
      otherName?: string;
      body: ReceivedBody | null;
      httpStatus: number | null;
    }
  | { outcome: 'unreachable'; reason: UnreachableReason; errorCode: string | null; httpStatus: number | null };

/** A body as received, and the form in which it may be kept. */
export interface ReceivedBody {
  /** SHA-256 of the bytes received, hexadecimal. */
  sha256: string;
  /** The text with every view token cut out. Only this is stored. */
  evidence: string;
}

/** What a delivered body says, as far as it can be understood. */
export type BodyReading =
  | { outcome: 'record'; delivered: SentBody }
  /** An SDK event without a record, such as `WIDGET_CLOSE`. */
  | { outcome: 'no-record'; eventType: string }
  /** A sentence without any value of the body. */
  | { outcome: 'unusable'; problem: string };

export interface SentBody extends Pick<RecordRef, 'kind' | 'id'> {
  /** The view token that came with it; null where there was none. Never logged. */
  token: string | null;
  /** As the envelope has it; null for the bare object. */
  eventType: string | null;
  body: ReceivedBody;
  /** SHA-256 of the signed content: equal for every formatting of the same body. */
  identity: string;
  /** Not ok: the record is known and the body is kept, but nothing is concluded from it. */
  state: { ok: true; value: RecordState } | { ok: false; drift: readonly Drift[] };
}

/** A record with the token that reads it; the token is never printed. */
export interface RecordRef {
  kind: Kind;
  id: string;
  /** The view token (`secret`). Never logged. */
  token: string;
}

/** A list of the Service, with the hash of its bytes. */
export interface ReferenceAnswer {
  /** SHA-256 of the bytes received. */
  sha256: string;
  body: string;
  at: Instant;
}

export interface AssetsAnswer extends ReferenceAnswer {
  global: GlobalTerms;
  assets: readonly AssetTerms[];
  /** Problems of assets that were left out of `assets`; absent without any. */
  leftOut?: readonly Drift[];
}

export interface MethodsAnswer extends ReferenceAnswer {
  methods: readonly MethodTerms[];
}

export interface CurrenciesAnswer extends ReferenceAnswer {
  currencies: readonly CurrencyTerms[];
}

export interface CountriesAnswer extends ReferenceAnswer {
  countries: readonly CountryTerms[];
}

/** One country (spec §2.10, v1 only). */
export interface CountryTerms {
  /** ISO 3166-1 alpha-2. */
  code: string;
  name: string;
  /** Deprecated, always true. */
  cardPaymentsEnabled: boolean;
  /** ISO 4217. */
  mainCurrencyCode: string;
  /** Null: all assets. Empty: none. */
  supportedAssets: readonly string[] | null;
}

/** Parameters of the assets endpoints (spec §4.1–4.3); one that is absent is not sent. v1 always answers in EUR. */
export type AssetsRequest = {
  pace: Pace;
  /** Only assets that are available to this address; the client's own setting where absent. */
  userIp?: string;
} & (
  | ({ api?: 'v3'; direction: 'onramp' | 'offramp' } & ListedParameters)
  | ({ api: 'v2'; direction?: 'onramp' } & ListedParameters)
  | { api: 'v1'; direction?: 'onramp'; onlyEnabled?: boolean; omitHidden?: boolean }
);

interface ListedParameters {
  currency: string;
  withDisabled?: boolean;
  withHidden?: boolean;
}

/** What a quote is asked for; the Service takes a total or an amount of tokens. */
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

/** A quote with its request, both as the Service has them. */
export interface QuoteAnswer {
  /** The request body as sent and the response body as received, as JSON text, for storage. */
  request: string;
  response: string;
  quote: Quote;
}

/** The client: all thirteen endpoints of spec §4. */
export interface ServiceClient {
  /**
   * @param options.refusalExpected refusals of this record are known, so another one does not count against the
   * address.
   */
  fetchRecord(
    ref: RecordRef,
    options: { pace: Pace; signal?: AbortSignal | undefined; refusalExpected?: boolean | undefined },
  ): Promise<FetchResult>;
  /** View tokens to search for in the bodies of other records; the token of each request is known anyway. */
  know(tokens: readonly string[]): void;
  /** @param options `ofAnyAmount`: an answer for another amount will do, because only its shares are compared */
  quote(request: QuoteRequest, options: { pace: Pace; quoteId: string; ofAnyAmount?: boolean }): Promise<QuoteAnswer>;
  assets(options: AssetsRequest): Promise<AssetsAnswer>;
  methods(options: { direction: 'onramp' | 'offramp'; pace: Pace }): Promise<MethodsAnswer>;
  currencies(options: { country?: string; pace: Pace }): Promise<CurrenciesAnswer>;
  countries(options: { pace: Pace }): Promise<CountriesAnswer>;
  /** Any endpoint by its command name (`tieout service NAME`), answered as parsed JSON text, unchanged. */
  raw(call: RawCall): Promise<{ httpStatus: number; body: string }>;
  close(): Promise<void>;
}

/** One endpoint by name, for `tieout service`; nothing of its answer is judged. */
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

/** Reference data as it was at a time: assets, methods and limits that a record is judged against. */
import type { AssetIdentity } from './asset.ts';
import type { Decimal } from './decimal.ts';
import type { Instant } from './record.ts';

/** One asset's terms for one fiat currency (spec §2.2, §2.3). Null: no limit of its own (−1 on the wire). */
export interface AssetTerms extends AssetIdentity {
  /** False while the asset cannot be bought or sold, as for maintenance. */
  enabled: boolean;
  /** Least total of a purchase, in the currency of the list. */
  minPurchaseAmount: Decimal | null;
  /** Largest total of a purchase, in the currency of the list. */
  maxPurchaseAmount: Decimal | null;
  /** Least tokens of a purchase, in units. */
  minPurchaseCryptoUnits: bigint | null;
  /** What one transfer costs now, in the currency of the list. */
  networkFee: Decimal | null;
  /** Approximate price of one whole token in the fiat currency. */
  price: Decimal | null;
  /** The same in EUR, by the same list; absent where an earlier version captured it. */
  priceEur?: Decimal | null;
  /** Listed, but not shown to users. */
  hidden?: boolean;
}

/** The decimals of a listed asset whose entry could not be read: it is listed, and nothing else is known of it. */
export const UNREAD = -1;

/** The global figures of an assets response (spec §2.1); fees are null for the off-ramp, which has none. */
export interface GlobalTerms {
  /** The currency of all amounts here. */
  currencyCode: string;
  /** Least total of a purchase where an asset has no limit of its own. */
  minPurchaseAmount: Decimal | null;
  /** Largest total of a purchase where an asset has no limit of its own. */
  maxPurchaseAmount: Decimal | null;
  /** Least fee, without network fee and the host's share; no floor for partners (`feeBounds`). */
  minFeeAmount: Decimal | null;
  /** Least share of the crypto's value that is taken as a fee, in percent: 0.99 is 0.99 %. */
  minFeePercent: Decimal | null;
  /** The largest such share, in percent. */
  maxFeePercent: Decimal | null;
}

/** Where a payment or payout method was supported (spec §2.11). */
export interface MethodTerms {
  name: string;
  /** ISO 4217 codes, upper-case. */
  currencies: readonly string[];
  countries: readonly string[];
}

/** Whether a fiat currency can be paid in (on-ramp) and paid out (off-ramp). */
export interface CurrencyTerms {
  code: string;
  onramp: boolean;
  offramp: boolean;
}

/** What the lists nearest to a record's creation say, on one side of it; a part is absent where none was captured there. */
export interface Listed {
  /** `asset` is null where the list of the record's currency does not have it, or has an entry that could not be read; an empty list counts as unread. */
  assets?: { capturedAt: Instant; global: GlobalTerms | null; asset: AssetTerms | null; isUnread?: boolean };
  methods?: { capturedAt: Instant; byName: ReadonlyMap<string, MethodTerms> };
  currencies?: { capturedAt: Instant; byCode: ReadonlyMap<string, CurrencyTerms> };
}

/**
 * The terms in force when a record was created: of the last capture before it, or, where there is none, of the first within an hour
 * after it (`capturedAt` says which). Each part is null where neither exists.
 */
export interface ReferenceAsOf {
  global: (GlobalTerms & { capturedAt: Instant }) | null;
  asset: (AssetTerms & { capturedAt: Instant }) | null;
  /** The methods of the record's direction by name. */
  methods: ReadonlyMap<string, MethodTerms> | null;
  /** The last lists captured up to the creation, and the first ones after it; absent where nothing was captured there. */
  before?: Listed;
  after?: Listed;
}

/** Terms captured so long after a record's creation count where none are older, in milliseconds. */
export const TERMS_MAY_FOLLOW = 3_600_000;

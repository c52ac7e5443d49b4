/** Reference data as it was at a time: assets, methods and limits that a record is judged against. */
import type { AssetIdentity } from './asset.ts';
import type { Decimal } from './decimal.ts';
import type { Instant } from './record.ts';

/** One asset's terms for one fiat currency (spec §2.2, §2.3). Null: no limit of its own (−1 on the wire). */
export interface AssetTerms extends AssetIdentity {
  enabled: boolean;
  minPurchaseAmount: Decimal | null;
  maxPurchaseAmount: Decimal | null;
  minPurchaseCryptoUnits: bigint | null;
  networkFee: Decimal | null;
  /** Approximate price of one whole token in the fiat currency. */
  price: Decimal | null;
}

/** The global figures of an assets response (spec §2.1); fees are null for the off-ramp, which has none. */
export interface GlobalTerms {
  currencyCode: string;
  minPurchaseAmount: Decimal | null;
  maxPurchaseAmount: Decimal | null;
  minFeeAmount: Decimal | null;
  minFeePercent: Decimal | null;
  maxFeePercent: Decimal | null;
}

export interface MethodTerms {
  name: string;
  currencies: readonly string[];
  countries: readonly string[];
}

/** The terms in force when a record was created; each part null where nothing was captured before that time. */
export interface ReferenceAsOf {
  global: (GlobalTerms & { capturedAt: Instant }) | null;
  asset: (AssetTerms & { capturedAt: Instant }) | null;
  /** The methods of the record's direction by name, or null where none were captured before then. */
  methods: ReadonlyMap<string, MethodTerms> | null;
}

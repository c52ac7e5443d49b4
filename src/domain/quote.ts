/** A quote is a captured price promise: what the user was shown, per payment or payout method. */
import { type AssetIdentity, sameAsset } from './asset.ts';
import type { Decimal } from './decimal.ts';
import type { Direction, Instant, Kind } from './record.ts';
import type { AssetTerms } from './reference.ts';
import type { RecordState } from './snapshot.ts';

/** The version of the Service's interface that answered: v1 quotes have a rate and a network fee of their own. */
export type QuoteApi = 'v1' | 'v3';

/** The promise for one method, in the quote's fiat currency. */
export interface QuotedMethod {
  /** As the Service names it today; old names are mapped (spec §2.11). */
  method: string;
  /** On-ramp: the total that the user pays. Off-ramp: the total that the user receives. */
  fiatValue: Decimal;
  /** In the smallest unit of the asset (wei). */
  cryptoUnits: bigint;
  /** The fee that the user pays, network fee and host share inside. */
  appliedFee: Decimal;
  /** Null where an off-ramp quote has none. */
  baseFee: Decimal | null;
  /** v1: its own figure. v3: `asset.networkFee`, converted where the asset's currency differs (see `networkFeeExact`). */
  networkFee: Decimal | null;
  /** False where the network fee was converted through the quoted asset's own price list. */
  networkFeeExact: boolean;
  /** The part of `appliedFee` that goes to the host; null where the quote does not name it. */
  hostFeeCut: Decimal | null;
  /** v1: as quoted. v3: derived from fiat, fee and crypto, to 18 places. */
  exchangeRate: Decimal | null;
}

/**
 * The quoted asset with the limits that came with it (v3, spec §2.2); amounts in `currencyCode`, −1 already null: the global limit holds.
 * The price is in the quote's fiat currency.
 */
export interface QuotedAssetTerms extends Pick<AssetTerms, LimitName | 'price'> {
  currencyCode: string;
}
type LimitName = 'minPurchaseAmount' | 'maxPurchaseAmount' | 'minPurchaseCryptoUnits';

/**
 * What the app showed, in the fiat currency of the record, or of the quote that it came with; null where the app stated
 * none.
 */
export interface ShownAmounts {
  /** The total that the user was shown to pay (a sale: to receive). */
  total: Decimal | null;
  /** The fee that the user was shown, network fee inside. */
  fee: Decimal | null;
}

/** Of one quote, for one method or for whichever the user took. */
interface ShownWithQuote extends ShownAmounts {
  method: string | null;
}

/** As captured: nothing of it changes afterwards, and it brings its own asset and limits. */
export interface Quote {
  quoteId: string;
  direction: Direction;
  api: QuoteApi;
  /** When the Service answered with it; it does not say how long a quote holds. */
  capturedAt: Instant;
  asset: AssetIdentity;
  fiatCurrency: string;
  /** Null for v1, whose asset carries no limits. */
  assetTerms: QuotedAssetTerms | null;
  methods: readonly QuotedMethod[];
  /** The user's country that it was asked for, lower-case ISO 3166-1 alpha-2; absent where the request names none. */
  country?: string;
  /** Price of one whole token in EUR; v3: of the asset's own price list. */
  exchangeRateEur?: Decimal;
  /** v1 alone: price of `fiatCurrency` in EUR. */
  fiatRateEur?: Decimal;
  /** What the app made of it on the screen; absent where it did not say. */
  shown?: ShownWithQuote;
}

/** How far from a record's creation a captured quote may lie, in milliseconds. */
export interface MatchWindow {
  /** For a quote from before the creation. */
  before: number;
  /** For the quote that was taken on the record's own CREATED webhook. */
  after: number;
}

/** Two quotes of the record's method and hour; its amount lies between theirs. */
export interface QuotesAround {
  below: QuoteAt;
  above: QuoteAt;
}

/** A quote of the same method for another amount: fees depend on the size (spec §2.1). */
export interface QuoteAt {
  quoteId: string;
  /** Of the method, as `QuotedMethod` has it. */
  fiatValue: Decimal;
  /** The Service's own fee, and the base fee in it where the quote names it. */
  own: FeeAt;
  base: FeeAt | null;
}

/** A fee as an amount and as a share, since either may be what stays the same. */
export interface FeeAt {
  /** In the fiat currency of the quote. */
  fee: Decimal;
  /** Of the value that was converted, 18 places. */
  share: Decimal;
}

/** The quote that belongs to a record. */
export interface MatchedQuote {
  /** How it came to belong to the record. */
  basis: 'linked' | 'captured' | 'requoted';
  quote: Quote;
  /** The record's own method in the quote, or null where the quote does not offer it. */
  method: QuotedMethod | null;
  /** Record creation minus capture; negative where the quote was taken after. Null without a creation time. */
  ageSeconds: number | null;
  /** Where the quote is for another amount, the captured quotes between which the record's lies; absent where there are none. */
  around?: QuotesAround;
  /** Its request asked for the tokens; looked up only where it decides something (`mayBeByTokens`). */
  isByTokens?: true;
}

/** False for no quote, and for a fresh one, which promised the user nothing. */
export function isPromised(matched: MatchedQuote | null): boolean {
  return matched !== null && matched.basis !== 'requoted';
}

/** The id of the fresh quote that an audit asks for: one per record and run. */
export function requoteId(runId: string, kind: Kind, recordId: string): string {
  return `requote-${runId}-${kind}-${recordId}`;
}

/** The id of the quote that is taken on the CREATED webhook of a record: one per record, whichever process asks. */
export function createdQuoteId({ kind, recordId }: Pick<RecordState, 'kind' | 'recordId'>): string {
  return `created-${kind}-${recordId}`;
}

/** Figures of another currency or asset measure something else: that they differ says nothing about a promise. */
export function sameTerms(state: RecordState, { quote }: MatchedQuote): boolean {
  return quote.fiatCurrency === state.fiatCurrency && sameAsset(quote.asset, state.asset);
}

/**
 * The quote whose own figures (amounts, asset limits, price) may be compared with a record: the linked or captured one for
 * the record's asset and fiat currency, or null. A fresh (`requoted`) one promised the user nothing; one for other terms
 * is the business of QUOTE_TERMS_DIFFER.
 */
export function promisingQuote(matched: MatchedQuote | null, state: RecordState): MatchedQuote | null {
  return matched !== null && matched.basis !== 'requoted' && sameTerms(state, matched) ? matched : null;
}

/** Quotes that users were shown, and reference data as it was at a time. */

import type { Asset } from '../../domain/asset.ts';
import type { Decimal } from '../../domain/decimal.ts';
import type { Published, Seen } from '../../domain/market.ts';
import type { CapturedWanted } from '../../domain/match-quote.ts';
import type { Quote } from '../../domain/quote.ts';
import type { Direction, Instant } from '../../domain/record.ts';
import type { AssetTerms, CurrencyTerms, GlobalTerms, MethodTerms, ReferenceAsOf } from '../../domain/reference.ts';
import type { QuoteAnswer, ReferenceAnswer } from '../service.ts';

/** Captured quotes; none is ever changed. */
export interface QuoteStore {
  /** `conflict`: the id is stored with other content; the first content stays. */
  add(quotes: readonly QuoteAnswer[], at: Instant): Promise<readonly ('added' | 'unchanged' | 'conflict')[]>;
  get(quoteId: string): Promise<QuoteAnswer | null>;
  /** The same question without the bodies, which a receiver may not read. */
  has(quoteId: string): Promise<boolean>;
  /** False where request and response are not those of the import: they were changed by other means. */
  isAsStored(quoteId: string): Promise<boolean>;
  /** Request of each of these, by id. */
  requests(quoteIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * For each request, the quotes of that direction, asset, currency and time that offer the method (any method where
   * null), latest capture first, with only that method in `methods`; none beyond the watermark.
   */
  captured(wanted: readonly CapturedWanted[], watermark: number): Promise<readonly (readonly Quote[])[]>;
  /**
   * For each request, the prices and network fees in the other quotes of that time, of which a few of each ten minutes are looked at;
   * none beyond the watermark. One statement for a page, and none where its days were looked at before.
   */
  seen(wanted: readonly MarketWanted[], watermark: number): Promise<readonly SeenInQuotes[]>;
  count(): Promise<number>;
}

/** Prices of an asset in a fiat currency, in [from, to]. */
export interface PublishedWanted {
  direction: Direction;
  asset: Asset;
  currency: string;
  from: Instant;
  to: Instant;
}

/** The hours of an asset and currency that a record's execution may lie in. */
export interface MarketWanted extends PublishedWanted {
  /** The record's own quote, which is no other's; null where it has none. */
  own: Pick<Quote, 'quoteId' | 'capturedAt'> | null;
}

export interface SeenInQuotes {
  prices: Seen | null;
  networkFees: Seen | null;
}

/** A list as it was received, and what it says. */
export type ReferenceInput = ReferenceAnswer &
  (
    | {
        type: 'assets';
        direction: Direction;
        currency: string;
        global: GlobalTerms;
        assets: readonly AssetTerms[];
      }
    | { type: 'methods'; direction: Direction; methods: readonly MethodTerms[] }
    | { type: 'currencies'; currencies: readonly CurrencyTerms[] }
    | { type: 'countries' }
  );

export interface ReferenceWanted {
  direction: Direction;
  currency: string;
  /** Null finds none. An unknown chain is looked up in the capture. */
  asset: Asset | null;
  /** The record's creation: captures on both sides of it count; null finds none. */
  at: Instant | null;
}

/** Lists of the Service as they were captured, each content once. */
export interface ReferenceStore {
  /** Stores one pass over the lists, in one row; a content that is known is not stored again. */
  save(...inputs: ReferenceInput[]): Promise<void>;
  /** One answer per request, in order; cached by capture, so large pages are cheap. */
  asOf(wanted: readonly ReferenceWanted[], watermark: number): Promise<readonly ReferenceAsOf[]>;
  /** One answer per request, in order: the listings of the asset in [from, to], oldest first. */
  published(wanted: readonly PublishedWanted[], watermark: number): Promise<readonly (readonly Published[])[]>;
  /** EUR for one unit of each listed currency, by the newest prices up to a time: the middle one of all assets. */
  eurRates(at: Instant, watermark: number): Promise<ReadonlyMap<string, { rate: Decimal; at: Instant }>>;
  latest(): Promise<readonly { type: string; direction: Direction | null; currency: string | null; at: Instant }[]>;
  /** As last captured; null where they never were. */
  currencies(): Promise<readonly CurrencyTerms[] | null>;
}

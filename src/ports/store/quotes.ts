/** Quotes that users were shown, and reference data as it was at a time. */
import type { Asset } from '../../domain/asset.ts';
import type { CapturedWanted } from '../../domain/match-quote.ts';
import type { Quote } from '../../domain/quote.ts';
import type { Direction, Instant } from '../../domain/record.ts';
import type { AssetTerms, GlobalTerms, MethodTerms, ReferenceAsOf } from '../../domain/reference.ts';

export interface QuoteInput {
  quote: Quote;
  /** Request and response as sent and received, as JSON text. */
  request: string;
  response: string;
}

export interface QuoteStore {
  /** `conflict`: the id is stored with other content; the first content stays. */
  add(quotes: readonly QuoteInput[], at: Instant): Promise<readonly ('added' | 'unchanged' | 'conflict')[]>;
  get(quoteId: string): Promise<QuoteInput | null>;
  /**
   * For each request, the quotes of that direction, asset, currency and time that offer the method (any method where
   * null), latest capture first, with only that method in `methods`; none beyond the watermark.
   */
  captured(wanted: readonly CapturedWanted[], watermark: number): Promise<readonly (readonly Quote[])[]>;
  count(): Promise<number>;
}

export type ReferenceInput =
  | {
      type: 'assets';
      direction: Direction;
      currency: string;
      global: GlobalTerms;
      assets: readonly AssetTerms[];
      body: string;
      sha256: string;
      at: Instant;
    }
  | {
      type: 'methods';
      direction: Direction;
      methods: readonly MethodTerms[];
      body: string;
      sha256: string;
      at: Instant;
    }
  | { type: 'currencies' | 'countries'; body: string; sha256: string; at: Instant };

export interface ReferenceWanted {
  direction: Direction;
  currency: string;
  /** Null finds none. An unknown chain is looked up in the capture. */
  asset: Asset | null;
  /** The last capture at or before this instant counts; null finds none. */
  at: Instant | null;
}

export interface ReferenceStore {
  /** A capture with known content adds one row of a few bytes. */
  save(input: ReferenceInput): Promise<void>;
  /** One answer per request, in order; cached by capture, so large pages are cheap. */
  asOf(wanted: readonly ReferenceWanted[], watermark: number): Promise<readonly ReferenceAsOf[]>;
  latest(): Promise<readonly { type: string; direction: Direction | null; currency: string | null; at: Instant }[]>;
}

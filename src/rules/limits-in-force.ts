/** The limits that held for a record when it was created. */
import { sameAsset } from '../domain/asset.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { promisingQuote } from './promising-quote.ts';
import type { RuleInput } from './rule.ts';

/** Null: no such limit. Fiat limits in the record's currency. */
export interface LimitsInForce {
  min: Decimal | null;
  minIsGlobal: boolean;
  max: Decimal | null;
  maxIsGlobal: boolean;
  minCryptoUnits: bigint | null;
}

/**
 * The asset's own limits (the quote's, which the user saw, before the published ones), and the global one where the asset
 * has none (spec §8.2). Null where the asset's terms are not known for the record's currency: the global limits alone
 * say nothing, since an asset may override them either way.
 */
export function limitsInForce(input: RuleInput, state: RecordState): LimitsInForce | null {
  const own = assetTerms(input, state);
  if (own === null) return null;
  const { global } = input.reference;
  const general = global !== null && global.currencyCode === state.fiatCurrency ? global : null;
  return {
    min: own.minPurchaseAmount ?? general?.minPurchaseAmount ?? null,
    minIsGlobal: own.minPurchaseAmount === null,
    max: own.maxPurchaseAmount ?? general?.maxPurchaseAmount ?? null,
    maxIsGlobal: own.maxPurchaseAmount === null,
    minCryptoUnits: own.minPurchaseCryptoUnits,
  };
}

interface OwnTerms {
  minPurchaseAmount: Decimal | null;
  maxPurchaseAmount: Decimal | null;
  minPurchaseCryptoUnits: bigint | null;
}

function assetTerms(input: RuleInput, state: RecordState): OwnTerms | null {
  const quoted = promisingQuote(input.quote, state)?.quote.assetTerms ?? null;
  if (quoted !== null && quoted.currencyCode === state.fiatCurrency) return quoted;
  const { asset, global } = input.reference;
  if (asset === null || !sameAsset(asset, state.asset)) return null;
  // One response has one currency, and only its global part names it.
  return global === null || global.currencyCode === state.fiatCurrency ? asset : null;
}

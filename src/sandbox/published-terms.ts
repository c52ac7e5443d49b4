/** Limits and fee bounds as the assets endpoints publish them: EUR bases converted at the rate of the moment (spec §8). */
import type { CatalogueAsset } from './catalogue-asset.ts';
import type { MarketMinute } from './market.ts';

/** Global figures in EUR, as read live (field facts). */
export const GLOBAL_EUR = {
  minPurchaseAmount: 6,
  maxPurchaseAmount: 15_000,
  minFeeAmount: 2.49,
  minFeePercent: 0.99,
  maxFeePercent: 3.9,
} as const;

/** A EUR amount in another currency, unrounded; −1 (no limit of its own) stays −1. */
export function inCurrency(eur: number, code: string, moment: MarketMinute): number {
  return eur === -1 ? -1 : eur / moment.fiatEur(code);
}

/** The asset's own limits in `code`; −1 where the global ones apply (spec §8.2). */
export function assetLimits(asset: CatalogueAsset, code: string, moment: MarketMinute) {
  return {
    minPurchaseAmount: inCurrency(asset.minEur, code, moment),
    maxPurchaseAmount: inCurrency(asset.maxEur, code, moment),
    minPurchaseCryptoAmount: asset.minCryptoUnits,
  };
}

export function minFeeAmount(code: string, moment: MarketMinute): number {
  return inCurrency(GLOBAL_EUR.minFeeAmount, code, moment);
}

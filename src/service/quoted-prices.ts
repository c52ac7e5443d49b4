/** What a v3 quote says of its asset: the network fee in the quote's own currency, and the limits (spec §2.2). */
import type { Decimal } from '../domain/decimal.ts';
import type { QuotedAssetTerms } from '../domain/quote.ts';
import type { WireAssetInfoV3 } from './wire/assets-v3.ts';
import { decimalOrNull, limitOrNull, unitsLimitOrNull } from './wire-values.ts';

/** Digits kept where a rate is derived or a fee converted: more than any token has. */
export const DERIVED_PLACES = 18;

export interface NetworkFee {
  amount: Decimal | null;
  exact: boolean;
}

/** The asset's network fee is in the asset's currency; only its own price list can bring it into the quote's. */
export function networkFee(asset: WireAssetInfoV3, fiatCurrency: string): NetworkFee {
  const fee = decimalOrNull(asset.networkFee);
  const from = asset.currencyCode ?? null;
  if (fee === null || from === null) return { amount: null, exact: true };
  if (from === fiatCurrency) return { amount: fee, exact: true };
  const priceFrom = priceIn(asset, from);
  const priceTo = priceIn(asset, fiatCurrency);
  if (priceFrom === null || priceTo === null) return { amount: null, exact: true };
  return { amount: fee.times(priceTo).dividedBy(priceFrom, DERIVED_PLACES), exact: false };
}

/** Null without a price; a price of zero is none. */
function priceIn(asset: WireAssetInfoV3, currency: string): Decimal | null {
  const prices = asset.price;
  if (!prices || !Object.hasOwn(prices, currency)) return null;
  const price = decimalOrNull(prices[currency]);
  return price?.isZero ? null : price;
}

/** Null where the response carries no limits, or does not say in which currency they are. */
export function assetTerms(asset: WireAssetInfoV3, fiatCurrency: string): QuotedAssetTerms | null {
  const { currencyCode, minPurchaseAmount, maxPurchaseAmount, minPurchaseCryptoAmount } = asset;
  const limits = [minPurchaseAmount, maxPurchaseAmount, minPurchaseCryptoAmount];
  if (!currencyCode || limits.every((limit) => (limit ?? null) === null)) return null;
  return {
    currencyCode,
    minPurchaseAmount: limitOrNull(minPurchaseAmount),
    maxPurchaseAmount: limitOrNull(maxPurchaseAmount),
    minPurchaseCryptoUnits: unitsLimitOrNull(minPurchaseCryptoAmount),
    price: priceIn(asset, fiatCurrency),
  };
}

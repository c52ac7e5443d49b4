/** Assets of every version: `GET /host-api/v3/assets` and `/host-api/v3/offramp/assets` (spec §2.1–2.3), v2 and v1 (spec §2.10). */

import { z } from 'zod';
import {
  amount,
  anything,
  currencyCode,
  decimals,
  filled,
  flag,
  limit,
  listOf,
  priceList,
  resource,
  text,
  unitsLimit,
} from './scalars.ts';

/** Features of an integration key (spec §2.1): names by the specification; objects with a name and parameters in the field. */
const enabledFeatures = listOf(
  z.union([filled, resource({ name: filled })], { error: 'a string, or an object with a name' }),
);

/** Of one asset, in every version. */
const commonFields = {
  symbol: filled,
  chain: text.nullish(),
  name: text.nullish(),
  decimals,
  /** `NATIVE`, or a token standard; in v1 the blockchain of a native asset. */
  type: text.nullish(),
  address: text.nullish(),
  logoUrl: text.nullish(),
  hidden: flag.nullish(),
  price: priceList.nullish(),
};

/** One asset; the off-ramp's has no network fee by declaration, and has one in the sample. */
const assetInfoFields = {
  ...commonFields,
  enabled: flag.nullish(),
  /** Currency of the limits and of `networkFee`. */
  currencyCode: currencyCode.nullish(),
  minPurchaseAmount: limit.nullish(),
  maxPurchaseAmount: limit.nullish(),
  minPurchaseCryptoAmount: unitsLimit.nullish(),
  networkFee: amount.nullish(),
};

export const assetInfoV3 = resource(assetInfoFields);

/**
 * Required fields of a listing (spec §2.2): a missing limit does not mean "no limit", nor a missing `enabled`
 * "enabled".
 */
export const listedAsset = resource({
  ...assetInfoFields,
  enabled: flag,
  minPurchaseAmount: limit,
  maxPurchaseAmount: limit,
  minPurchaseCryptoAmount: unitsLimit,
});

/** What names an asset. */
export const listedName = resource({
  symbol: filled,
  chain: text.nullish(),
  type: text.nullish(),
  address: text.nullish(),
  apiV3Symbol: text.nullish(),
});

/** The heads are read before their lists, so that each asset stands or falls alone. v2 has the head of v3. */
const headFields = { assets: listOf(anything), enabledFeatures: enabledFeatures.nullish() };
const feeFields = { minFeePercent: amount, maxFeePercent: amount };
const limitFields = { currencyCode, minPurchaseAmount: limit, maxPurchaseAmount: limit };

export const onrampAssets = resource({ ...headFields, ...limitFields, minFeeAmount: amount, ...feeFields });

/** No fee figures exist for the off-ramp. */
export const offrampAssets = resource({ ...headFields, ...limitFields });

export const assetsV1 = resource({
  ...headFields,
  minPurchaseAmountEur: limit,
  maxPurchaseAmountEur: limit,
  minFeeAmountEur: amount,
  ...feeFields,
});

export type WireListedAsset = z.infer<typeof listedAsset>;
export type WireListedName = z.infer<typeof listedName>;
export type WireAssetInfoV3 = z.infer<typeof assetInfoV3>;

/** v1: every amount in EUR, symbols joined with their chain. */
export const assetInfoV1 = resource({
  ...commonFields,
  enabled: flag,
  priceEur: amount.nullish(),
  priceUpdateTs: text.nullish(),
  minPurchaseAmountEur: limit,
  maxPurchaseAmountEur: limit,
  minPurchaseCryptoAmount: unitsLimit,
  networkFeeEur: amount.nullish(),
  networkParamsUpdatedAt: text.nullish(),
  /** Seen beside the joined symbol, as is the chain. */
  apiV3Symbol: text.nullish(),
  apiV3Type: text.nullish(),
});

export type WireAssetInfoV1 = z.infer<typeof assetInfoV1>;

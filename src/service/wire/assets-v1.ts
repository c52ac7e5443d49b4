/** `GET /host-api/assets`: every amount in EUR, symbols joined with their chain (spec §2.10). */
import type { z } from 'zod';
import { enabledFeatures } from './assets-v3.ts';
import { amount, decimals, filled, flag, limit, listOf, priceList, resource, text, unitsLimit } from './scalars.ts';

export const assetInfoV1 = resource({
  symbol: filled,
  name: text.nullish(),
  decimals,
  /** The blockchain of a native asset, or a token standard. */
  type: text.nullish(),
  address: text.nullish(),
  logoUrl: text.nullish(),
  enabled: flag.nullish(),
  hidden: flag.nullish(),
  priceEur: amount.nullish(),
  priceUpdateTs: text.nullish(),
  price: priceList.nullish(),
  minPurchaseAmountEur: limit.nullish(),
  maxPurchaseAmountEur: limit.nullish(),
  minPurchaseCryptoAmount: unitsLimit.nullish(),
  networkFeeEur: amount.nullish(),
  networkParamsUpdatedAt: text.nullish(),
  /** Seen beside the joined symbol. */
  chain: text.nullish(),
  apiV3Symbol: text.nullish(),
  apiV3Type: text.nullish(),
});

export const assetsV1Fields = {
  assets: listOf(assetInfoV1),
  enabledFeatures: enabledFeatures.nullish(),
  minPurchaseAmountEur: limit,
  maxPurchaseAmountEur: limit,
  minFeeAmountEur: amount,
  minFeePercent: amount,
  maxFeePercent: amount,
};

export const assetsV1 = resource(assetsV1Fields);

export type WireAssetInfoV1 = z.infer<typeof assetInfoV1>;

/** Asset objects as each version of the API writes them (spec §2.2, §2.3, §2.10). */
import { identifierOf } from './assets-catalogue.ts';
import type { CatalogueAsset } from './catalogue-asset.ts';
import type { Bodies, Body } from './contract.ts';
import type { MarketMinute } from './market.ts';
import type { Direction } from './methods.ts';
import { assetLimits, inCurrency } from './published-terms.ts';

/** What every version writes alike. */
const listed = (asset: CatalogueAsset, moment: MarketMinute) => ({
  name: asset.name,
  decimals: asset.decimals,
  type: asset.type,
  address: asset.address,
  logoUrl: `https://assets.sandbox.invalid/crypto-assets/${identifierOf(asset).toLowerCase().replace('_', '-')}.svg`,
  enabled: asset.enabled && moment.isOpen(asset),
  hidden: asset.hidden,
});

/** v3 AssetInfo or OfframpAssetInfo; limits and network fee in `code`. */
export function assetInfoV3(
  asset: CatalogueAsset,
  direction: Direction,
  code: string,
  moment: MarketMinute,
  bodies: Bodies,
): Body {
  return {
    symbol: asset.symbol,
    chain: asset.chain,
    ...listed(asset, moment),
    price: moment.prices(asset),
    currencyCode: code,
    ...assetLimits(asset, code, moment),
    ...(direction === 'onramp' ? { networkFee: inCurrency(moment.networkFeeEur(asset), code, moment) } : {}),
    // Not declared for the off-ramp, but the Service's own sample has it there too.
    ...(direction === 'offramp' && bodies === 'observed' ? { networkFee: 0 } : {}),
  };
}

/** v2 AssetInfo: without `chain`, the blockchain as the type of native assets, and v1's joined symbols. */
export function assetInfoV2(asset: CatalogueAsset, code: string, moment: MarketMinute): Body {
  const { chain: _, ...rest } = assetInfoV3(asset, 'onramp', code, moment, 'spec');
  return { ...rest, symbol: asset.v1Symbol, type: asset.v1Type };
}

/** v1 AssetInfo: everything in EUR. `observed`: three further fields. */
export function assetInfoV1(asset: CatalogueAsset, moment: MarketMinute, bodies: Bodies): Body {
  const updated = new Date(moment.at).toISOString();
  return {
    symbol: asset.v1Symbol,
    ...listed(asset, moment),
    type: asset.v1Type,
    priceEur: moment.assetEur(asset),
    priceUpdateTs: updated,
    price: moment.prices(asset),
    minPurchaseAmountEur: asset.minEur,
    maxPurchaseAmountEur: asset.maxEur,
    minPurchaseCryptoAmount: asset.minCryptoUnits,
    networkFeeEur: moment.networkFeeEur(asset),
    networkParamsUpdatedAt: updated,
    ...(bodies === 'observed' ? { chain: asset.chain, apiV3Symbol: asset.symbol, apiV3Type: asset.type } : {}),
  };
}

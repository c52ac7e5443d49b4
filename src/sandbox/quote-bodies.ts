/** Asset objects as each version of the API writes them (spec §2.2, §2.3, §2.10). */
import { type CatalogueAsset, identifierOf } from './assets-catalogue.ts';
import type { Bodies, Body } from './contract.ts';
import { assetLimits, inCurrency, type Market, type MarketMinute } from './market.ts';
import { assetFiguresCurrency, type Direction } from './payment-tables.ts';
import type { Offer, OfferRequest } from './pricing.ts';

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

// Quote responses (spec §2.7, §2.10) from the offers for a request.

/** Everything about a request that the response repeats. */
interface QuoteFacts extends Pick<OfferRequest, 'direction' | 'asset' | 'currency' | 'at'> {
  identifierName: string;
  bodies: Bodies;
}

/** Payout methods for which no base fee is given (field facts: it may be null for the off-ramp). */
const WITHOUT_BASE_FEE: ReadonlySet<string> = new Set(['SPEI']);

export function quoteV3(facts: QuoteFacts, offers: readonly Offer[], market: Market): Body {
  const code = assetFiguresCurrency(facts.currency);
  const body: Body = { asset: assetInfoV3(facts.asset, facts.direction, code, market.at(facts.at), facts.bodies) };
  for (const { method, figures } of offers) {
    const withoutBase =
      facts.bodies === 'observed' && facts.direction === 'offramp' && WITHOUT_BASE_FEE.has(method.name);
    body[method.name] = {
      fiatCurrency: facts.currency,
      cryptoAmount: figures.units.toString(),
      fiatValue: figures.fiatValue,
      [`base${facts.identifierName}Fee`]: withoutBase ? null : figures.baseFee,
      appliedFee: figures.appliedFee,
      ...(figures.hostFeeCut === null ? {} : { hostFeeCut: figures.hostFeeCut }),
    };
  }
  return body;
}

/** @param requested the asset's name as the request had it, which observed bodies repeat. */
export function quoteV1(facts: QuoteFacts, { method, figures }: Offer, requested: string): Body {
  const { asset, currency, identifierName } = facts;
  const symbol = facts.bodies === 'spec' ? asset.v1Symbol : requested;
  return {
    cryptoAssetSymbol: symbol,
    fiatCurrency: currency,
    cryptoAmount: figures.units.toString(),
    fiatValue: figures.fiatValue,
    paymentMethodType: method.name,
    asset: { address: asset.address, symbol, name: asset.name, decimals: asset.decimals },
    assetExchangeRate: figures.rate,
    assetExchangeRateEur: figures.rateEur,
    fiatExchangeRateEur: figures.fiatEur,
    [`base${identifierName}Fee`]: figures.baseFee,
    networkFee: figures.networkFee,
    appliedFee: figures.appliedFee,
  };
}

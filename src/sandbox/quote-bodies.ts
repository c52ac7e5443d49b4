/** Quote responses (spec §2.7, §2.10) from the offers for a request. */
import { assetInfoV3 } from './asset-bodies.ts';
import type { CatalogueAsset } from './catalogue-asset.ts';
import type { Bodies, Body, SandboxInstant } from './contract.ts';
import { assetFiguresCurrency } from './currencies.ts';
import type { Market } from './market.ts';
import type { Direction } from './methods.ts';
import type { Offer } from './offers.ts';

/** Everything about a request that the response repeats. */
interface QuoteFacts {
  direction: Direction;
  asset: CatalogueAsset;
  currency: string;
  at: SandboxInstant;
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

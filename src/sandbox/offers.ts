/** The Service's offers for one request: per method, the figures that quotes show and records repeat. */
import type { CatalogueAsset } from './catalogue-asset.ts';
import type { SandboxInstant } from './contract.ts';
import type { Market } from './market.ts';
import type { Direction, Method } from './methods.ts';
import { type Figures, type PriceTerms, priceBuy, priceSell, type RequestedAmount } from './pricing.ts';
import { inCurrency, minFeeAmount } from './published-terms.ts';
import { hashText, mix } from './random.ts';

/** The user buys a little above the published price and sells a little below it. */
const MARGIN = 0.0025;
const HOST_SHARE = 0.25;

interface OfferRequest {
  direction: Direction;
  asset: CatalogueAsset;
  currency: string;
  asked: RequestedAmount;
  methods: readonly Method[];
  at: SandboxInstant;
  /** When the terms were agreed on, where that was earlier: a promotion and a least fee hold from then on. */
  agreedAt?: SandboxInstant;
}

export interface Offer {
  method: Method;
  figures: Figures;
}

/** In the order of `methods`, without those whose fees leave nothing. */
export function offersFor(request: OfferRequest, market: Market): readonly Offer[] {
  const offers: Offer[] = [];
  for (const method of request.methods) {
    const terms = termsFor(request, method, market);
    const figures = request.direction === 'onramp' ? priceBuy(terms, request.asked) : priceSell(terms, request.asked);
    if (figures !== null) offers.push({ method, figures });
  }
  return offers;
}

/** Lowest applied fee in its own price (spec §2.10); the first of equals. */
export function cheapest(offers: readonly Offer[]): Offer | undefined {
  return offers.reduce<Offer | undefined>(
    (best, offer) => (best === undefined || shareOf(offer) < shareOf(best) ? offer : best),
    undefined,
  );
}

function shareOf({ figures }: Offer): number {
  return figures.appliedFee / figures.fiatValue;
}

function termsFor(request: OfferRequest, method: Method, market: Market): PriceTerms {
  const { direction, asset, currency, at, agreedAt = at } = request;
  // The earlier minute first: one is remembered.
  const minFee = direction === 'onramp' ? minFeeAmount(currency, market.at(agreedAt)) : 0;
  const moment = market.at(at);
  const fiatEur = moment.fiatEur(currency);
  const buying = direction === 'onramp';
  return {
    rate: (moment.assetEur(asset) / fiatEur) * (buying ? 1 + MARGIN : 1 - MARGIN),
    fiatEur,
    decimals: asset.decimals,
    percent: method.percent,
    minFee,
    discount: discountFor(asset, method, agreedAt),
    // A seller pays the chain's fee directly, when sending the crypto.
    networkFee: buying ? inCurrency(moment.networkFeeEur(asset), currency, moment) : 0,
    partnerPercent: buying ? market.partnerPercent(asset) : 0,
    hostShare: asset.hostCut ? HOST_SHARE : null,
  };
}

/** Promotions: on one day in eight an asset's base fee is reduced. A function of asset and day, so quotes promise it. */
const DAY = 86_400_000;
/** A fifth: the rest of 2.4 % and more stays above the published minimum. */
const DISCOUNT = 0.2;
const DEAREST_ONLY = 2.4;

/**
 * The share of the base fee that is waived: 0 on most days, and always for methods near the published minimum. The
 * dollar tokens of one chain share their days, as they share their price.
 */
function discountFor(asset: CatalogueAsset, method: Method, at: SandboxInstant): number {
  if (method.percent < DEAREST_ONLY) return 0;
  const day = Math.floor(at / DAY);
  return mix(hashText(`${asset.chain}_${asset.family}`), day, 0xd15c) % 8 === 0 ? DISCOUNT : 0;
}

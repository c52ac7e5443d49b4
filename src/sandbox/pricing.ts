/**
 * How the Service prices a purchase or a sale: in doubles, unrounded, as the recorded bodies show. With cv the value of
 * the crypto, base fee = max(minimum, percent × cv), applied fee = base fee − discount + network fee + partner's fee, and
 * fiatValue = cv + applied fee for a purchase, cv − applied fee for a sale.
 */
import type { CatalogueAsset } from './assets-catalogue.ts';
import type { SandboxInstant } from './contract.ts';
import { inCurrency, type Market, minFeeAmount } from './market.ts';
import type { Direction, Method } from './payment-tables.ts';
import { hashText, mix } from './random.ts';

/** The price of one method at one moment; amounts in the fiat currency. */
export interface PriceTerms {
  /** Fiat per whole token, the Service's own margin included. */
  rate: number;
  /** Price of one unit of the fiat currency in EUR. */
  fiatEur: number;
  decimals: number;
  /** Base fee in percent of cv. */
  percent: number;
  /** The least base fee; 0 for the off-ramp, which publishes none. */
  minFee: number;
  /** Share of the base fee that is waived, 0 to 1. */
  discount: number;
  networkFee: number;
  /** The host's own fee on top of the base fee, in percent of cv; 0 for most. */
  partnerPercent: number;
  /** The host's share of the base fee, or null where it earns none. */
  hostShare: number | null;
}

/** The figures of one record, or of one method in a quote. */
export interface Figures {
  /** Crypto in smallest units. */
  units: bigint;
  fiatValue: number;
  /** Fiat per whole token: exactly what the crypto's value is divided by its amount after rounding to units. */
  rate: number;
  rateEur: number;
  fiatEur: number;
  baseFee: number;
  networkFee: number;
  appliedFee: number;
  hostFeeCut: number | null;
}

/** The order of the user: an amount of fiat, or of crypto in units. */
export type RequestedAmount = { fiat: number } | { units: bigint };

export function tokensOf(units: bigint, decimals: number): number {
  return Number(units) / 10 ** decimals;
}

/** Fiat paid for crypto. Null where fees leave nothing (`SWAP_VALUE_IS_ZERO`). */
export function priceBuy(terms: PriceTerms, asked: RequestedAmount): Figures | null {
  if ('units' in asked) {
    const cv = tokensOf(asked.units, terms.decimals) * terms.rate;
    if (cv <= 0) return null;
    const fees = feesOf(terms, cv);
    return {
      ...fees,
      units: asked.units,
      rate: terms.rate,
      ...ratesOf(terms, terms.rate),
      fiatValue: cv + fees.appliedFee,
    };
  }
  const partner = terms.partnerPercent / 100;
  const share = (terms.percent / 100) * (1 - terms.discount) + partner;
  const proportional = (asked.fiat - terms.networkFee) / (1 + share);
  // Below the point where the percentage reaches it, the least fee is charged.
  const atLeast = (asked.fiat - terms.networkFee - terms.minFee * (1 - terms.discount)) / (1 + partner);
  const cv = (terms.percent / 100) * proportional >= terms.minFee ? proportional : atLeast;
  return settle(terms, cv, asked.fiat);
}

/** Crypto sold for fiat. Null where fees leave nothing. */
export function priceSell(terms: PriceTerms, asked: RequestedAmount): Figures | null {
  if ('units' in asked) {
    const cv = tokensOf(asked.units, terms.decimals) * terms.rate;
    const fees = feesOf(terms, cv);
    const fiatValue = cv - fees.appliedFee;
    if (fiatValue <= 0) return null;
    return { ...fees, units: asked.units, rate: terms.rate, ...ratesOf(terms, terms.rate), fiatValue };
  }
  const share = (terms.percent / 100) * (1 - terms.discount);
  return settle(terms, (asked.fiat + terms.networkFee) / (1 - share), asked.fiat);
}

function feesOf(terms: PriceTerms, cv: number) {
  const baseFee = Math.max(terms.minFee, (terms.percent / 100) * cv);
  const service = terms.discount === 0 ? baseFee + terms.networkFee : baseFee * (1 - terms.discount) + terms.networkFee;
  const { partnerPercent, hostShare, networkFee } = terms;
  if (partnerPercent === 0)
    return { baseFee, networkFee, appliedFee: service, hostFeeCut: hostShare === null ? null : baseFee * hostShare };
  const hostFeeCut = (partnerPercent / 100) * cv;
  return { baseFee, networkFee, appliedFee: service + hostFeeCut, hostFeeCut };
}

function ratesOf(terms: PriceTerms, rate: number) {
  return { rateEur: rate * terms.fiatEur, fiatEur: terms.fiatEur };
}

/** Rounds the crypto to units and lets the rate take the rest, so that the total foots to the last digit of a double. */
function settle(terms: PriceTerms, cv: number, fiatValue: number): Figures | null {
  if (cv <= 0) return null;
  const units = BigInt(Math.round((cv / terms.rate) * 10 ** terms.decimals));
  if (units <= 0n) return null;
  const rate = cv / tokensOf(units, terms.decimals);
  return { ...feesOf(terms, cv), units, rate, ...ratesOf(terms, rate), fiatValue };
}

// The Service's offers for one request: per method, the figures that quotes show and records repeat.

/** The user buys a little above the published price and sells a little below it. */
const MARGIN = 0.0025;
const HOST_SHARE = 0.25;

export interface OfferRequest {
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

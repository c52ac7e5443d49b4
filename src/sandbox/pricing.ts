/**
 * How the Service prices a purchase or a sale: in doubles, unrounded, as the recorded bodies show. With cv the value of
 * the crypto, base fee = max(minimum, percent × cv), applied fee = base fee − discount + network fee + partner's fee, and
 * fiatValue = cv + applied fee for a purchase, cv − applied fee for a sale.
 */

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

/**
 * Prices, exchange rates and network fees as a deterministic function of time, from minute to minute. A calm market moves crypto
 * within ± 1.2 % around its base and fiat within ± 0.03 %, and no network fee; a floating one walks (`--market on`).
 */
import { type CatalogueAsset, identifierOf } from './assets-catalogue.ts';
import type { SandboxInstant } from './contract.ts';
import { CURRENCIES, currency } from './payment-tables.ts';
import { hashText, mix } from './random.ts';

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The market in one minute. */
export type MarketMinute = ReturnType<typeof createMoment>;

export type Market = ReturnType<typeof createMarket>;

/** A market that moves from the seed. */
interface FloatingMarket {
  seed: number;
  /** Whether bodies say what of a fee is the partner's: the specification has no field for it. */
  statesPartnerFee: boolean;
}

const PARTNER_ASSETS: ReadonlySet<string> = new Set(['SOLANA_SOL', 'BSC_BNB']);
const PARTNER_PERCENT = 1;

/** On a day, one asset in nine is closed for an hour. */
function isOpenAt(asset: CatalogueAsset, at: SandboxInstant, walk: number | null): boolean {
  if (walk === null) return true;
  const day = Math.floor(at / DAY);
  const draw = mix(walk, hashText(identifierOf(asset)), day);
  return draw % 9 !== 0 || Math.floor((at % DAY) / HOUR) !== 1 + ((draw >>> 8) % 22);
}

/** In a year, as a share of the price. */
const COIN_VOLATILITY = 0.6;
const FIAT_VOLATILITY = 0.08;

/**
 * Neighbouring requests ask for the same minute; one is remembered.
 * @param floating null for a calm market
 */
export function createMarket(floating: FloatingMarket | null = null) {
  const walk = floating?.seed ?? null;
  let latest: MarketMinute | null = null;
  return {
    at(instant: SandboxInstant): MarketMinute {
      const minute = Math.floor(instant / MINUTE) * MINUTE;
      if (latest === null || latest.at !== minute) latest = createMoment(minute, walk);
      return latest;
    },
    /** The partner's own fee on top of the Service's, in per cent of cv; 0 for most assets. */
    partnerPercent: (asset: CatalogueAsset) =>
      floating?.statesPartnerFee === true && PARTNER_ASSETS.has(identifierOf(asset)) ? PARTNER_PERCENT : 0,
  };
}

function wave(name: string, at: SandboxInstant, period: number): number {
  const phase = (hashText(name) / 0x1_0000_0000) * 2 * Math.PI;
  return Math.sin((2 * Math.PI * at) / period + phase);
}

function fiatEurAt(code: string, at: SandboxInstant, walk: number | null): number {
  if (code === 'EUR') return 1;
  const { eur } = currency(code);
  return walk === null
    ? eur * (1 + 0.0003 * wave(code, at, 7 * DAY))
    : eur * priceFactor(walk, code, at / MINUTE, FIAT_VOLATILITY);
}

function coinEurAt({ priceEur, family, name }: CatalogueAsset, at: SandboxInstant, walk: number | null): number {
  return walk === null
    ? priceEur * (1 + 0.01 * wave(family, at, 20 * DAY) + 0.002 * wave(name, at, 5.3 * HOUR))
    : priceEur * priceFactor(walk, family, at / MINUTE, COIN_VOLATILITY);
}

/** Computed once for each key. */
function remembered<T, V>(keyOf: (item: T) => string, compute: (item: T) => V): (item: T) => V {
  const known = new Map<string, V>();
  return (item) => {
    const found = known.get(keyOf(item));
    if (found !== undefined) return found;
    const value = compute(item);
    known.set(keyOf(item), value);
    return value;
  };
}

function createMoment(at: SandboxInstant, walk: number | null) {
  const fiatEur = remembered(String, (code: string) => fiatEurAt(code, at, walk));
  const coinEur = remembered(
    ({ family }: CatalogueAsset) => family,
    (asset) => coinEurAt(asset, at, walk),
  );
  // One chain has one fee market: by about a per cent a minute, and from one bound to the other by less than a quarter.
  const fee = remembered(String, (chain: string) => {
    const moved = walk === null ? 0 : 0.01 * noise(walk, `${chain} fee`, at / MINUTE, FEE_PERIODS);
    return Math.min(1.11, Math.max(0.9, Math.exp(moved)));
  });
  const assetEur = (asset: CatalogueAsset) => (asset.family === 'USD' ? fiatEur('USD') : coinEur(asset));
  const prices = remembered(identifierOf, (asset: CatalogueAsset): Readonly<Record<string, number>> => {
    const eur = assetEur(asset);
    return Object.fromEntries(CURRENCIES.map(({ code }) => [code, eur / fiatEur(code)]));
  });
  return {
    /** Start of the minute. */
    at,
    /** Price of one unit of the currency in EUR (the `fiatExchangeRateEur` of bodies). */
    fiatEur,
    /** Price of one whole token in EUR. */
    assetEur,
    /** What a release costs on the asset's chain, in EUR. */
    networkFeeEur: ({ chain, networkFeeEur }: CatalogueAsset) => networkFeeEur * fee(chain),
    /** False in an hour of maintenance: lists leave the asset out, or name it disabled. */
    isOpen: (asset: CatalogueAsset) => isOpenAt(asset, at, walk),
    /** The `price` dictionary of an asset: one whole token in every currency of the sandbox. */
    prices,
  };
}

/**
 * Random walks as pure functions of a seed and a minute: noise of doubling periods, each as high as the root of its period, adds up
 * to moves that grow with the root of time. Nothing is remembered, so any minute costs the same.
 */
const MINUTES_A_DAY = 1440;
const DAYS_A_YEAR = 365.25;
/** From a minute to 45 days: beyond that a price comes back to its base. */
const PRICE_PERIODS = 17;
/** To about four hours: a fee stays within its bounds. */
const FEE_PERIODS = 9;
/** Found by measuring: with it the moves of a day have the volatility that is asked for. */
const PER_PERIOD = 0.47;

/** Nearly normal, of variance 1: four bytes of a hash, added. */
function lattice(seed: number, key: number, index: number): number {
  const bits = mix(seed, key, index);
  return ((bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24) - 510) / 147.8;
}

function noise(seed: number, name: string, minute: number, periods: number): number {
  const key = hashText(name);
  let sum = 0;
  for (let k = 0, period = 1; k < periods; k++, period *= 2) {
    const index = Math.floor(minute / period);
    const share = minute / period - index;
    const [before, after] = [lattice(seed, key + k, index), lattice(seed, key + k, index + 1)];
    sum += Math.sqrt(period) * (before + share * (after - before));
  }
  return PER_PERIOD * sum;
}

/** A factor around 1 that moves by `volatility` in a year, as a share. */
function priceFactor(seed: number, name: string, minute: number, volatility: number): number {
  return Math.exp((volatility / Math.sqrt(DAYS_A_YEAR * MINUTES_A_DAY)) * noise(seed, name, minute, PRICE_PERIODS));
}

// Limits and fee bounds as the assets endpoints publish them: EUR bases converted at the rate of the moment (spec §8).

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

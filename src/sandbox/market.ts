/**
 * Prices and exchange rates as a deterministic function of time, from minute to minute. Crypto moves within ± 1.2 %
 * around its base and fiat within ± 0.03 %, so that a record agrees with reference data from any other day to a few
 * percent, and limits drift between reads without ever drifting out of tolerance.
 */
import { identifierOf } from './assets-catalogue.ts';
import type { CatalogueAsset } from './catalogue-asset.ts';
import type { SandboxInstant } from './contract.ts';
import { CURRENCIES, currency } from './currencies.ts';
import { hashText } from './random.ts';

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The market in one minute. */
export interface MarketMinute {
  /** Start of the minute. */
  at: SandboxInstant;
  /** Price of one unit of the currency in EUR (the `fiatExchangeRateEur` of bodies). */
  fiatEur(code: string): number;
  /** Price of one whole token in EUR. */
  assetEur(asset: CatalogueAsset): number;
  /** The `price` dictionary of an asset: one whole token in every currency of the sandbox. */
  prices(asset: CatalogueAsset): Readonly<Record<string, number>>;
}

export interface Market {
  at(instant: SandboxInstant): MarketMinute;
}

/** Neighbouring requests ask for the same minute; one is remembered. */
export function createMarket(): Market {
  let latest: MarketMinute | null = null;
  return {
    at(instant) {
      const minute = Math.floor(instant / MINUTE) * MINUTE;
      if (latest === null || latest.at !== minute) latest = createMoment(minute);
      return latest;
    },
  };
}

function wave(name: string, at: SandboxInstant, period: number): number {
  const phase = (hashText(name) / 0x1_0000_0000) * 2 * Math.PI;
  return Math.sin((2 * Math.PI * at) / period + phase);
}

function fiatEurAt(code: string, at: SandboxInstant): number {
  return code === 'EUR' ? 1 : currency(code).eur * (1 + 0.0003 * wave(code, at, 7 * DAY));
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

function createMoment(at: SandboxInstant): MarketMinute {
  const fiatEur = remembered(String, (code: string) => fiatEurAt(code, at));
  const coinEur = remembered(
    ({ family }: CatalogueAsset) => family,
    ({ priceEur, family, name }) =>
      priceEur * (1 + 0.01 * wave(family, at, 20 * DAY) + 0.002 * wave(name, at, 5.3 * HOUR)),
  );
  const assetEur = (asset: CatalogueAsset) => (asset.family === 'USD' ? fiatEur('USD') : coinEur(asset));
  const prices = remembered(identifierOf, (asset) => {
    const eur = assetEur(asset);
    return Object.fromEntries(CURRENCIES.map(({ code }) => [code, eur / fiatEur(code)]));
  });
  return { at, fiatEur, assetEur, prices };
}

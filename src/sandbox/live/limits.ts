/** Limits of one order (spec §8.2, §8.3): the asset's own, or the global ones where it has none. */
import type { CatalogueAsset } from '../catalogue-asset.ts';
import type { Moment } from '../market.ts';
import type { Figures } from '../pricing.ts';
import { assetLimits, GLOBAL_EUR, inCurrency } from '../published-terms.ts';

/** In the fiat currency; the least crypto in units, null for none. */
export interface OrderLimits {
  least: number;
  most: number;
  leastUnits: bigint | null;
}

export interface LimitProblem {
  code: 'SANDBOX.AMOUNT_TOO_LOW' | 'SANDBOX.AMOUNT_TOO_HIGH' | 'SANDBOX.CRYPTO_AMOUNT_TOO_LOW';
  /** In the fiat currency, or in units for the last. */
  limit: number | string;
}

interface Measured {
  asset: CatalogueAsset;
  currency: string;
  figures: Figures;
  moment: Moment;
}

export function limitsOf(asset: CatalogueAsset, currency: string, moment: Moment): OrderLimits {
  const own = assetLimits(asset, currency, moment);
  const { minPurchaseAmount, maxPurchaseAmount } = GLOBAL_EUR;
  return {
    least: own.minPurchaseAmount === -1 ? inCurrency(minPurchaseAmount, currency, moment) : own.minPurchaseAmount,
    most: own.maxPurchaseAmount === -1 ? inCurrency(maxPurchaseAmount, currency, moment) : own.maxPurchaseAmount,
    leastUnits: own.minPurchaseCryptoAmount === '-1' ? null : BigInt(own.minPurchaseCryptoAmount),
  };
}

/** Null for an amount that may be traded. */
export function limitProblem({ asset, currency, figures, moment }: Measured): LimitProblem | null {
  const { least, most, leastUnits } = limitsOf(asset, currency, moment);
  if (figures.fiatValue < least) return { code: 'SANDBOX.AMOUNT_TOO_LOW', limit: least };
  if (figures.fiatValue > most) return { code: 'SANDBOX.AMOUNT_TOO_HIGH', limit: most };
  if (leastUnits !== null && figures.units < leastUnits) {
    return { code: 'SANDBOX.CRYPTO_AMOUNT_TOO_LOW', limit: leastUnits.toString() };
  }
  return null;
}

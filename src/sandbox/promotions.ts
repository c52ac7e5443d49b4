/** Promotions: on one day in eight an asset's base fee is reduced. A function of asset and day, so quotes promise it. */
import type { CatalogueAsset } from './catalogue-asset.ts';
import type { SandboxInstant } from './contract.ts';
import type { Method } from './methods.ts';
import { hashText, mix } from './random.ts';

const DAY = 86_400_000;
/** A fifth: what is left of 2.4 % and more stays clear of the published minimum. */
const DISCOUNT = 0.2;
const DEAREST_ONLY = 2.4;

/**
 * The share of the base fee that is waived: 0 on most days, and always for methods near the published minimum. The
 * dollar tokens of one chain share their days, as they share their price.
 */
export function discountFor(asset: CatalogueAsset, method: Method, at: SandboxInstant): number {
  if (method.percent < DEAREST_ONLY) return 0;
  const day = Math.floor(at / DAY);
  return mix(hashText(`${asset.chain}_${asset.family}`), day, 0xd15c) % 8 === 0 ? DISCOUNT : 0;
}

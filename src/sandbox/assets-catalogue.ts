/** All assets of the sandbox, and how to find one. */
import type { CatalogueAsset } from './catalogue-asset.ts';
import { NATIVE_ASSETS } from './native-assets.ts';
import { TOKEN_ASSETS } from './token-assets.ts';

export const ASSETS: readonly CatalogueAsset[] = [...NATIVE_ASSETS, ...TOKEN_ASSETS];

/** `ETH_USDC`: the v3 identifier (spec §2.6). */
export function identifierOf(item: CatalogueAsset): string {
  return `${item.chain}_${item.symbol}`;
}

const BY_NAME: ReadonlyMap<string, CatalogueAsset> = new Map(
  ASSETS.flatMap((item) => [
    [item.v1Symbol, item],
    [identifierOf(item), item],
  ]),
);

/** By v3 identifier or v1 symbol; undefined for an asset that the sandbox does not trade. */
export function findAsset(name: string): CatalogueAsset | undefined {
  return BY_NAME.get(name);
}

/** @throws RangeError for an asset of ours that is not in the catalogue. */
export function catalogueAsset(identifier: string): CatalogueAsset {
  const found = BY_NAME.get(identifier);
  if (found === undefined) throw new RangeError(`no such asset in the sandbox: ${identifier}`);
  return found;
}

/** The assets that users trade in each direction. */
export const BOUGHT_ASSETS: readonly CatalogueAsset[] = ASSETS.filter((item) => item.weight > 0);
export const SOLD_ASSETS: readonly CatalogueAsset[] = BOUGHT_ASSETS.filter((item) => item.offramp);

/** Asset identifiers as widget parameters write them: `ETH_USDC`, `ETH_*`, and lists of both (spec §2.11). */
import { assetIdentifier } from '../domain/asset.ts';
import type { AssetTerms } from '../domain/reference.ts';
import { listItems } from './config.ts';

/** `CHAIN_SYMBOL`. Symbols of some tokens have lower-case letters, points or underscores of their own. */
const IDENTIFIER = /^[A-Z0-9]+_[A-Za-z0-9][A-Za-z0-9._-]*$/;
const WILDCARD = /^[A-Z0-9]+_\*$/;

export function isAssetIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

/** `ETH_*`: every asset of a chain. */
export function isChainWildcard(text: string): boolean {
  return WILDCARD.test(text);
}

/** The chain of an identifier or a wildcard; undefined for a bare symbol, whose chain only an assets response knows. */
export function chainOf(text: string): string | undefined {
  const bar = text.indexOf('_');
  return bar > 0 ? text.slice(0, bar) : undefined;
}

interface ExpandedAssets {
  /** Identifiers, each once, in the order of the list and within a chain in the order of the response. */
  assets: readonly string[];
  /** Items that match nothing in the response. */
  unknown: readonly string[];
}

/**
 * The assets of a list: `CHAIN_*` becomes every enabled asset of the chain; a blank list means all assets. An item
 * that the response does not have is left out and named.
 * @param list `enabledCryptoAssets`, `swapAsset` or `offrampAsset`: a text with commas or an array
 * @param offered an assets response of the direction that is meant
 */
export function expandAssets(
  list: string | readonly string[] | null | undefined,
  offered: readonly AssetTerms[],
): ExpandedAssets {
  const enabled = offered.filter((asset) => asset.enabled);
  const items = listItems(list).filter((item) => item !== '');
  if (items.length === 0) return { assets: unique(enabled.map(assetIdentifier)), unknown: [] };
  const assets: string[] = [];
  const unknown: string[] = [];
  for (const item of items) {
    const found = enabled.filter((asset) =>
      isChainWildcard(item) ? asset.chain === chainOf(item) : assetIdentifier(asset) === item,
    );
    if (found.length === 0) unknown.push(item);
    assets.push(...found.map(assetIdentifier));
  }
  return { assets: unique(assets), unknown: unique(unknown) };
}

/** The identifier of a bare v1 symbol, where the response has it once; undefined where it is not there, or ambiguous. */
export function identifierOfSymbol(symbol: string, offered: readonly AssetTerms[]): string | undefined {
  const found = offered.filter((asset) => asset.symbol === symbol);
  const [only] = found;
  return found.length === 1 && only !== undefined ? assetIdentifier(only) : undefined;
}

/** A bare v1 symbol gets its chain where the response leaves no doubt; everything else stays as it is. */
export function presentAsset(item: string, assets: readonly AssetTerms[]): string {
  return isAssetIdentifier(item) || isChainWildcard(item) ? item : (identifierOfSymbol(item, assets) ?? item);
}

/** True where a list has the asset, by name or by its chain. */
export function listCovers(items: readonly string[], asset: string): boolean {
  return items.some((item) => item === asset || (isChainWildcard(item) && chainOf(item) === chainOf(asset)));
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}

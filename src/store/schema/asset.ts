/** The columns of an asset, in bodies and in quotes alike. */
import type { Asset, AssetIdentity } from '../../domain/asset.ts';
import type { Row } from '../cells.ts';
import { id, integer, text } from './column.ts';
import { cell, type PlacesOf } from './places.ts';

export interface OfAsset {
  asset: AssetIdentity;
}

export const ASSET = {
  asset_chain: id.from(({ asset }: OfAsset) => asset.chain),
  asset_symbol: id.from(({ asset }: OfAsset) => asset.symbol),
  asset_decimals: integer.from(({ asset }: OfAsset) => asset.decimals),
  asset_address: text.orNull.from(({ asset }: OfAsset) => asset.address ?? null),
};

export const ASSET_CHAIN_PRESUMED = integer.orNull.from(({ asset }: OfAsset) =>
  asset.chainPresumed === true ? 1 : null,
);
export const ASSET_TYPE = text.orNull.from(({ asset }: OfAsset) => asset.type ?? null);

/** All of them; in a row others may lie between. */
export const OWN_ASSET = { ...ASSET, asset_chain_presumed: ASSET_CHAIN_PRESUMED, asset_type: ASSET_TYPE };

export function readAsset(row: Row, at: PlacesOf<typeof OWN_ASSET>): Asset {
  const asset: Asset = {
    chain: cell(row, at.asset_chain),
    symbol: cell(row, at.asset_symbol),
    decimals: cell(row, at.asset_decimals),
    address: cell(row, at.asset_address),
  };
  if (cell(row, at.asset_chain_presumed) === 1) asset.chainPresumed = true;
  const type = cell(row, at.asset_type);
  if (type !== null) asset.type = type;
  return asset;
}

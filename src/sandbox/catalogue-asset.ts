/**
 * The crypto assets of the sandbox, in every naming that bodies use: `chain` + `symbol` (v3) and the v1 symbol, which is
 * joined (`MATIC_USDC`) except for the assets that were there first (`BTC`, `ETH`, tokens on Ethereum).
 */

export interface CatalogueAsset {
  chain: string;
  /** The v3 symbol. */
  symbol: string;
  name: string;
  decimals: number;
  /** v3: `NATIVE` or a token standard. */
  type: string;
  /** Token contract, null for native assets. */
  address: string | null;
  v1Symbol: string;
  /** v1 and v2: the blockchain for native assets, otherwise the token standard. */
  v1Type: string;
  /** Assets of one family have one price: ETH on every chain, every dollar token. */
  family: string;
  /** In EUR, around which the price moves; 0 for the dollar tokens, which follow the dollar. */
  priceEur: number;
  networkFeeEur: number;
  /** The asset's own limits in EUR; −1: the global ones (spec §8.2). */
  minEur: number;
  maxEur: number;
  /** Units; `-1`: none (spec §8.3). */
  minCryptoUnits: string;
  enabled: boolean;
  hidden: boolean;
  offramp: boolean;
  /** The host earns a share of the base fee on this asset. */
  hostCut: boolean;
  /** Share of records, in no particular unit; 0: none. */
  weight: number;
}

type Row = Pick<CatalogueAsset, 'chain' | 'symbol' | 'name' | 'decimals' | 'networkFeeEur' | 'weight'> &
  Partial<Omit<CatalogueAsset, 'v1Type'>>;

/** Fills in the values that most assets have in common. */
export function asset(row: Row): CatalogueAsset {
  const type = row.type ?? 'NATIVE';
  const bare = row.chain === row.symbol || row.chain === 'ETH';
  return {
    address: null,
    v1Symbol: bare ? row.symbol : `${row.chain}_${row.symbol}`,
    v1Type: type === 'NATIVE' ? row.chain : type,
    family: row.symbol,
    priceEur: 0,
    minEur: -1,
    maxEur: -1,
    minCryptoUnits: '-1',
    enabled: true,
    hidden: false,
    offramp: true,
    hostCut: true,
    ...row,
    type,
  };
}

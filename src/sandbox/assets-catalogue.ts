/**
 * The crypto assets of the sandbox, in every naming that bodies use: `chain` + `symbol` (v3) and the v1 symbol, which is
 * joined (`MATIC_USDC`) except for the assets that were there first (`BTC`, `ETH`, tokens on Ethereum).
 */
import { applicationError, ERROR_CODES } from './errors.ts';

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

// All assets of the sandbox, and how to find one.

/** Columns: chain, symbol, name, decimals, price in EUR, network fee in EUR, weight, differences from most assets. */
type Coin = readonly [string, string, string, number, number, number, number, Partial<CatalogueAsset>?];

const NO_CUT = { hostCut: false } as const;
/** Ether has one price on every chain. */
const ETHER = ['ETH', 'Ethereum', 18, 2748.4] as const;

const COINS: readonly Coin[] = [
  ['BTC', 'BTC', 'Bitcoin', 8, 58_214.7, 1.83, 20, { minEur: 7, maxEur: 12_000, minCryptoUnits: '3000' }],
  ['ETH', ...ETHER, 1.41, 16],
  ['MATIC', 'MATIC', 'Polygon', 18, 0.4381, 0.01, 4],
  ['ARBITRUM', ...ETHER, 0.06, 4, NO_CUT],
  ['OPTIMISM', ...ETHER, 0.05, 2, NO_CUT],
  ['BASE', ...ETHER, 0.03, 3, NO_CUT],
  ['BSC', 'BNB', 'BNB', 18, 531.6, 0.09, 3],
  ['SOLANA', 'SOL', 'Solana', 9, 138.92, 0.02, 9, { minEur: 6.67, maxEur: 15_111.81, minCryptoUnits: '10000000' }],
  ['XLM', 'XLM', 'Stellar Lumens', 7, 0.2614, 0.01, 2, { minCryptoUnits: '60000000' }],
  ['TRON', 'TRX', 'Tron', 6, 0.1397, 0.27, 1],
  ['XRP', 'XRP', 'XRP', 6, 0.5128, 0.01, 2, NO_CUT],
  ['AVAX', 'AVAX', 'Avalanche', 18, 25.31, 0.04, 1],
  ['LTC', 'LTC', 'Litecoin', 8, 64.07, 0.04, 2, NO_CUT],
  ['DOGE', 'DOGE', 'Dogecoin', 8, 0.1012, 0.12, 1, { offramp: false }],
  // The minimum is about 37 EUR: above the global one, so that the minimum in units decides (spec §8.3).
  ['FILECOIN', 'FIL', 'Filecoin', 18, 3.71, 0.02, 0, { minCryptoUnits: '10000000000000000000', hidden: true }],
  ['EOS', 'EOS', 'EOS', 4, 0.468, 0.01, 0, { enabled: false }],
  ['LUNA', 'LUNA', 'Terra', 6, 0.312, 0.01, 0, { enabled: false, hidden: true }],
];

/** Columns: chain, symbol, name, decimals, token standard, contract, network fee in EUR, weight, differences. */
type Token = readonly [string, string, string, number, string, string, number, number, Partial<CatalogueAsset>?];

const USDC = ['USDC', 'USD Coin', 6] as const;
const USDT = ['USDT', 'Tether USD', 6] as const;

const XLM_USDC = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const XLM_AQUA = 'GBNZILSTVQZ4R7IKQDGHYGY2QXL5QOFJYQMXPKWRRM5PAV7Y4M67AQUA';
/** The one token without the price of the dollar. */
const AQUA = { family: 'AQUA', priceEur: 0.00072 } as const;

/** Dollar tokens have the price of the dollar. The well-known contracts are the real ones, so that their forms are real. */
const TOKENS: readonly Token[] = [
  ['ETH', ...USDC, 'ERC20', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 2.13, 7, { maxEur: 9000 }],
  ['ETH', ...USDT, 'ERC20', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 2.13, 6, { maxEur: 9000 }],
  ['ETH', 'DAI', 'Dai Stablecoin', 18, 'ERC20', '0x6B175474E89094C44Da98b954EedeAC495271d0F', 2.13, 2, NO_CUT],
  ['MATIC', ...USDC, 'ERC20', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 0.02, 5],
  ['MATIC', ...USDT, 'ERC20', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 0.02, 3],
  ['ARBITRUM', ...USDC, 'ERC20', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 0.05, 3, NO_CUT],
  ['BASE', ...USDC, 'ERC20', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 0.03, 3, NO_CUT],
  ['BSC', 'USDT', 'Tether USD', 18, 'BEP20', '0x55d398326f99059fF775485246999027B3197955', 0.14, 2, NO_CUT],
  ['SOLANA', ...USDC, 'SPL', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 0.04, 3],
  ['SOLANA', ...USDT, 'SPL', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 0.04, 2],
  ['XLM', 'USDC', 'USDC', 7, 'ERC20', XLM_USDC, 0.01, 2, { minEur: 6.67, maxEur: 15_111.81 }],
  ['XLM', 'AQUA', 'Aquarius', 7, 'ERC20', XLM_AQUA, 0.01, 1, { ...NO_CUT, ...AQUA, offramp: false }],
  ['TRON', ...USDT, 'TRC20', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 1.62, 2],
];

/** In the order of the Service's answers. */
export const ASSETS: readonly CatalogueAsset[] = [
  ...COINS.map(([chain, symbol, name, decimals, priceEur, networkFeeEur, weight, more]) =>
    asset({ chain, symbol, name, decimals, priceEur, networkFeeEur, weight, ...more }),
  ),
  ...TOKENS.map(([chain, symbol, name, decimals, type, address, networkFeeEur, weight, more]) =>
    asset({ chain, symbol, name, decimals, family: 'USD', type, address, networkFeeEur, weight, ...more }),
  ),
];

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

/** @throws ServiceError 400 for an asset without trade in this direction */
export function tradedAsset(name: string, direction: 'onramp' | 'offramp'): CatalogueAsset {
  const found = findAsset(name);
  if (found?.enabled && (direction === 'onramp' || found.offramp)) return found;
  throw applicationError(400, ERROR_CODES.assetNotSupported, { cryptoAssetSymbol: name });
}

/** @throws RangeError for an asset that is not in the catalogue. */
export function catalogueAsset(identifier: string): CatalogueAsset {
  const found = BY_NAME.get(identifier);
  if (found === undefined) throw new RangeError(`no such asset in the sandbox: ${identifier}`);
  return found;
}

/** The assets that users trade in each direction. */
export const BOUGHT_ASSETS: readonly CatalogueAsset[] = ASSETS.filter((item) => item.weight > 0);
export const SOLD_ASSETS: readonly CatalogueAsset[] = BOUGHT_ASSETS.filter((item) => item.offramp);

/** All assets of the sandbox, and how to find one. */
import { asset, type CatalogueAsset } from './catalogue-asset.ts';

/** One price on every chain. */
const ETH = { symbol: 'ETH', name: 'Ethereum', decimals: 18, priceEur: 2748.4 };

const NATIVE_ASSETS: readonly CatalogueAsset[] = [
  asset({
    chain: 'BTC',
    symbol: 'BTC',
    name: 'Bitcoin',
    decimals: 8,
    priceEur: 58_214.7,
    networkFeeEur: 1.83,
    minEur: 7,
    maxEur: 12_000,
    minCryptoUnits: '3000',
    weight: 20,
  }),
  asset({ chain: 'ETH', ...ETH, networkFeeEur: 1.41, weight: 16 }),
  asset({
    chain: 'MATIC',
    symbol: 'MATIC',
    name: 'Polygon',
    decimals: 18,
    priceEur: 0.4381,
    networkFeeEur: 0.01,
    weight: 4,
  }),
  asset({ chain: 'ARBITRUM', ...ETH, networkFeeEur: 0.06, hostCut: false, weight: 4 }),
  asset({ chain: 'OPTIMISM', ...ETH, networkFeeEur: 0.05, hostCut: false, weight: 2 }),
  asset({ chain: 'BASE', ...ETH, networkFeeEur: 0.03, hostCut: false, weight: 3 }),
  asset({ chain: 'BSC', symbol: 'BNB', name: 'BNB', decimals: 18, priceEur: 531.6, networkFeeEur: 0.09, weight: 3 }),
  asset({
    chain: 'SOLANA',
    symbol: 'SOL',
    name: 'Solana',
    decimals: 9,
    priceEur: 138.92,
    networkFeeEur: 0.02,
    minEur: 6.67,
    maxEur: 15_111.81,
    minCryptoUnits: '10000000',
    weight: 9,
  }),
  asset({
    chain: 'XLM',
    symbol: 'XLM',
    name: 'Stellar Lumens',
    decimals: 7,
    priceEur: 0.2614,
    networkFeeEur: 0.01,
    minCryptoUnits: '60000000',
    weight: 2,
  }),
  asset({ chain: 'TRON', symbol: 'TRX', name: 'Tron', decimals: 6, priceEur: 0.1397, networkFeeEur: 0.27, weight: 1 }),
  asset({
    chain: 'XRP',
    symbol: 'XRP',
    name: 'XRP',
    decimals: 6,
    priceEur: 0.5128,
    networkFeeEur: 0.01,
    hostCut: false,
    weight: 2,
  }),
  asset({
    chain: 'AVAX',
    symbol: 'AVAX',
    name: 'Avalanche',
    decimals: 18,
    priceEur: 25.31,
    networkFeeEur: 0.04,
    weight: 1,
  }),
  asset({
    chain: 'LTC',
    symbol: 'LTC',
    name: 'Litecoin',
    decimals: 8,
    priceEur: 64.07,
    networkFeeEur: 0.04,
    hostCut: false,
    weight: 2,
  }),
  asset({
    chain: 'DOGE',
    symbol: 'DOGE',
    name: 'Dogecoin',
    decimals: 8,
    priceEur: 0.1012,
    networkFeeEur: 0.12,
    offramp: false,
    weight: 1,
  }),
  asset({
    chain: 'FILECOIN',
    symbol: 'FIL',
    name: 'Filecoin',
    decimals: 18,
    priceEur: 3.71,
    networkFeeEur: 0.02,
    // About 37 EUR: above the global minimum, so that it binds by itself (spec §8.3).
    minCryptoUnits: '10000000000000000000',
    hidden: true,
    weight: 0,
  }),
  asset({
    chain: 'EOS',
    symbol: 'EOS',
    name: 'EOS',
    decimals: 4,
    priceEur: 0.468,
    networkFeeEur: 0.01,
    enabled: false,
    weight: 0,
  }),
  asset({
    chain: 'LUNA',
    symbol: 'LUNA',
    name: 'Terra',
    decimals: 6,
    priceEur: 0.312,
    networkFeeEur: 0.01,
    enabled: false,
    hidden: true,
    weight: 0,
  }),
];

/** Tokens. The addresses of the well-known ones are the real contracts, so that their forms are. */
const USDC = { symbol: 'USDC', name: 'USD Coin', decimals: 6, family: 'USD' };
const USDT = { symbol: 'USDT', name: 'Tether USD', decimals: 6, family: 'USD' };

const TOKEN_ASSETS: readonly CatalogueAsset[] = [
  asset({
    chain: 'ETH',
    ...USDC,
    type: 'ERC20',
    address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    networkFeeEur: 2.13,
    maxEur: 9000,
    weight: 7,
  }),
  asset({
    chain: 'ETH',
    ...USDT,
    type: 'ERC20',
    address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    networkFeeEur: 2.13,
    maxEur: 9000,
    weight: 6,
  }),
  asset({
    chain: 'ETH',
    symbol: 'DAI',
    name: 'Dai Stablecoin',
    decimals: 18,
    family: 'USD',
    type: 'ERC20',
    address: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
    networkFeeEur: 2.13,
    hostCut: false,
    weight: 2,
  }),
  asset({
    chain: 'MATIC',
    ...USDC,
    type: 'ERC20',
    address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    networkFeeEur: 0.02,
    weight: 5,
  }),
  asset({
    chain: 'MATIC',
    ...USDT,
    type: 'ERC20',
    address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    networkFeeEur: 0.02,
    weight: 3,
  }),
  asset({
    chain: 'ARBITRUM',
    ...USDC,
    type: 'ERC20',
    address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    networkFeeEur: 0.05,
    hostCut: false,
    weight: 3,
  }),
  asset({
    chain: 'BASE',
    ...USDC,
    type: 'ERC20',
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    networkFeeEur: 0.03,
    hostCut: false,
    weight: 3,
  }),
  asset({
    chain: 'BSC',
    symbol: 'USDT',
    name: 'Tether USD',
    decimals: 18,
    family: 'USD',
    type: 'BEP20',
    address: '0x55d398326f99059fF775485246999027B3197955',
    networkFeeEur: 0.14,
    hostCut: false,
    weight: 2,
  }),
  asset({
    chain: 'SOLANA',
    ...USDC,
    type: 'SPL',
    address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    networkFeeEur: 0.04,
    weight: 3,
  }),
  asset({
    chain: 'SOLANA',
    ...USDT,
    type: 'SPL',
    address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    networkFeeEur: 0.04,
    weight: 2,
  }),
  asset({
    chain: 'XLM',
    symbol: 'USDC',
    name: 'USDC',
    decimals: 7,
    family: 'USD',
    type: 'ERC20',
    address: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    networkFeeEur: 0.01,
    minEur: 6.67,
    maxEur: 15_111.81,
    weight: 2,
  }),
  asset({
    chain: 'XLM',
    symbol: 'AQUA',
    name: 'Aquarius',
    decimals: 7,
    priceEur: 0.00072,
    type: 'ERC20',
    address: 'GBNZILSTVQZ4R7IKQDGHYGY2QXL5QOFJYQMXPKWRRM5PAV7Y4M67AQUA',
    networkFeeEur: 0.01,
    offramp: false,
    hostCut: false,
    weight: 1,
  }),
  asset({
    chain: 'TRON',
    ...USDT,
    type: 'TRC20',
    address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    networkFeeEur: 1.62,
    weight: 2,
  }),
];

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

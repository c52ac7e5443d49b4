/** A configuration with nothing wrong, and assets to judge it by. */
import type { AssetTerms } from '../../src/domain/reference.ts';

/** The three required parameters, and those that a test gives; undefined takes one away. */
export function aWidget(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const config: Record<string, unknown> = {
    hostLogoUrl: 'https://app.example/logo.png',
    hostAppName: 'App',
    hostApiKey: 'key-of-the-app',
    ...overrides,
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

export function anAsset(identifier: string, overrides: Partial<AssetTerms> = {}): AssetTerms {
  const [chain = '', symbol = ''] = identifier.split('_');
  return {
    chain,
    symbol,
    decimals: 18,
    enabled: true,
    minPurchaseAmount: null,
    maxPurchaseAmount: null,
    minPurchaseCryptoUnits: null,
    networkFee: null,
    price: null,
    ...overrides,
  };
}

/** Two chains, one token that both have, one that is not enabled. */
export const ASSETS: readonly AssetTerms[] = [
  anAsset('ETH_ETH'),
  anAsset('ETH_USDC', { decimals: 6 }),
  anAsset('MATIC_MATIC'),
  anAsset('MATIC_USDC', { decimals: 6 }),
  anAsset('ETH_DAI', { enabled: false }),
  anAsset('BTC_BTC', { decimals: 8, minPurchaseCryptoUnits: 3000n }),
];

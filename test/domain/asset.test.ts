import { expect, test } from 'vitest';
import {
  assetIdentifier,
  assetIdentity,
  sameAddress,
  sameAsset,
  splitAssetIdentifier,
} from '../../src/domain/asset.ts';

const names = { chain: null, apiV3Symbol: null, type: null };

test.each([
  ['v3: chain and symbol', { symbol: 'USDC', chain: 'ETH' }, 'ETH', 'USDC'],
  ['v3: the native asset', { symbol: 'ETH', chain: 'ETH', type: 'NATIVE' }, 'ETH', 'ETH'],
  [
    'a joined symbol beside its chain',
    { symbol: 'GOERLI_ETH', chain: 'GOERLI', type: 'GOERLI', apiV3Symbol: 'ETH' },
    'GOERLI',
    'ETH',
  ],
  [
    'a joined symbol beside its chain, without the v3 symbol',
    { symbol: 'ARBITRUM_ETH', chain: 'ARBITRUM' },
    'ARBITRUM',
    'ETH',
  ],
  ['v1: the joined symbol alone', { symbol: 'MATIC_DAI' }, 'MATIC', 'DAI'],
  ['a symbol with an underscore of its own', { symbol: 'MATIC_USDC_E' }, 'MATIC', 'USDC_E'],
  ['a bare symbol that is its own chain', { symbol: 'BTC' }, 'BTC', 'BTC'],
  ['a bare symbol whose type is the chain', { symbol: 'ETH', type: 'ETH' }, 'ETH', 'ETH'],
  ['a bare token of a standard', { symbol: 'DAI', type: 'ERC20' }, 'ETH', 'DAI'],
  ['a bare token of another standard', { symbol: 'CAKE', type: 'BEP20' }, 'BSC', 'CAKE'],
  ['a bare native asset', { symbol: 'SOL', type: 'NATIVE' }, 'SOL', 'SOL'],
  ['an underscore with no chain before it', { symbol: '_X' }, '_X', '_X'],
  ['an empty type is none', { symbol: 'BTC', type: '' }, 'BTC', 'BTC'],
  ['a type named like a property of every object is a chain', { symbol: 'X', type: 'constructor' }, 'constructor', 'X'],
])('%s', (_, given, chain, symbol) => {
  expect(assetIdentity({ ...names, ...given })).toEqual({ chain, symbol });
});

test('an identifier splits at its first underscore and joins again', () => {
  expect(splitAssetIdentifier('ETH_USDC')).toEqual({ chain: 'ETH', symbol: 'USDC' });
  expect(splitAssetIdentifier('MATIC_USDC_E')).toEqual({ chain: 'MATIC', symbol: 'USDC_E' });
  expect(assetIdentifier(splitAssetIdentifier('MATIC_USDC_E'))).toBe('MATIC_USDC_E');
  expect(splitAssetIdentifier('BTC')).toEqual({ chain: 'BTC', symbol: 'BTC' });
});

test('the same symbol on another chain is another asset', () => {
  expect(sameAsset({ chain: 'ETH', symbol: 'USDC' }, { chain: 'ETH', symbol: 'USDC' })).toBe(true);
  expect(sameAsset({ chain: 'ETH', symbol: 'USDC' }, { chain: 'MATIC', symbol: 'USDC' })).toBe(false);
  expect(sameAsset({ chain: 'ETH', symbol: 'USDC' }, { chain: 'ETH', symbol: 'DAI' })).toBe(false);
});

test.each([
  ['0xA0b8', '0xa0B8', true],
  ['0xA0b8', '0xA0b9', false],
  ['GA5ZSEJY', 'GA5ZSEJY', true],
  ['GA5ZSEJY', 'ga5zsejy', false],
  ['bc1q', '0xbc1q', false],
  [null, null, true],
  [null, '0xA0b8', false],
  ['0xA0b8', null, false],
])('addresses %s and %s: the same is %s', (a, b, same) => {
  expect(sameAddress(a, b)).toBe(same);
});

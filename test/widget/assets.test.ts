import { expect, test } from 'vitest';
import { expandAssets, identifierOfSymbol } from '../../src/widget/assets.ts';
import { ASSETS } from './a-widget.ts';

test.each<[string | readonly string[] | null, readonly string[], readonly string[]]>([
  ['ETH_*', ['ETH_ETH', 'ETH_USDC'], []],
  ['MATIC_USDC,ETH_*', ['MATIC_USDC', 'ETH_ETH', 'ETH_USDC'], []],
  ['ETH_USDC,ETH_*', ['ETH_USDC', 'ETH_ETH'], []],
  [['BTC_BTC', 'MATIC_*'], ['BTC_BTC', 'MATIC_MATIC', 'MATIC_USDC'], []],
  // Not enabled, another chain, another case: none of them is offered.
  ['ETH_DAI,SOLANA_*,eth_*', [], ['ETH_DAI', 'SOLANA_*', 'eth_*']],
  // Blank means all assets.
  ['', ['ETH_ETH', 'ETH_USDC', 'MATIC_MATIC', 'MATIC_USDC', 'BTC_BTC'], []],
  [null, ['ETH_ETH', 'ETH_USDC', 'MATIC_MATIC', 'MATIC_USDC', 'BTC_BTC'], []],
])('spec §2.11: %j stands for %j', (list, assets, unknown) => {
  expect(expandAssets(list, ASSETS)).toEqual({ assets, unknown });
});

test.each([
  ['ETH', 'ETH_ETH'],
  ['USDC', undefined],
  ['DOGE', undefined],
])('the bare symbol %s is %s', (symbol, identifier) => {
  expect(identifierOfSymbol(symbol, ASSETS)).toBe(identifier);
});

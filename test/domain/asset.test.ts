import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  assetIdentifier,
  assetIdentity,
  resolveChain,
  sameAddress,
  sameAsset,
  symbolsOf,
  withOtherNames,
} from '../../src/domain/asset.ts';

const CONTRACT = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const nothing = { chain: null, apiV3Symbol: null, type: null, address: null, joined: [] };

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
  ['chain before what the request says', { symbol: 'DAI', chain: 'ETH', joined: ['MATIC_DAI'] }, 'ETH', 'DAI'],
  ['v1: the joined symbol alone', { symbol: 'MATIC_DAI', address: CONTRACT }, 'MATIC', 'DAI'],
  ['a symbol with an underscore of its own', { symbol: 'MATIC_USDC_E' }, 'MATIC', 'USDC_E'],
  [
    'such a symbol without its chain, beside the request',
    { symbol: 'USDC_E', joined: ['MATIC_USDC_E'] },
    'MATIC',
    'USDC_E',
  ],
  [
    'such a symbol that is its own v3 symbol',
    { symbol: 'USDC_E', apiV3Symbol: 'USDC_E', type: 'MATIC' },
    'MATIC',
    'USDC_E',
  ],
  ['the symbol before what the request says', { symbol: 'MATIC_DAI', joined: ['ETH_DAI'] }, 'MATIC', 'DAI'],
  ['a bare symbol in a body that says its chain', { symbol: 'DAI', joined: ['MATIC_DAI', 'ETH_DAI'] }, 'MATIC', 'DAI'],
  ['a bare symbol whose request says its chain', { symbol: 'DAI', joined: [null, 'ETH_DAI'] }, 'ETH', 'DAI'],
  ['the request before the standard', { symbol: 'DAI', type: 'ERC20', joined: ['MATIC_DAI'] }, 'MATIC', 'DAI'],
  ['a bare symbol whose request is for another asset', { symbol: 'DAI', joined: ['ETH_USDC'] }, '', 'DAI'],
  ['a bare symbol alone', { symbol: 'BTC' }, '', 'BTC'],
  ['a bare token alone', { symbol: 'DAI', address: CONTRACT }, '', 'DAI'],
  ['a bare symbol whose type is the chain', { symbol: 'ETH', type: 'ARBITRUM' }, 'ARBITRUM', 'ETH'],
  ['a native asset that is its own chain', { symbol: 'ETH', type: 'ETH' }, 'ETH', 'ETH'],
  ['a token whose type repeats its symbol', { symbol: 'DAI', type: 'DAI', address: CONTRACT }, '', 'DAI'],
  ['a token whose type is a chain', { symbol: 'DAI', type: 'MATIC', address: CONTRACT }, 'MATIC', 'DAI'],
  ['a standard that names its chain', { symbol: 'DAI', type: 'MATIC_ERC20', address: CONTRACT }, 'MATIC', 'DAI'],
  ['a standard of which only the form is known', { symbol: 'YBX', type: 'SEP41' }, '', 'YBX'],
  ['a standard that the address contradicts', { symbol: 'USDC', type: 'ERC20', address: 'GA5ZSEJYB37J' }, '', 'USDC'],
  ['an underscore with no chain before it', { symbol: '_X' }, '', '_X'],
  ['an empty type', { symbol: 'BTC', type: '' }, '', 'BTC'],
  ['a type named like a property of every object', { symbol: 'X', type: 'constructor' }, 'constructor', 'X'],
])('%s', (_, given, chain, symbol) => {
  expect(assetIdentity({ ...nothing, ...given })).toEqual({ chain, symbol });
});

test.each([
  ['a bare token of a standard', { symbol: 'DAI', type: 'ERC20', address: CONTRACT }, 'ETH', 'DAI'],
  ['a bare token of another standard', { symbol: 'CAKE', type: 'BEP20' }, 'BSC', 'CAKE'],
  ['a bare native asset', { symbol: 'SOL', type: 'NATIVE' }, 'SOL', 'SOL'],
])('%s has a chain that is presumed', (_, given, chain, symbol) => {
  expect(assetIdentity({ ...nothing, ...given })).toEqual({ chain, symbol, chainPresumed: true });
});

test('an identifier joins chain and symbol, and is the symbol alone where the chain is unknown', () => {
  expect(assetIdentifier({ chain: 'MATIC', symbol: 'USDC_E' })).toBe('MATIC_USDC_E');
  expect(assetIdentifier({ chain: '', symbol: 'DAI' })).toBe('DAI');
});

test('a coin whose chain is only presumed, by its new symbol, has its old name too', () => {
  const pol = { chain: 'POL', symbol: 'POL', decimals: 18, address: null, chainPresumed: true };
  expect(symbolsOf(withOtherNames(pol))).toEqual(['POL', 'MATIC']);
  expect(symbolsOf(withOtherNames({ ...pol, chainPresumed: false }))).toEqual(['POL']);
});

const usdc = { chain: 'ETH', symbol: 'USDC', decimals: 6, address: CONTRACT };

test.each([
  ['the same chain and symbol', usdc, true],
  ['another chain', { ...usdc, chain: 'MATIC' }, false],
  ['another symbol', { ...usdc, symbol: 'DAI' }, false],
  ['an unknown chain', { ...usdc, chain: '' }, true],
  [
    'an unknown chain, and the contract in other letters',
    { ...usdc, chain: '', address: CONTRACT.toLowerCase() },
    true,
  ],
  ['an unknown chain, without the contract', { ...usdc, chain: '', address: null }, true],
  ['an unknown chain and another contract', { ...usdc, chain: '', address: '0x9' }, false],
  ['an unknown chain and other decimals', { ...usdc, chain: '', decimals: 18 }, false],
  ['a presumed chain and the same contract', { ...usdc, chain: 'MATIC', chainPresumed: true }, true],
  ['a presumed chain and another contract', { ...usdc, chain: 'MATIC', chainPresumed: true, address: '0x9' }, false],
])('%s: the same asset is %s', (_, other, same) => {
  expect(sameAsset(usdc, other)).toBe(same);
  expect(sameAsset(other, usdc)).toBe(same);
});

describe('one asset in all the forms that bodies have', () => {
  const chains = ['ETH', 'MATIC', 'BASE', 'SOLANA'];
  const upper = fc.stringMatching(/^[A-Z]{2,6}$/).filter((text) => !chains.includes(text));
  const token = fc.record({
    chain: fc.constantFrom(...chains),
    symbol: fc.oneof(
      upper,
      upper.map((text) => `${text}_E`),
    ),
    decimals: fc.integer({ min: 0, max: 18 }),
    address: fc.stringMatching(/^0x[0-9a-fA-F]{40}$/),
  });
  type Token = { chain: string; symbol: string; decimals: number; address: string };
  const joinedOf = ({ chain, symbol }: Token) => `${chain}_${symbol}`;

  /** The forms of the field facts and of the specification that carry evidence of the chain. */
  const telling: ((asset: Token) => object)[] = [
    ({ chain, symbol }) => ({ chain, symbol, type: 'ERC20' }),
    (asset) => ({ symbol: joinedOf(asset) }),
    (asset) => ({ symbol: joinedOf(asset), chain: asset.chain, apiV3Symbol: asset.symbol, type: asset.chain }),
    (asset) => ({ symbol: joinedOf(asset), apiV3Symbol: asset.symbol, type: 'ERC20' }),
    (asset) => ({ symbol: asset.symbol, joined: [joinedOf(asset)] }),
    (asset) => ({ symbol: asset.symbol, joined: [undefined, joinedOf(asset)], type: 'ERC20' }),
    ({ chain, symbol }) => ({ symbol, apiV3Symbol: symbol, type: `${chain}_ERC20` }),
  ];
  /** Those that carry none. */
  const silent: ((asset: Token) => object)[] = [
    ({ symbol }) => ({ symbol, apiV3Symbol: symbol }),
    ({ symbol }) => ({ symbol, apiV3Symbol: symbol, type: '' }),
    ({ symbol }) => ({ symbol, apiV3Symbol: symbol, type: symbol }),
    ({ symbol }) => ({ symbol, apiV3Symbol: symbol, type: 'ERC20' }),
    ({ symbol }) => ({ symbol, apiV3Symbol: symbol, type: 'NATIVE' }),
    ({ symbol }) => ({ symbol, joined: [symbol], apiV3Symbol: symbol }),
  ];
  const identity = (form: (asset: Token) => object, asset: Token) => {
    const { decimals, address } = asset;
    const names = { symbol: '', ...nothing, address, ...form(asset) };
    return { ...assetIdentity(names), decimals, address };
  };
  const anyForm = fc.constantFrom(...telling, ...silent);

  it('a form with evidence gives its chain and symbol', () => {
    const form = fc.constantFrom(...telling);
    fc.assert(
      fc.property(token, form, (asset, telling) => {
        expect(identity(telling, asset)).toEqual(asset);
      }),
    );
  });

  it('any two forms are the same asset', () => {
    fc.assert(
      fc.property(token, anyForm, anyForm, (asset, one, other) => {
        expect(sameAsset(identity(one, asset), identity(other, asset))).toBe(true);
      }),
    );
  });

  it('no form of a token has its symbol as its chain', () => {
    fc.assert(
      fc.property(token, anyForm, (asset, form) => {
        expect(identity(form, asset).chain).not.toBe(asset.symbol);
      }),
    );
  });

  it('no form of one symbol is a form of another', () => {
    fc.assert(
      fc.property(token, token, fc.constantFrom(...silent), anyForm, (asset, drawn, one, other) => {
        fc.pre(drawn.address.toLowerCase() !== asset.address.toLowerCase());
        fc.pre(drawn.symbol !== asset.symbol);
        expect(sameAsset(identity(one, asset), identity(other, drawn))).toBe(false);
      }),
    );
  });
});

describe('an unknown chain against a listing', () => {
  const asset = { chain: '', symbol: 'DAI', decimals: 18, address: CONTRACT };
  const native = { chain: '', symbol: 'ETH', decimals: 18, address: null };
  const listed = [
    { ...asset, chain: 'ETH', address: CONTRACT.toLowerCase() },
    { ...asset, chain: 'MATIC', address: '0x8f3c' },
    { ...native, chain: 'ETH' },
    { ...native, chain: 'BASE' },
    { ...native, chain: 'SOLANA', symbol: 'SOL' },
    { ...native, chain: 'BSC', symbol: 'TWIN' },
    { ...native, chain: 'BNB', symbol: 'TWIN' },
  ];

  it.each([
    ['a token by its contract', asset, 'ETH'],
    ['a token by no contract that is listed', { ...asset, address: '0x1' }, null],
    ['a token of other decimals', { ...asset, decimals: 6 }, null],
    ['a native asset that is its own chain', native, 'ETH'],
    ['a native asset listed once', { ...native, symbol: 'SOL' }, 'SOLANA'],
    ['a native asset listed twice', { ...native, symbol: 'TWIN' }, null],
    ['an asset that is not listed', { ...native, symbol: 'XLM' }, null],
  ])('%s', (_, given, chain) => {
    expect(resolveChain(given, listed)).toBe(chain);
  });
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

describe('a renamed coin', () => {
  const coin = { chain: 'MATIC', decimals: 18, address: null };
  const named = (symbol: string, more = {}) => withOtherNames({ ...coin, symbol, ...more });

  it('is one asset under both names, whichever side knows them', () => {
    expect(sameAsset(named('MATIC'), { ...coin, symbol: 'POL' })).toBe(true);
    expect(sameAsset({ ...coin, symbol: 'POL' }, named('MATIC'))).toBe(true);
    expect(symbolsOf(named('POL'))).toEqual(['POL', 'MATIC']);
    expect(symbolsOf(named('MATIC'))).toEqual(['MATIC', 'POL']);
    expect(symbolsOf(named('MATIC', { chain: '' }))).toEqual(['MATIC', 'POL']);
  });

  it('is no token of that name, and no coin of another chain', () => {
    const token = named('MATIC', { address: '0x7D1AfA7B718fb893dB30A3aBc0Cfc608AaCfeBB0' });
    expect(sameAsset(token, { ...coin, symbol: 'POL' })).toBe(false);
    expect(sameAsset(named('MATIC', { chain: 'ETH' }), { ...coin, symbol: 'POL' })).toBe(false);
  });

  it('leaves every other asset as it is', () => {
    const other = { ...coin, symbol: 'USDC' };
    expect(withOtherNames(other)).toBe(other);
  });
});

describe('assets that the settings rename', () => {
  const gold = { chain: 'ETH', symbol: 'PAXG', decimals: 18, address: '0x45804880De22913dAFE09f4980848ECE6EcbAf78' };
  const names = [{ chain: 'ETH', was: 'PAXG', now: 'GLD', since: '2026-11-01' }];
  const same = (address: string | null, on: string) =>
    sameAsset(withOtherNames(gold, names, Date.parse(on)), { ...gold, symbol: 'GLD', address });

  it('are one from the day of the new name on', () => {
    expect(same(gold.address, '2026-10-31T23:59:59Z')).toBe(false);
    expect(same(gold.address, '2026-11-01T00:00:00Z')).toBe(true);
  });

  it('are one by the contract', () => {
    const day = '2026-11-02';
    expect(same(gold.address.toLowerCase(), day)).toBe(true);
    expect(same('0x7D1AfA7B718fb893dB30A3aBc0Cfc608AaCfeBB0', day)).toBe(false);
    expect(same(null, day)).toBe(false);
  });

  it('lose the built-in names', () => {
    expect(symbolsOf(withOtherNames({ ...gold, chain: 'MATIC', symbol: 'POL' }, names))).toEqual(['POL']);
  });
});

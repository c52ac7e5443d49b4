import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { migrateWidgetConfig } from '../../src/widget/migrate.ts';
import { ASSETS } from './a-widget.ts';

type Config = Readonly<Record<string, unknown>>;
const OFFRAMP = { enabledFlows: ['OFFRAMP'] };
const BOTH = { enabledFlows: ['ONRAMP', 'OFFRAMP'] };
const told = (config: Config) =>
  migrateWidgetConfig(config).notes.map(({ action, parameter, attention }) => [action, parameter, attention]);

describe('each deprecated parameter', () => {
  test.each<[string, Config, Config]>([
    ['swapAsset', { swapAsset: 'ETH_*,BTC_BTC' }, { enabledCryptoAssets: 'ETH_*,BTC_BTC' }],
    ['swapAsset as a list', { swapAsset: ['ETH_ETH', 'BTC_BTC'] }, { enabledCryptoAssets: 'ETH_ETH,BTC_BTC' }],
    ['offrampAsset', { ...OFFRAMP, offrampAsset: 'ETH_USDC' }, { ...OFFRAMP, enabledCryptoAssets: 'ETH_USDC' }],
    [
      'both lists',
      { ...BOTH, swapAsset: 'ETH_ETH,BTC_BTC', offrampAsset: 'BTC_BTC,ETH_USDC' },
      { ...BOTH, enabledCryptoAssets: 'ETH_ETH,BTC_BTC,ETH_USDC' },
    ],
    ['fiatCurrency, ONRAMP', { fiatCurrency: 'EUR' }, { inAsset: 'EUR' }],
    ['fiatCurrency, OFFRAMP', { ...OFFRAMP, fiatCurrency: 'EUR' }, { ...OFFRAMP, outAsset: 'EUR' }],
    ['defaultAsset, ONRAMP', { defaultAsset: 'ETH_ETH' }, { outAsset: 'ETH_ETH' }],
    ['defaultAsset, OFFRAMP', { ...OFFRAMP, defaultAsset: 'ETH_ETH' }, { ...OFFRAMP, inAsset: 'ETH_ETH' }],
    ['fiatValue, ONRAMP', { fiatCurrency: 'EUR', fiatValue: '50' }, { inAsset: 'EUR', inAssetValue: '5000' }],
    ['fiatValue, a number', { fiatCurrency: 'EUR', fiatValue: 1.15 }, { inAsset: 'EUR', inAssetValue: '115' }],
    ['fiatValue, JPY', { fiatCurrency: 'JPY', fiatValue: '5000' }, { inAsset: 'JPY', inAssetValue: '5000' }],
    ['fiatValue, KWD', { fiatCurrency: 'KWD', fiatValue: '1.5' }, { inAsset: 'KWD', inAssetValue: '1500' }],
    [
      'fiatValue, OFFRAMP',
      { ...OFFRAMP, fiatCurrency: 'HUF', fiatValue: '20000' },
      { ...OFFRAMP, outAsset: 'HUF', outAssetValue: '2000000' },
    ],
    ['swapAmount, ONRAMP', { swapAmount: '1000000000000000000' }, { outAssetValue: '1000000000000000000' }],
    ['swapAmount, OFFRAMP', { ...OFFRAMP, swapAmount: 5000000n }, { ...OFFRAMP, inAssetValue: '5000000' }],
    ['paymentMethodType PISP', { paymentMethodType: 'PISP' }, { paymentMethodType: 'AUTO_BANK_TRANSFER' }],
    ['paymentMethodType SEPA', { paymentMethodType: 'SEPA' }, { paymentMethodType: 'MANUAL_BANK_TRANSFER' }],
    ['paymentMethodType APPLEPAY', { paymentMethodType: 'APPLEPAY' }, { paymentMethodType: 'APPLE_PAY' }],
    ['paymentMethodType GOOGLEPAY', { paymentMethodType: 'GOOGLEPAY' }, { paymentMethodType: 'GOOGLE_PAY' }],
    ['paymentMethodType CARD', { paymentMethodType: 'CARD' }, { paymentMethodType: 'CARD_PAYMENT' }],
    [
      'paymentMethodType OPEN_BANKING',
      { paymentMethodType: 'OPEN_BANKING' },
      { paymentMethodType: 'AUTO_BANK_TRANSFER' },
    ],
    [
      'a defaultFlow decides',
      { defaultFlow: 'OFFRAMP', fiatCurrency: 'EUR' },
      { defaultFlow: 'OFFRAMP', outAsset: 'EUR' },
    ],
    ['empty ones', { swapAsset: '', offrampAsset: [], fiatCurrency: null, fiatValue: '' }, {}],
    ['nothing', { hostAppName: 'App', inAsset: 'EUR' }, { hostAppName: 'App', inAsset: 'EUR' }],
  ])('%s', (_title, config, expected) => {
    expect(migrateWidgetConfig(config).config).toEqual(expected);
  });
});

describe('what a person should look at', () => {
  test('both lists, selling only: the assets of swapAsset can be sold now, and are selected first', () => {
    const config = { ...OFFRAMP, swapAsset: 'ETH_ETH', offrampAsset: 'BTC_BTC' };
    expect(migrateWidgetConfig(config).config).toEqual({ ...OFFRAMP, enabledCryptoAssets: 'ETH_ETH,BTC_BTC' });
    expect(told(config)).toEqual([
      ['converted', 'swapAsset', false],
      ['converted', 'offrampAsset', true],
    ]);
  });

  test('fiatValue beside inAsset alone: without fiatCurrency it had no effect', () => {
    const config = { inAsset: 'EUR', fiatValue: '50' };
    expect(migrateWidgetConfig(config).config).toEqual({ inAsset: 'EUR', inAssetValue: '5000' });
    expect(told(config)).toEqual([['converted', 'fiatValue', true]]);
  });
});

describe('a new parameter wins over a legacy one', () => {
  test.each<[Config, Config]>([
    [{ inAsset: 'USD', fiatCurrency: 'EUR' }, { inAsset: 'USD' }],
    [{ outAsset: 'BTC_BTC', defaultAsset: 'ETH_ETH' }, { outAsset: 'BTC_BTC' }],
    [
      { enabledCryptoAssets: 'BTC_BTC', swapAsset: 'ETH_*', offrampAsset: 'ETH_ETH' },
      { enabledCryptoAssets: 'BTC_BTC' },
    ],
    [
      { inAsset: 'EUR', inAssetValue: '6000', fiatValue: '50', fiatCurrency: 'EUR' },
      { inAsset: 'EUR', inAssetValue: '6000' },
    ],
    [
      { inAsset: 'EUR', fiatValue: '50' },
      { inAsset: 'EUR', inAssetValue: '5000' },
    ],
    // 50 EUR are not 50 USD, nor one ETH one BTC.
    [{ inAsset: 'USD', fiatCurrency: 'EUR', fiatValue: '50' }, { inAsset: 'USD' }],
    [{ outAsset: 'BTC_BTC', defaultAsset: 'ETH_ETH', swapAmount: '1000000000000000000' }, { outAsset: 'BTC_BTC' }],
  ])('%j', (config, expected) => {
    expect(migrateWidgetConfig(config).config).toEqual(expected);
  });

  test('and it is reported', () => {
    expect(migrateWidgetConfig({ inAsset: 'USD', fiatCurrency: 'EUR', fiatValue: '50' }).notes).toEqual([
      {
        action: 'removed',
        parameter: 'fiatCurrency',
        value: 'EUR',
        to: { parameter: 'inAsset', value: 'USD' },
        why: 'inAsset is given, and wins',
        attention: false,
      },
      {
        action: 'removed',
        parameter: 'fiatValue',
        value: '50',
        to: null,
        why: 'it was an amount of EUR, and inAsset is now USD',
        attention: true,
      },
    ]);
  });
});

describe('what cannot be migrated exactly stays, and is reported', () => {
  test.each<[Config, string]>([
    [{ fiatCurrency: 'EUR', fiatValue: '50.005' }, 'EUR has 2 digits after the point; round it yourself'],
    [{ fiatCurrency: 'XQQ', fiatValue: '50' }, 'XQQ is not a currency of ISO 4217'],
    [{ fiatCurrency: 'EUR', fiatValue: '50,00' }, 'it is not a number'],
    [{ fiatCurrency: 'EUR', fiatValue: '-1' }, 'it is below zero'],
    [{ swapAmount: '1.5' }, 'it is not a whole number of units'],
    [{ swapAmount: 1e21 }, 'it has no exact text; give it as text, with every digit'],
    [{ defaultFlow: 'SWAP', defaultAsset: 'ETH_ETH' }, 'for SWAP no parameter is known to replace it'],
  ])('%j: %s', (config, why) => {
    const { config: migrated, notes } = migrateWidgetConfig(config);
    const last = notes.at(-1);
    expect([last?.action, last?.why, last?.attention]).toEqual(['kept', why, true]);
    expect(migrated).toHaveProperty(last?.parameter ?? '', config[last?.parameter ?? '']);
  });

  test('fiatValue alone was never supported, and goes', () => {
    expect(migrateWidgetConfig({ fiatValue: '50' }).config).toEqual({});
    expect(told({ fiatValue: '50' })).toEqual([['removed', 'fiatValue', true]]);
  });
});

describe('what users will see differently is marked', () => {
  test.each<[Config, readonly unknown[]]>([
    [{ swapAsset: 'ETH_ETH' }, [['moved', 'swapAsset', false]]],
    [{ fiatCurrency: 'EUR' }, [['moved', 'fiatCurrency', false]]],
    // In and out are given once: the flow that is not shown first loses them.
    [{ ...BOTH, fiatCurrency: 'EUR' }, [['moved', 'fiatCurrency', true]]],
    // The list was for sales only, and all assets could be bought.
    [{ ...BOTH, offrampAsset: 'ETH_USDC' }, [['moved', 'offrampAsset', true]]],
    [
      { ...BOTH, swapAsset: 'ETH_ETH', offrampAsset: 'ETH_USDC' },
      [
        ['converted', 'swapAsset', false],
        ['converted', 'offrampAsset', true],
      ],
    ],
  ])('%j', (config, notes) => {
    expect(told(config)).toEqual(notes);
  });
});

test.each([
  ['ETH_ETH', 'enabledCryptoAssets replaces it, for all flows; its assets can now be bought as well'],
  [
    '',
    'enabledCryptoAssets replaces it, for all flows; it was for OFFRAMP only, and now limits ONRAMP too, which had all assets',
  ],
])('beside swapAsset=%j the note on offrampAsset says what changes', (swapAsset, why) => {
  const { notes } = migrateWidgetConfig({ ...BOTH, swapAsset, offrampAsset: 'ETH_USDC' });
  expect(notes.find(({ parameter }) => parameter === 'offrampAsset')?.why).toBe(why);
});

test('bare symbols get their chain where an assets response leaves no doubt', () => {
  const config = { swapAsset: 'ETH,USDC', defaultAsset: 'ETH', swapAmount: '7' };
  expect(migrateWidgetConfig(config, { assets: ASSETS }).config).toEqual({
    enabledCryptoAssets: 'ETH_ETH,USDC',
    outAsset: 'ETH_ETH',
    outAssetValue: '7',
  });
});

test('the given configuration is not touched, and migrating twice changes nothing more', () => {
  const text = fc.constantFrom(
    '',
    'EUR',
    'JPY',
    'ETH_ETH',
    'ETH_*,BTC_BTC',
    '50',
    '50.005',
    '007',
    'CARD',
    'SWAP',
    'OFFRAMP',
  );
  const names = [
    'enabledFlows',
    'defaultFlow',
    'swapAsset',
    'offrampAsset',
    'swapAmount',
    'fiatCurrency',
    'fiatValue',
    'defaultAsset',
    'inAsset',
    'outAssetValue',
    'paymentMethodType',
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), text), (config) => {
      const before = structuredClone({ ...config });
      const once = migrateWidgetConfig(config).config;
      expect({ ...config }).toEqual(before);
      expect(migrateWidgetConfig(once).config).toEqual(once);
    }),
  );
});

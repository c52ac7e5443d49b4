import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/sandbox/widget/settings.ts';
import { checkWidgetConfig } from '../../src/widget/check.ts';
import { migrateWidgetConfig } from '../../src/widget/migrate.ts';
import { parameterOf } from '../../src/widget/parameters.ts';
import { buildWidgetUrl, readWidgetUrl } from '../../src/widget/url.ts';

/** The three required ones, well-formed. */
const REQUIRED = { hostAppName: 'App', hostLogoUrl: 'https://app.example/logo.svg', hostApiKey: 'key' };

const settings = (parameters: Readonly<Record<string, string>> = {}) =>
  readSettings(new URLSearchParams({ ...REQUIRED, ...parameters }).toString(), new Set(['key']));

const codes = (config: Readonly<Record<string, unknown>>) => {
  const { errors, warnings } = checkWidgetConfig({ ...REQUIRED, ...config });
  return [...errors, ...warnings].map(({ code }) => code);
};

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** The table of the section: name, whether required, a good value, and what must stand beside it for it to be good. */
const PARAMETERS: readonly [
  name: string,
  required: string,
  value: string,
  beside?: Readonly<Record<string, unknown>>,
][] = [
  ['hostLogoUrl', 'yes', 'https://app.example/a.svg'],
  ['hostAppName', 'yes', 'App & Co'],
  ['hostApiKey', 'yes', 'key'],
  ['enabledFlows', 'no', 'ONRAMP,OFFRAMP'],
  ['defaultFlow', 'no', 'ONRAMP'],
  ['userAddress', 'no', EVM],
  ['userEmailAddress', 'no', 'ann@app.example'],
  ['selectedCountryCode', 'no', 'FR'],
  ['enabledCryptoAssets', 'no', 'ETH_ETH,BTC_BTC'],
  ['inAsset', 'no', 'EUR'],
  ['outAsset', 'no', 'ETH_ETH'],
  ['inAssetValue', 'no', '5000', { inAsset: 'EUR' }],
  ['outAssetValue', 'no', '50000000000000000', { outAsset: 'ETH_ETH' }],
  ['url', 'no', 'https://test.widget.example'],
  ['webhookStatusUrl', 'no', 'https://app.example/purchases'],
  ['offrampWebhookV3Url', 'no', 'https://app.example/sales', { enabledFlows: ['OFFRAMP'] }],
  ['finalUrl', 'no', 'https://app.example/#end&x=1', { variant: 'hosted' }],
  ['successUrl', 'no', 'https://app.example/yes'],
  ['failureUrl', 'no', 'https://app.example/no'],
  ['useSendCryptoCallback', 'no', 'true', { enabledFlows: ['OFFRAMP'] }],
  ['variant', 'no', 'desktop'],
  ['paymentMethodType', 'no', 'PIX'],
  ['hideExitButton', 'no', 'true'],
];

describe('§2.11 widget configuration parameters', () => {
  it.each(PARAMETERS)(
    '%s (required: %s): the product knows it and finds nothing wrong with %s',
    (name, required, value, beside) => {
      expect(parameterOf(name)).toMatchObject({ name, required, replacedBy: null });
      expect(codes({ ...beside, [name]: value })).toEqual([]);
    },
  );

  it.each(PARAMETERS)('%s (required: %s): the widget of the sandbox knows it', (name, required, value) => {
    expect(settings({ [name]: value }).warnings.filter((text) => text.includes('is no parameter'))).toEqual([]);
    const { [name]: _, ...rest } = { ...REQUIRED, [name]: value } as Record<string, string>;
    const start = () => readSettings(new URLSearchParams(rest).toString(), new Set(['key']));
    if (required === 'yes') expect(start).toThrow('SANDBOX.WIDGET_CONFIG_FAILED');
    else expect(start).not.toThrow();
  });

  it.each(PARAMETERS.filter(([, required]) => required === 'yes'))('%s: the product misses it', (name) => {
    expect(codes({ [name]: undefined })).toEqual(['PARAMETER_MISSING']);
  });

  it('containerNode is required with the embedded variants', () => {
    for (const variant of ['embedded-mobile', 'embedded-desktop']) {
      expect(codes({ variant })).toEqual(['CONTAINER_NODE_MISSING']);
      expect(codes({ variant, containerNode: { nodeType: 1 } })).toEqual([]);
    }
    expect(codes({ variant: 'hosted' })).toEqual([]);
  });

  it.each([
    'auto',
    'hosted',
    'desktop',
    'mobile',
    'hosted-mobile',
    'webview-desktop',
    'webview-mobile',
    'embedded-mobile',
    'embedded-desktop',
  ])('variant %s is one, on both sides; auto is the default', (variant) => {
    expect(parameterOf('variant')).toMatchObject({
      default: 'auto',
      values: expect.arrayContaining([variant]) as unknown,
    });
    expect([settings({ variant }).variant, settings().variant]).toEqual([variant, 'auto']);
  });
});

describe('§2.11 flows', () => {
  it.each([
    [{}, 'onramp'],
    [{ enabledFlows: 'OFFRAMP,ONRAMP' }, 'offramp'],
    [{ enabledFlows: 'OFFRAMP,ONRAMP', defaultFlow: 'ONRAMP' }, 'onramp'],
  ] as const)('%j begins with %s', (parameters, flow) => {
    expect(settings(parameters).flow).toBe(flow);
  });

  it('SWAP is only in examples: the product warns, and the sandbox has no such flow', () => {
    expect(codes({ enabledFlows: ['ONRAMP', 'SWAP'] })).toEqual(['FLOW_UNDOCUMENTED']);
    expect(settings({ enabledFlows: 'SWAP,ONRAMP' }).flows).toEqual(['onramp']);
  });

  it('in and out follow the flow', () => {
    const wish = { inAsset: 'EUR', inAssetValue: '5000', outAsset: 'ETH_ETH' };
    expect(settings(wish).preset).toMatchObject({ currency: 'EUR', asset: 'ETH_ETH', amount: '50', unit: 'fiat' });
    const sell = { enabledFlows: 'OFFRAMP', inAsset: 'ETH_ETH', inAssetValue: '50000000000000000', outAsset: 'EUR' };
    expect(settings(sell).preset).toMatchObject({ currency: 'EUR', asset: 'ETH_ETH', amount: '0.05', unit: 'crypto' });
    expect(codes({ inAsset: 'ETH_ETH', outAsset: 'EUR' })).toEqual(['ASSET_SIDE', 'ASSET_SIDE']);
    expect(codes({ enabledFlows: ['OFFRAMP'], inAsset: 'ETH_ETH', outAsset: 'EUR' })).toEqual([]);
    expect(codes({ enabledFlows: ['SWAP'], inAsset: 'ETH_ETH', outAsset: 'BTC_BTC' })).toEqual(['FLOW_UNDOCUMENTED']);
  });
});

describe('§2.11 hosted mode', () => {
  it('values are URL-component-encoded and arrays comma-separated', () => {
    const config = { finalUrl: 'https://app.example/?a=1&b=2#c', enabledFlows: ['ONRAMP', 'OFFRAMP'] };
    const url = buildWidgetUrl(config, 'https://widget.example/');
    expect(url).toBe(
      'https://widget.example/?enabledFlows=ONRAMP%2COFFRAMP&finalUrl=https%3A%2F%2Fapp.example%2F%3Fa%3D1%26b%3D2%23c',
    );
    expect(readWidgetUrl(url).config).toEqual(config);
  });

  it('url is where a non-production widget is: it is opened, not sent', () => {
    const url = buildWidgetUrl({ url: 'https://test.widget.example/', hostAppName: 'App' }, 'https://widget.example/');
    expect(url).toBe('https://test.widget.example/?hostAppName=App');
  });
});

describe('§2.11 assets and payment methods', () => {
  it.each([
    ['ETH_ETH', ['ETH_ETH']],
    ['BTC_BTC,ETH_ETH', ['BTC_BTC', 'ETH_ETH']],
  ])('enabledCryptoAssets %s: a single item is the only option, the first is the default selection', (list, ids) => {
    expect(settings({ enabledCryptoAssets: list }).choices.onramp?.assets.map(({ id }) => id)).toEqual(ids);
  });

  it('blank enabledCryptoAssets mean all assets', () => {
    expect(settings({ enabledCryptoAssets: '' }).choices.onramp?.assets.length).toBeGreaterThan(15);
  });

  it.each([
    ['PISP', 'AUTO_BANK_TRANSFER'],
    ['SEPA', 'MANUAL_BANK_TRANSFER'],
    ['APPLEPAY', 'APPLE_PAY'],
    ['GOOGLEPAY', 'GOOGLE_PAY'],
    ['CARD', 'CARD_PAYMENT'],
    ['OPEN_BANKING', 'AUTO_BANK_TRANSFER'],
  ])('the deprecated paymentMethodType %s is mapped to %s, on both sides', (old, present) => {
    expect(codes({ paymentMethodType: old })).toEqual(['VALUE_DEPRECATED']);
    expect(migrateWidgetConfig({ paymentMethodType: old }).config).toEqual({ paymentMethodType: present });
    expect(settings({ paymentMethodType: old }).preset.method).toBe(present);
  });
});

describe('§2.11 rules for the unified parameters', () => {
  it.each([
    ['EUR', '50.25', '5025'],
    ['JPY', '5000', '5000'],
    ['KWD', '1.5', '1500'],
    ['HUF', '5000', '500000'],
  ])('rule 1: %s %s in accounting format are %s units, by ISO 4217', (currency, major, units) => {
    expect(migrateWidgetConfig({ fiatCurrency: currency, fiatValue: major }).config).toEqual({
      inAsset: currency,
      inAssetValue: units,
    });
    expect(settings({ inAsset: currency, inAssetValue: units }).preset).toMatchObject({
      currency,
      amount: String(+major),
    });
  });

  it('rule 1: crypto values are in units already', () => {
    const old = { defaultAsset: 'ETH_ETH', swapAmount: '1000000000000000000' };
    expect(migrateWidgetConfig(old).config).toEqual({ outAsset: 'ETH_ETH', outAssetValue: '1000000000000000000' });
  });

  it('rule 2: which parameter replaces which', () => {
    const successors = ['swapAsset', 'offrampAsset', 'fiatCurrency', 'defaultAsset', 'swapAmount', 'fiatValue'].map(
      (name) => [name, parameterOf(name)?.replacedBy],
    );
    expect(successors).toEqual([
      ['swapAsset', ['enabledCryptoAssets']],
      ['offrampAsset', ['enabledCryptoAssets']],
      ['fiatCurrency', ['inAsset', 'outAsset']],
      ['defaultAsset', ['outAsset', 'inAsset']],
      ['swapAmount', ['outAssetValue', 'inAssetValue']],
      ['fiatValue', ['inAssetValue', 'outAssetValue']],
    ]);
  });
});

describe('§2.11 deprecated parameters, still accepted', () => {
  const ids = (parameters: Readonly<Record<string, string>>, flow: 'onramp' | 'offramp' = 'onramp') =>
    settings(parameters).choices[flow]?.assets.map(({ id }) => id) ?? [];

  it('swapAsset: a list, a chain with _*, and both mixed', () => {
    expect(ids({ swapAsset: 'BTC_BTC,ETH_ETH' })).toEqual(['BTC_BTC', 'ETH_ETH']);
    const mixed = ids({ swapAsset: 'BTC_BTC,SOLANA_*' });
    expect([mixed[0], mixed.slice(1).every((id) => id.startsWith('SOLANA_'))]).toEqual(['BTC_BTC', true]);
    expect(ids({ swapAsset: '' })).toEqual(ids({}));
    expect(codes({ swapAsset: 'SOLANA_*,BTC_BTC' })).toEqual(['PARAMETER_DEPRECATED']);
  });

  it('swapAsset: an asset of a chain that was given may be the defaultAsset', () => {
    expect(settings({ swapAsset: 'ETH_*', defaultAsset: 'ETH_USDC' }).preset.asset).toBe('ETH_USDC');
    expect(codes({ swapAsset: 'ETH_*', defaultAsset: 'ETH_USDC' })).toEqual([
      'PARAMETER_DEPRECATED',
      'PARAMETER_DEPRECATED',
    ]);
  });

  it('offrampAsset: the same for the off-ramp alone', () => {
    const both = { enabledFlows: 'ONRAMP,OFFRAMP', offrampAsset: 'BTC_BTC' };
    expect([ids(both, 'offramp'), ids(both)]).toEqual([['BTC_BTC'], ids({})]);
    expect(codes({ enabledFlows: ['OFFRAMP'], offrampAsset: 'BTC_BTC' })).toEqual(['PARAMETER_DEPRECATED']);
  });

  it('swapAmount pre-sets the crypto amount, in units', () => {
    expect(settings({ defaultAsset: 'BTC_BTC', swapAmount: '150000' }).preset).toMatchObject({ amount: '0.0015' });
    expect(codes({ swapAmount: '1.5' })).toEqual(['AMOUNT_NOT_UNITS', 'PARAMETER_DEPRECATED']);
  });

  it('fiatCurrency may be used alone', () => {
    expect(settings({ fiatCurrency: 'GBP' })).toMatchObject({
      preset: { currency: 'GBP', amount: null },
      warnings: [],
    });
    expect(codes({ fiatCurrency: 'GBP' })).toEqual(['PARAMETER_DEPRECATED']);
  });

  it('fiatCurrency that the country does not support gives way to its default currency', () => {
    expect(settings({ fiatCurrency: 'BRL', selectedCountryCode: 'PL' }).preset.currency).toBe('PLN');
    expect(settings({ fiatCurrency: 'EUR', selectedCountryCode: 'PL' }).preset.currency).toBe('EUR');
    const withValue = settings({ fiatCurrency: 'BRL', fiatValue: '50', selectedCountryCode: 'PL' });
    expect(withValue.preset).toMatchObject({ currency: 'PLN', amount: null });
    expect(withValue.warnings).toEqual(['fiatValue is an amount of BRL, and the form begins with PLN']);
  });

  it('fiatValue is not supported without fiatCurrency', () => {
    expect(settings({ fiatValue: '50' })).toMatchObject({
      preset: { amount: null },
      warnings: ['fiatValue is not used without fiatCurrency'],
    });
    expect(codes({ fiatValue: '50' })).toEqual(['FIAT_VALUE_WITHOUT_CURRENCY', 'PARAMETER_DEPRECATED']);
  });

  it('defaultAsset is selected, and may be changed', () => {
    const { preset, choices } = settings({ defaultAsset: 'BTC_BTC' });
    expect([preset.asset, (choices.onramp?.assets.length ?? 0) > 1]).toEqual(['BTC_BTC', true]);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkWidgetConfig } from '../../src/widget/check.ts';
import type { WidgetCheckContext } from '../../src/widget/checks/input.ts';
import { PARAMETERS } from '../../src/widget/parameters.ts';
import { WIDGET_PROBLEMS, type WidgetProblem } from '../../src/widget/problems.ts';
import { dec } from '../support/builders.ts';
import { ASSETS, aWidget } from './a-widget.ts';

type Config = Readonly<Record<string, unknown>>;

/** `CODE parameter`, errors first. */
function told(overrides: Config, context: WidgetCheckContext = {}): string[] {
  const { errors, warnings } = checkWidgetConfig(aWidget(overrides), context);
  return [...errors, ...warnings].map(({ code, parameter }) => `${code} ${parameter}`);
}

function problem(overrides: Config, code: string, context: WidgetCheckContext = {}): WidgetProblem | undefined {
  const { errors, warnings } = checkWidgetConfig(aWidget(overrides), context);
  return [...errors, ...warnings].find((each) => each.code === code);
}

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const BOTH = { enabledFlows: ['ONRAMP', 'OFFRAMP'] };
const OFFRAMP = { enabledFlows: ['OFFRAMP'] };
const HOSTED: WidgetCheckContext = { integration: 'hosted' };
const WITH_ASSETS: WidgetCheckContext = { assets: ASSETS };
const LIMITS = {
  currencyCode: 'HUF',
  minFeeAmount: null,
  minFeePercent: null,
  maxFeePercent: null,
  maxPurchaseAmount: null,
};

/** Each row: the difference from a clean configuration, the expected message, and further known facts. */
const CASES: readonly [Config, readonly string[], WidgetCheckContext?][] = [
  // Names.
  [{ hostLogoUrl: undefined }, ['PARAMETER_MISSING hostLogoUrl']],
  [{ hostAppName: '  ' }, ['PARAMETER_MISSING hostAppName']],
  [{ hostApiKey: null }, ['PARAMETER_MISSING hostApiKey']],
  [{ userAdress: 'x' }, ['PARAMETER_MISSPELT userAdress']],
  [{ finalURL: 'x' }, ['PARAMETER_MISSPELT finalURL']],
  [{ brandNewThing: 'x' }, ['PARAMETER_UNKNOWN brandNewThing']],
  [{ brandNewThing: '' }, []],
  // Types.
  [{ hostAppName: 7 }, ['VALUE_TYPE hostAppName']],
  [{ useSendCryptoCallback: 'yes', ...OFFRAMP }, ['VALUE_TYPE useSendCryptoCallback']],
  [{ hideExitButton: 1 }, ['VALUE_TYPE hideExitButton']],
  [{ hideExitButton: 'true' }, []],
  [{ enabledFlows: { a: 1 } }, ['VALUE_TYPE enabledFlows']],
  [{ enabledCryptoAssets: ['ETH_ETH', 'BTC_BTC'] }, []],
  // Closed lists.
  [{ enabledFlows: ['onramp'] }, ['VALUE_UNKNOWN enabledFlows']],
  [{ enabledFlows: 'ONRAMP,OFFRAMP' }, []],
  [{ defaultFlow: 'BUY' }, ['VALUE_UNKNOWN defaultFlow']],
  [{ variant: 'embeded-mobile' }, ['VALUE_UNKNOWN variant']],
  [{ variant: 'webview-mobile' }, []],
  [{ paymentMethodType: 'CASH' }, ['VALUE_UNKNOWN paymentMethodType']],
  [{ paymentMethodType: 'PISP' }, ['VALUE_DEPRECATED paymentMethodType']],
  [{ paymentMethodType: 'PIX' }, []],
  // Flows.
  [{ ...BOTH, defaultFlow: 'OFFRAMP' }, []],
  [{ ...OFFRAMP, defaultFlow: 'ONRAMP' }, ['FLOW_NOT_ENABLED defaultFlow']],
  [{ defaultFlow: 'OFFRAMP' }, ['FLOW_NOT_ENABLED_BY_DEFAULT defaultFlow']],
  [{ defaultFlow: 'ONRAMP' }, []],
  [
    { enabledFlows: ['SWAP'], defaultFlow: 'SWAP' },
    ['FLOW_UNDOCUMENTED enabledFlows', 'FLOW_UNDOCUMENTED defaultFlow'],
  ],
  [{ enabledFlows: ['ONRAMP', 'ONRAMP'] }, ['LIST_ITEM_REPEATED enabledFlows']],
  [{ paymentMethodType: 'PIX', ...OFFRAMP }, ['PARAMETER_OUTSIDE_FLOW paymentMethodType']],
  [{ useSendCryptoCallback: true }, ['PARAMETER_OUTSIDE_FLOW useSendCryptoCallback']],
  [{ useSendCryptoCallback: false }, []],
  [{ webhookStatusUrl: 'https://app.example/w', ...OFFRAMP }, ['PARAMETER_OUTSIDE_FLOW webhookStatusUrl']],
  [{ offrampWebhookV3Url: 'https://app.example/w' }, ['PARAMETER_OUTSIDE_FLOW offrampWebhookV3Url']],
  [{ successUrl: 'https://app.example/y', ...BOTH }, []],
  // Integration.
  [{ variant: 'embedded-mobile' }, ['CONTAINER_NODE_MISSING containerNode']],
  [{ variant: 'embedded-desktop', containerNode: { nodeType: 1 } }, []],
  [{ variant: 'embedded-desktop', containerNode: { nodeType: 1 } }, ['CONTAINER_NODE_MISSING containerNode'], HOSTED],
  [{ variant: 'embedded-desktop', containerNode: '#widget' }, ['CONTAINER_NODE_NOT_A_NODE containerNode']],
  [{ variant: 'mobile', containerNode: { nodeType: 1 } }, ['CONTAINER_NODE_UNUSED containerNode']],
  [{ finalUrl: 'https://app.example/end' }, [], HOSTED],
  [{ finalUrl: 'https://app.example/end', variant: 'hosted' }, []],
  [{ finalUrl: 'myapp://end' }, [], HOSTED],
  [{ finalUrl: 'https://app.example/end' }, ['FINAL_URL_PARTIAL finalUrl']],
  [{ finalUrl: 'https://app.example/end', ...BOTH }, ['FINAL_URL_PARTIAL finalUrl'], HOSTED],
  [{ finalUrl: 'https://app.example/end', ...OFFRAMP }, ['FINAL_URL_IGNORED finalUrl'], HOSTED],
  [{ finalUrl: 'https://app.example/end', variant: 'desktop' }, ['FINAL_URL_IGNORED finalUrl']],
  // Addresses on the web.
  [{ hostLogoUrl: 'logo.png' }, ['URL_INVALID hostLogoUrl']],
  [{ hostLogoUrl: 'app.example:443/logo.png' }, ['URL_INVALID hostLogoUrl']],
  [{ hostLogoUrl: 'https://app.example/my logo.png' }, ['URL_INVALID hostLogoUrl']],
  [{ hostLogoUrl: 'data:image/png;base64,xx' }, ['URL_SCHEME hostLogoUrl']],
  [{ hostLogoUrl: 'http://app.example/logo.png' }, ['URL_NOT_HTTPS hostLogoUrl']],
  [{ finalUrl: 'javascript:alert(1)' }, ['URL_SCHEME finalUrl'], HOSTED],
  [{ successUrl: 'myapp://yes' }, ['URL_OWN_SCHEME successUrl']],
  [{ failureUrl: 'myapp://no' }, ['URL_OWN_SCHEME failureUrl']],
  [{ webhookStatusUrl: 'ftp://app.example/' }, ['URL_SCHEME webhookStatusUrl']],
  [{ webhookStatusUrl: 'http://127.0.0.1:8080/w' }, ['WEBHOOK_LOCAL webhookStatusUrl']],
  [{ offrampWebhookV3Url: 'https://10.0.0.7/w', ...OFFRAMP }, ['WEBHOOK_LOCAL offrampWebhookV3Url']],
  [{ webhookStatusUrl: 'https://ann:pw@app.example/w' }, ['URL_CREDENTIALS webhookStatusUrl']],
  [{ webhookStatusUrl: 'https://app.example/w', ...BOTH }, ['WEBHOOK_UNCOVERED offrampWebhookV3Url']],
  [{ offrampWebhookV3Url: 'https://app.example/w', ...BOTH }, ['WEBHOOK_UNCOVERED webhookStatusUrl']],
  [{ url: 'https://test.widget.example' }, []],
  [{ url: 'test.widget.example' }, ['URL_INVALID url']],
  // The person.
  [{ userEmailAddress: 'ann+test@mail.app.example' }, []],
  [{ userEmailAddress: 'ann@app' }, ['EMAIL_INVALID userEmailAddress']],
  [{ userEmailAddress: 'ann test@app.example' }, ['EMAIL_INVALID userEmailAddress']],
  [{ selectedCountryCode: 'DE' }, []],
  [{ selectedCountryCode: 'de' }, []],
  [{ selectedCountryCode: 'UK' }, ['COUNTRY_UNKNOWN selectedCountryCode']],
  [{ selectedCountryCode: 'DEU' }, ['COUNTRY_UNKNOWN selectedCountryCode']],
  [{ selectedCountryCode: 'XX' }, ['COUNTRY_UNKNOWN selectedCountryCode']],
  // Assets and currencies.
  [{ inAsset: 'EUR', outAsset: 'ETH_ETH' }, []],
  [{ inAsset: 'ETH_ETH', outAsset: 'EUR', ...OFFRAMP }, []],
  [{ inAsset: 'ETH_ETH', outAsset: 'BTC_BTC', enabledFlows: 'SWAP' }, ['FLOW_UNDOCUMENTED enabledFlows']],
  [{ inAsset: 'eur' }, ['ASSET_INVALID inAsset']],
  [{ outAsset: 'ETH' }, ['ASSET_INVALID outAsset']],
  [{ outAsset: 'ETH_*' }, ['ASSET_WILDCARD outAsset']],
  [{ outAsset: 'EUR' }, ['ASSET_SIDE outAsset']],
  [{ inAsset: 'ETH_ETH' }, ['ASSET_SIDE inAsset']],
  [{ inAsset: 'ETH_ETH', ...BOTH }, ['ASSET_SIDE_OTHER_FLOW inAsset']],
  [{ enabledCryptoAssets: 'ETH_*,BTC_BTC', outAsset: 'ETH_USDC' }, []],
  [{ enabledCryptoAssets: 'ETH_*,BTC_BTC', outAsset: 'MATIC_USDC' }, ['ASSET_NOT_ENABLED outAsset']],
  [{ enabledCryptoAssets: 'ETH_ETH, BTC_BTC' }, ['ASSET_INVALID enabledCryptoAssets']],
  [{ enabledCryptoAssets: '*' }, ['ASSET_INVALID enabledCryptoAssets']],
  [{ enabledCryptoAssets: 'ETH_ETH,,BTC_BTC' }, ['LIST_ITEM_EMPTY enabledCryptoAssets']],
  [{ enabledCryptoAssets: 'ETH_ETH,ETH_ETH' }, ['LIST_ITEM_REPEATED enabledCryptoAssets']],
  [{ enabledCryptoAssets: 'ETH_*,MATIC_USDC', outAsset: 'ETH_USDC' }, [], WITH_ASSETS],
  [
    { enabledCryptoAssets: 'ETH_DAI,SOLANA_*' },
    ['ASSET_UNKNOWN enabledCryptoAssets', 'ASSET_UNKNOWN enabledCryptoAssets'],
    WITH_ASSETS,
  ],
  [{ inAsset: 'EUR' }, [], { currencies: [{ code: 'EUR', onramp: true, offramp: false }] }],
  [
    { outAsset: 'EUR', ...OFFRAMP },
    ['CURRENCY_UNAVAILABLE outAsset'],
    { currencies: [{ code: 'EUR', onramp: true, offramp: false }] },
  ],
  [{ inAsset: 'JPY' }, ['CURRENCY_UNAVAILABLE inAsset'], { currencies: [] }],
  // Amounts in units.
  [{ inAsset: 'EUR', inAssetValue: '5000' }, []],
  [{ inAsset: 'EUR', inAssetValue: 5000 }, []],
  [{ inAsset: 'EUR', inAssetValue: '50' }, ['AMOUNT_LOOKS_MAJOR inAssetValue']],
  [{ inAsset: 'EUR', inAssetValue: '599' }, ['AMOUNT_LOOKS_MAJOR inAssetValue']],
  [{ inAsset: 'EUR', inAssetValue: '600' }, []],
  [{ inAsset: 'JPY', inAssetValue: '50' }, []],
  [{ inAsset: 'EUR', inAssetValue: '50.00' }, ['AMOUNT_NOT_UNITS inAssetValue']],
  [{ inAsset: 'EUR', inAssetValue: '0050' }, ['AMOUNT_NOT_UNITS inAssetValue']],
  [{ inAsset: 'EUR', inAssetValue: '-50' }, ['AMOUNT_INVALID inAssetValue']],
  [{ inAsset: 'EUR', inAssetValue: '1,000' }, ['AMOUNT_INVALID inAssetValue']],
  [{ inAsset: 'EUR', inAssetValue: '0' }, ['AMOUNT_INVALID inAssetValue']],
  [{ inAssetValue: '5000' }, ['AMOUNT_WITHOUT_ASSET inAssetValue']],
  // One enabled asset is the only option, so the amount is of it.
  [{ outAssetValue: '1000000', enabledCryptoAssets: 'ETH_ETH' }, []],
  [{ outAssetValue: '1000000', enabledCryptoAssets: 'ETH_*' }, ['AMOUNT_WITHOUT_ASSET outAssetValue']],
  // The published minimum of another currency is more precise than six units.
  [
    { inAsset: 'HUF', inAssetValue: '20000' },
    ['AMOUNT_LOOKS_MAJOR inAssetValue'],
    { limits: { ...LIMITS, minPurchaseAmount: dec('2400') } },
  ],
  [{ inAsset: 'HUF', inAssetValue: '20000' }, []],
  [{ outAsset: 'ETH_ETH', outAssetValue: '1' }, ['AMOUNT_LOOKS_MAJOR outAssetValue']],
  [{ outAsset: 'ETH_ETH', outAssetValue: '0.5' }, ['AMOUNT_NOT_UNITS outAssetValue']],
  [{ outAsset: 'ETH_ETH', outAssetValue: '1000000' }, []],
  [{ outAsset: 'ETH_ETH', outAssetValue: '1000000' }, ['AMOUNT_LOOKS_MAJOR outAssetValue'], WITH_ASSETS],
  [{ outAsset: 'BTC_BTC', outAssetValue: '2999' }, ['AMOUNT_LOOKS_MAJOR outAssetValue'], WITH_ASSETS],
  [{ outAsset: 'BTC_BTC', outAssetValue: '3000' }, [], WITH_ASSETS],
  [{ inAsset: 'EUR', inAssetValue: 1e21 }, ['AMOUNT_INEXACT inAssetValue']],
  [
    { inAsset: 'EUR', inAssetValue: '5000', outAsset: 'ETH_ETH', outAssetValue: '50000000000000000' },
    ['AMOUNT_ON_BOTH_SIDES outAssetValue'],
  ],
  [{ inAsset: 'ETH_ETH', inAssetValue: '50000000000000000', outAsset: 'EUR', ...OFFRAMP }, []],
  // The receiving address, by the chains of the enabled assets.
  [{ userAddress: EVM, enabledCryptoAssets: 'ETH_*,MATIC_USDC' }, []],
  [{ userAddress: EVM, outAsset: 'BASE_ETH' }, []],
  [{ userAddress: EVM }, []],
  // The enabled assets decide; one that is selected outside of them is another matter.
  [{ userAddress: EVM, enabledCryptoAssets: 'ETH_*', outAsset: 'TRON_USDT' }, ['ASSET_NOT_ENABLED outAsset']],
  [{ userAddress: TRON, enabledCryptoAssets: 'ETH_USDT' }, ['ADDRESS_INVALID userAddress']],
  [{ userAddress: EVM, enabledCryptoAssets: 'BTC_BTC' }, ['ADDRESS_INVALID userAddress']],
  [{ userAddress: EVM, enabledCryptoAssets: 'ETH_USDT,TRON_USDT' }, ['ADDRESS_OF_SOME_CHAINS userAddress']],
  [{ userAddress: EVM, enabledCryptoAssets: 'ETH_*,SOMECHAIN_X' }, []],
  [{ userAddress: 'whatever', enabledCryptoAssets: 'SOMECHAIN_X' }, []],
  [{ userAddress: EVM.replace('5aA', '5aa'), enabledCryptoAssets: 'ETH_ETH' }, ['ADDRESS_CHECKSUM userAddress']],
  [{ userAddress: TRON.replace('6t', '6u') }, ['ADDRESS_CHECKSUM userAddress']],
  [{ userAddress: 'ann.eth' }, ['ADDRESS_UNRECOGNISED userAddress']],
  // Deprecated parameters.
  [{ swapAsset: 'ETH_*' }, ['PARAMETER_DEPRECATED swapAsset']],
  [{ offrampAsset: 'ETH_ETH', ...OFFRAMP }, ['PARAMETER_DEPRECATED offrampAsset']],
  [{ offrampAsset: 'ETH_ETH' }, ['PARAMETER_OUTSIDE_FLOW offrampAsset', 'PARAMETER_DEPRECATED offrampAsset']],
  [{ swapAsset: 'ETH' }, ['ASSET_OLD_FORM swapAsset', 'PARAMETER_DEPRECATED swapAsset']],
  [{ swapAmount: '1000000000000000000' }, ['PARAMETER_DEPRECATED swapAmount']],
  [{ swapAmount: '1.5' }, ['AMOUNT_NOT_UNITS swapAmount', 'PARAMETER_DEPRECATED swapAmount']],
  [{ fiatCurrency: 'EUR' }, ['PARAMETER_DEPRECATED fiatCurrency']],
  [{ fiatCurrency: 'EURO' }, ['CURRENCY_UNKNOWN fiatCurrency', 'PARAMETER_DEPRECATED fiatCurrency']],
  [{ fiatValue: 50 }, ['FIAT_VALUE_WITHOUT_CURRENCY fiatValue', 'PARAMETER_DEPRECATED fiatValue']],
  [{ fiatValue: '50.5', fiatCurrency: 'EUR' }, ['PARAMETER_DEPRECATED fiatCurrency', 'PARAMETER_DEPRECATED fiatValue']],
  [
    { fiatValue: '50.555', fiatCurrency: 'EUR' },
    ['AMOUNT_TOO_PRECISE fiatValue', 'PARAMETER_DEPRECATED fiatCurrency', 'PARAMETER_DEPRECATED fiatValue'],
  ],
  [{ defaultAsset: 'ETH_ETH' }, ['PARAMETER_DEPRECATED defaultAsset']],
  [{ defaultAsset: 'ETH_*' }, ['ASSET_WILDCARD defaultAsset', 'PARAMETER_DEPRECATED defaultAsset']],
  [
    { swapAsset: 'ETH_*', defaultAsset: 'ETH_USDC' },
    ['PARAMETER_DEPRECATED swapAsset', 'PARAMETER_DEPRECATED defaultAsset'],
  ],
  [{ inAsset: 'EUR', fiatCurrency: 'USD' }, ['NEW_AND_LEGACY fiatCurrency']],
  [{ enabledCryptoAssets: 'ETH_ETH', swapAsset: 'ETH_ETH' }, ['NEW_AND_LEGACY swapAsset']],
  // An integrator's bug: the value given as fiatValue, forwarded unchanged.
  [
    { inAssetValue: '50', fiatCurrency: 'EUR', fiatValue: '50' },
    ['AMOUNT_LOOKS_MAJOR inAssetValue', 'PARAMETER_DEPRECATED fiatCurrency', 'NEW_AND_LEGACY fiatValue'],
  ],
  [
    { inAsset: 'EUR', inAssetValue: '5000', fiatCurrency: 'EUR', fiatValue: '5000' },
    ['AMOUNT_LOOKS_MAJOR inAssetValue', 'NEW_AND_LEGACY fiatCurrency', 'NEW_AND_LEGACY fiatValue'],
  ],
];

describe('checking a configuration (spec §2.11)', () => {
  test('a correct configuration is valid, without warnings', () => {
    expect(checkWidgetConfig(aWidget())).toEqual({ valid: true, errors: [], warnings: [] });
  });

  test.each(CASES.map(([config, codes, context]) => ({ config, codes, context })))(
    '$config',
    ({ config, codes, context }) => {
      expect(told(config, context)).toEqual(codes);
    },
  );

  test('every problem has a row above, or is reported by the reader of URLs', () => {
    const seen = new Set(CASES.flatMap(([, codes]) => codes.map((code) => code.split(' ')[0])));
    const unseen = Object.keys(WIDGET_PROBLEMS).filter((code) => !seen.has(code));
    expect(unseen).toEqual(['PARAMETER_REPEATED', 'PARAMETER_NOT_HOSTED', 'FRAGMENT_IN_URL']);
  });

  test('every parameter has a row above', () => {
    const seen = new Set(CASES.flatMap(([config]) => Object.keys(config)));
    expect(PARAMETERS.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([]);
  });

  test('every problem is reported at once', () => {
    const config = {
      hostAppName: 'App',
      inAsset: 'EUR',
      inAssetValue: '50',
      variant: 'embedded-mobile',
      userAddress: 'x',
      defaultFlow: 'SELL',
    };
    const { valid, errors, warnings } = checkWidgetConfig(config);
    expect([valid, errors.length, warnings.length]).toEqual([false, 4, 2]);
  });

  test('nothing that a configuration may hold makes it fail', () => {
    const names = fc.constantFrom(...PARAMETERS.map(({ name }) => name), 'other', '__proto__', 'toString');
    const values = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }),
      fc.string(),
      fc.constantFrom('ETH_*', '50', 'EUR', 'OFFRAMP', 'SWAP', 'https://a.example'),
    );
    fc.assert(
      fc.property(fc.dictionary(names, values), (config) => {
        expect(() => checkWidgetConfig(config, WITH_ASSETS)).not.toThrow();
      }),
    );
  });
});

test('a list that holds itself is a value of the wrong type, and nothing worse', () => {
  const list: unknown[] = ['ETH_ETH'];
  list.push(list);
  expect(told({ enabledCryptoAssets: list })).toEqual(['VALUE_TYPE enabledCryptoAssets']);
});

describe('a problem says what to do', () => {
  test.each<[Config, string, string, WidgetCheckContext?]>([
    [{ userAdress: 'x' }, 'PARAMETER_MISSPELT', 'Write userAddress.'],
    [{ enabledFlows: ['onramp'] }, 'VALUE_UNKNOWN', 'Write ONRAMP.'],
    [{ paymentMethodType: 'SEPA' }, 'VALUE_DEPRECATED', 'Write MANUAL_BANK_TRANSFER.'],
    [{ selectedCountryCode: 'UK' }, 'COUNTRY_UNKNOWN', 'Write GB.'],
    [{ inAsset: 'eur' }, 'ASSET_INVALID', 'Write EUR.'],
    [{ outAsset: 'eth:usdc' }, 'ASSET_INVALID', 'Write ETH_USDC.'],
    [{ outAsset: 'ETH' }, 'ASSET_INVALID', 'Write ETH_ETH.', WITH_ASSETS],
    [{ outAsset: 'MATIC_USCD' }, 'ASSET_UNKNOWN', 'Write MATIC_USDC, if that is meant.', WITH_ASSETS],
    [{ inAsset: 'EUR', inAssetValue: '50' }, 'AMOUNT_LOOKS_MAJOR', 'Write 5000, if 50 EUR is meant.'],
    [{ inAsset: 'EUR', inAssetValue: '50.25' }, 'AMOUNT_NOT_UNITS', 'Write 5025, if 50.25 EUR is meant.'],
    [
      { outAsset: 'ETH_USDC', outAssetValue: '0.5' },
      'AMOUNT_NOT_UNITS',
      'Write 500000, if 0.5 ETH_USDC is meant.',
      WITH_ASSETS,
    ],
    [{ userAddress: 'ann.eth' }, 'ADDRESS_UNRECOGNISED', 'Look the name up, and give the address it stands for.'],
    [
      { userEmailAddress: 'a b@c.example' },
      'EMAIL_INVALID',
      'Give one address, such as user@example.com, or leave it out. A + in a URL must be written as %2B.',
    ],
    [{ hostLogoUrl: 'app.example/logo.png' }, 'URL_INVALID', 'Begin with https://, as in https://app.example.'],
    [{ fiatCurrency: 'eur' }, 'CURRENCY_UNKNOWN', 'Write EUR.'],
  ])('%j', (config, code, remedy, context) => {
    expect(problem(config, code, context)?.remedy).toBe(remedy);
  });

  test('with the figures in it', () => {
    expect(problem({ inAsset: 'EUR', inAssetValue: '50' }, 'AMOUNT_LOOKS_MAJOR')).toEqual({
      severity: 'warning',
      code: 'AMOUNT_LOOKS_MAJOR',
      parameter: 'inAssetValue',
      value: '50',
      message: '50 is in minor units and means 0.50 EUR; more was probably meant',
      remedy: 'Write 5000, if 50 EUR is meant.',
    });
  });

  test('and recognises the address of another chain', () => {
    expect(problem({ userAddress: TRON, enabledCryptoAssets: 'ETH_USDT' }, 'ADDRESS_INVALID')?.message).toBe(
      'this cannot be an address on ETH; it looks like a TRON address (T…)',
    );
  });
});

describe('a problem shows no key and no token', () => {
  test.each<[Config]>([
    [{ hostApiKey: ['live-key-1'] }],
    [{ hostApikey: 'live-key-1' }],
    [{ apiKey: 'live-key-1' }],
    [{ sessionToken: 'live-key-1' }],
    [{ webhookStatusUrl: 'http://app.example/hook?session=live-key-1' }],
    [{ webhookStatusUrl: 'https://ann:live-key-1@app.example/hook' }],
    [{ finalUrl: 'https://app.example/#live-key-1' }],
  ])('%j', (config) => {
    const { errors, warnings } = checkWidgetConfig(aWidget(config));
    expect(errors.length + warnings.length).toBeGreaterThan(0);
    expect(JSON.stringify([errors, warnings])).not.toContain('live-key-1');
  });
});

import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/sandbox/errors.ts';
import { readSettings } from '../../../src/sandbox/widget/settings.ts';

const REQUIRED = { hostAppName: 'App', hostLogoUrl: 'https://app.example/logo.svg', hostApiKey: 'key' };

function settings(parameters: Record<string, string> = {}) {
  return readSettings(new URLSearchParams({ ...REQUIRED, ...parameters }).toString(), new Set(['key']));
}

const assetIds = (parameters: Record<string, string>, flow: 'onramp' | 'offramp' = 'onramp') =>
  settings(parameters).choices[flow]?.assets.map(({ id }) => id);

describe('what must be there (spec §2.11)', () => {
  it('reports every problem at once', () => {
    const failure = (query: string) => {
      try {
        return readSettings(query, new Set(['key']));
      } catch (error) {
        return error instanceof ServiceError ? error.body.problems : error;
      }
    };
    expect(failure('')).toEqual(['hostAppName is required', 'hostLogoUrl is required', 'hostApiKey is required']);
    expect(failure('hostAppName=A&hostLogoUrl=https://a.example/&hostApiKey=other')).toEqual([
      'hostApiKey is not known',
    ]);
  });

  it('only warns of what it does not know', () => {
    const { warnings, variant } = settings({ colour: 'red', variant: 'huge', hideExitButton: 'yes' });
    expect(warnings).toEqual([
      'colour is no parameter of the widget',
      'there is no variant huge',
      'hideExitButton must be true or false',
    ]);
    expect(variant).toBe('auto');
  });
});

describe('flows', () => {
  it.each([
    [{}, ['onramp'], 'onramp'],
    [{ enabledFlows: 'OFFRAMP,ONRAMP' }, ['offramp', 'onramp'], 'offramp'],
    [{ enabledFlows: 'ONRAMP,OFFRAMP', defaultFlow: 'OFFRAMP' }, ['onramp', 'offramp'], 'offramp'],
    [{ defaultFlow: 'OFFRAMP' }, ['onramp', 'offramp'], 'offramp'],
    [{ enabledFlows: 'SWAP' }, ['onramp'], 'onramp'],
  ])('%j', (parameters, flows, flow) => {
    expect(settings(parameters)).toMatchObject({ flows, flow });
  });
});

describe('assets', () => {
  it('all of them, where none are named', () => {
    expect(assetIds({})).toContain('BTC_BTC');
  });

  it('those of the list, in its order, chains expanded', () => {
    expect(assetIds({ enabledCryptoAssets: 'SOLANA_SOL,ETH_ETH' })).toEqual(['SOLANA_SOL', 'ETH_ETH']);
    const chain = assetIds({ enabledCryptoAssets: 'BTC_BTC,SOLANA_*' });
    expect(chain?.[0]).toBe('BTC_BTC');
    expect(chain?.slice(1).every((id) => id.startsWith('SOLANA_'))).toBe(true);
    expect(chain?.length).toBeGreaterThan(2);
  });

  it('takes the deprecated lists where the new one is silent, the off-ramp its own', () => {
    const both = { enabledFlows: 'ONRAMP,OFFRAMP', swapAsset: 'ETH_ETH', offrampAsset: 'BTC_BTC' };
    expect([assetIds(both), assetIds(both, 'offramp')]).toEqual([['ETH_ETH'], ['BTC_BTC']]);
    expect(assetIds({ ...both, enabledCryptoAssets: 'XLM_XLM' })).toEqual(['XLM_XLM']);
  });

  it('cannot start where nothing is left to choose from', () => {
    expect(() => settings({ enabledCryptoAssets: 'ETH_NOTHING' })).toThrow('SANDBOX.WIDGET_CONFIG_FAILED');
  });
});

describe('what the form begins with', () => {
  it.each<[string, Record<string, string>, object]>([
    [
      'buying, new parameters: fiat in, minor units',
      { inAsset: 'EUR', inAssetValue: '5010', outAsset: 'ETH_USDC' },
      { currency: 'EUR', amount: '50.1', unit: 'fiat', asset: 'ETH_USDC' },
    ],
    ['yen have no minor unit', { inAsset: 'JPY', inAssetValue: '5000' }, { currency: 'JPY', amount: '5000' }],
    ['dinars have three places', { inAsset: 'KWD', inAssetValue: '5000' }, { currency: 'KWD', amount: '5' }],
    ['forint have two by ISO 4217', { inAsset: 'HUF', inAssetValue: '500000' }, { currency: 'HUF', amount: '5000' }],
    [
      'buying an amount of crypto',
      { outAsset: 'ETH_ETH', outAssetValue: '50000000000000000' },
      { amount: '0.05', unit: 'crypto' },
    ],
    [
      'selling: the same with in and out the other way round',
      { defaultFlow: 'OFFRAMP', inAsset: 'BTC_BTC', inAssetValue: '150000', outAsset: 'GBP' },
      { asset: 'BTC_BTC', amount: '0.0015', unit: 'crypto', currency: 'GBP' },
    ],
    [
      'deprecated parameters: major units',
      { fiatCurrency: 'GBP', fiatValue: '50.5', defaultAsset: 'SOLANA_SOL' },
      { currency: 'GBP', amount: '50.5', asset: 'SOLANA_SOL' },
    ],
    ['deprecated crypto amount', { defaultAsset: 'BTC_BTC', swapAmount: '100000000' }, { amount: '1', unit: 'crypto' }],
    [
      'a new parameter wins over a deprecated one',
      { inAsset: 'USD', inAssetValue: '700', fiatCurrency: 'GBP', fiatValue: '50' },
      { currency: 'USD', amount: '7' },
    ],
    [
      'the country’s currency stands in',
      { fiatCurrency: 'XXX', selectedCountryCode: 'PL' },
      { currency: 'PLN', country: 'pl' },
    ],
    ['an old name of a method', { paymentMethodType: 'OPEN_BANKING' }, { method: 'AUTO_BANK_TRANSFER' }],
    ['methods are of the on-ramp only', { defaultFlow: 'OFFRAMP', paymentMethodType: 'CARD' }, { method: null }],
  ])('%s', (_name, parameters, preset) => {
    expect(settings(parameters).preset).toMatchObject(preset);
  });

  it.each([
    [{ fiatValue: '50' }, 'fiatValue is not used without fiatCurrency'],
    [{ inAsset: 'EUR', inAssetValue: '50.00' }, 'inAssetValue must be a whole number of minor units'],
    [{ inAsset: 'ETH_ETH' }, 'inAsset: ETH_ETH cannot be used here'],
    [{ outAsset: 'NO_SUCH' }, 'outAsset: there is no asset NO_SUCH'],
    [{ outAssetValue: '5' }, 'outAssetValue is not used without an asset that it is an amount of'],
    [{ paymentMethodType: 'FOO' }, 'paymentMethodType: there is no payment method FOO'],
    [{ paymentMethodType: 'constructor' }, 'paymentMethodType: there is no payment method constructor'],
    [{ enabledFlows: 'constructor' }, 'enabledFlows: this sandbox has no flow constructor'],
    [{ enabledFlows: 'ONRAMP', defaultFlow: 'OFFRAMP' }, 'defaultFlow: OFFRAMP is not among the enabled flows ONRAMP'],
  ])('%j is reported', (parameters, warning) => {
    expect(settings(parameters).warnings).toEqual([warning]);
  });
});

describe('an amount is never taken over by another currency or asset', () => {
  it.each<[Record<string, string>, string]>([
    [
      { fiatCurrency: 'JPY', fiatValue: '5000', selectedCountryCode: 'np' },
      'fiatValue is an amount of JPY, and the form begins with EUR',
    ],
    [{ fiatCurrency: 'AUD', fiatValue: '50' }, 'fiatValue is an amount of AUD, and the form begins with EUR'],
    [
      { enabledFlows: 'OFFRAMP', outAsset: 'JPY', outAssetValue: '5000' },
      'outAssetValue is an amount of JPY, and the form begins with EUR',
    ],
    [
      { defaultAsset: 'BTC_BTC', swapAsset: 'ETH_ETH', swapAmount: '100000000' },
      'swapAmount is an amount of BTC_BTC, and the form begins with ETH_ETH',
    ],
    [
      { enabledFlows: 'OFFRAMP', inAsset: 'DOGE_DOGE', inAssetValue: '100000000000' },
      'inAssetValue is an amount of DOGE_DOGE, and the form begins with BTC_BTC',
    ],
    [
      { enabledFlows: 'SWAP', inAsset: 'ETH_ETH', inAssetValue: '1000000000000000000', outAsset: 'BTC_BTC' },
      'inAssetValue is of the flow SWAP, which this sandbox does not have',
    ],
  ])('%j', (parameters, warning) => {
    const { preset, warnings } = settings(parameters);
    expect(preset.amount).toBeNull();
    expect(warnings).toContain(warning);
  });

  it.each<[Record<string, string>, string]>([
    [{ swapAsset: 'ETH_ETH', swapAmount: '1000000000000000000' }, '1'],
    [{ enabledCryptoAssets: 'ETH_USDC', outAssetValue: '2500000' }, '2.5'],
    [{ enabledCryptoAssets: 'ETH_USDC,BTC_BTC', outAssetValue: '2500000' }, '2.5'],
    [{ enabledFlows: 'OFFRAMP', offrampAsset: 'BTC_BTC', inAssetValue: '150000' }, '0.0015'],
  ])('and one of the asset that the list begins with is: %j', (parameters, amount) => {
    const { preset, warnings } = settings(parameters);
    expect([preset.amount, preset.unit, warnings]).toEqual([amount, 'crypto', []]);
  });
});

describe('addresses', () => {
  it('leads to web pages and to apps, and never runs a script', () => {
    expect(settings({ finalUrl: 'myapp://done?x=1', successUrl: 'https://app.example/#ok' })).toMatchObject({
      finalUrl: 'myapp://done?x=1',
      successUrl: 'https://app.example/#ok',
    });
    for (const url of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'done',
    ]) {
      const { finalUrl, successUrl, failureUrl } = settings({ finalUrl: url, successUrl: url, failureUrl: url });
      expect([finalUrl, successUrl, failureUrl]).toEqual([null, null, null]);
    }
    expect(settings({ hostLogoUrl: 'javascript:alert(1)' }).hostLogoUrl).toBeNull();
  });

  it('has a finalUrl only where it is hosted', () => {
    expect(settings({ finalUrl: 'https://app.example/', variant: 'embedded-mobile' }).finalUrl).toBeNull();
  });

  it('warns of a webhook that a sandbox will not send', () => {
    const { warnings, webhookUrls } = settings({
      webhookStatusUrl: 'https://app.example/hook',
      offrampWebhookV3Url: 'http://localhost:8080/webhooks/sales?u=1',
    });
    expect(warnings).toEqual([
      'webhookStatusUrl will not be called: a sandbox calls only addresses of this machine (127.0.0.1, ::1, localhost)',
    ]);
    expect(webhookUrls.offramp).toBe('http://localhost:8080/webhooks/sales?u=1');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PARAMETERS } from '../../src/widget/parameters.ts';
import { buildWidgetUrl, readWidgetUrl, WidgetUrlError, WidgetValueError } from '../../src/widget/url.ts';

const BASE = 'https://widget.example/';

describe('building a hosted URL (spec §2.11)', () => {
  test.each<[string, unknown, string]>([
    ['hostLogoUrl', 'https://app.example/a b.png', 'https%3A%2F%2Fapp.example%2Fa%20b.png'],
    ['hostAppName', 'Café & Co', 'Caf%C3%A9%20%26%20Co'],
    ['hostApiKey', 'key+1', 'key%2B1'],
    ['enabledFlows', ['ONRAMP', 'OFFRAMP'], 'ONRAMP%2COFFRAMP'],
    ['defaultFlow', 'OFFRAMP', 'OFFRAMP'],
    ['userAddress', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['userEmailAddress', 'ann+test@app.example', 'ann%2Btest%40app.example'],
    ['selectedCountryCode', 'DE', 'DE'],
    ['enabledCryptoAssets', 'ETH_*,BTC_BTC', 'ETH_*%2CBTC_BTC'],
    ['inAsset', 'EUR', 'EUR'],
    ['outAsset', 'ETH_ETH', 'ETH_ETH'],
    ['inAssetValue', '5000', '5000'],
    ['outAssetValue', '100000000000000000000000', '100000000000000000000000'],
    ['webhookStatusUrl', 'https://app.example/hook?user=1&x=2', 'https%3A%2F%2Fapp.example%2Fhook%3Fuser%3D1%26x%3D2'],
    ['offrampWebhookV3Url', 'https://app.example/sales', 'https%3A%2F%2Fapp.example%2Fsales'],
    ['finalUrl', 'myapp://done#ok', 'myapp%3A%2F%2Fdone%23ok'],
    ['successUrl', 'https://app.example/yes', 'https%3A%2F%2Fapp.example%2Fyes'],
    ['failureUrl', "https://app.example/it's", 'https%3A%2F%2Fapp.example%2Fit%27s'],
    ['useSendCryptoCallback', false, 'false'],
    ['variant', 'hosted-mobile', 'hosted-mobile'],
    ['paymentMethodType', 'APPLE_PAY', 'APPLE_PAY'],
    ['hideExitButton', true, 'true'],
    ['swapAsset', ['ETH_ETH', 'BTC_BTC'], 'ETH_ETH%2CBTC_BTC'],
    ['offrampAsset', 'BTC_*', 'BTC_*'],
    ['swapAmount', 10n ** 21n, '1000000000000000000000'],
    ['fiatCurrency', 'EUR', 'EUR'],
    ['fiatValue', 50.25, '50.25'],
    ['defaultAsset', 'ETH_ETH', 'ETH_ETH'],
    ['aNewParameter', 'é', '%C3%A9'],
  ])('%s=%s', (name, value, encoded) => {
    expect(buildWidgetUrl({ [name]: value }, BASE)).toBe(`${BASE}?${name}=${encoded}`);
  });

  test('every parameter that can travel is in the table above', () => {
    const hosted = PARAMETERS.filter((parameter) => parameter.hosted).map(({ name }) => name);
    expect(hosted).toHaveLength(28);
    expect(PARAMETERS.filter((parameter) => !parameter.hosted).map(({ name }) => name)).toEqual([
      'url',
      'containerNode',
    ]);
  });

  test.each([[null], [undefined], [''], [[]], [['']]])('%j is left out', (value) => {
    expect(buildWidgetUrl({ inAsset: value }, BASE)).toBe(BASE);
  });

  test('a DOM node is left out; the order is that of the specification, unknown names last', () => {
    const config = { zeta: '1', variant: 'auto', containerNode: { nodeType: 1 }, hostAppName: 'App' };
    expect(buildWidgetUrl(config, BASE)).toBe(`${BASE}?hostAppName=App&variant=auto&zeta=1`);
  });

  test('the address of a non-production widget wins, and is not sent', () => {
    expect(buildWidgetUrl({ url: 'https://test.widget.example/app', hostAppName: 'App' }, BASE)).toBe(
      'https://test.widget.example/app?hostAppName=App',
    );
  });

  test('what the base has in its query is kept, unless the configuration says otherwise', () => {
    expect(buildWidgetUrl({ variant: 'hosted' }, `${BASE}?variant=auto&theme=dark`)).toBe(
      `${BASE}?variant=hosted&theme=dark`,
    );
    expect(buildWidgetUrl({ variant: null }, `${BASE}?variant=auto`)).toBe(`${BASE}?variant=auto`);
  });

  test.each([undefined, '', 'widget.example', 'ftp://widget.example/', 'https://a:b@widget.example/', `${BASE}#x`])(
    'the base %j is refused',
    (base) => {
      expect(() => buildWidgetUrl({ hostApiKey: 'secret-key' }, base)).toThrow(WidgetUrlError);
    },
  );

  test.each([[Number.NaN], [1e21], [2 ** 53], [1e-7], [{ a: 1 }], [() => 1], [[{}]]])(
    'the value %s has no exact text, and is never guessed',
    (value) => {
      expect(() => buildWidgetUrl({ swapAmount: value }, BASE)).toThrow(WidgetValueError);
    },
  );
});

describe('reading a hosted URL', () => {
  test('lists of flows become lists, true and false booleans, the rest stays text', () => {
    const url = `${BASE}w?enabledFlows=ONRAMP%2COFFRAMP&hideExitButton=true&useSendCryptoCallback=1&swapAmount=100&enabledCryptoAssets=ETH_*%2CBTC_BTC&inAsset=`;
    expect(readWidgetUrl(url)).toEqual({
      baseUrl: `${BASE}w`,
      config: {
        enabledFlows: ['ONRAMP', 'OFFRAMP'],
        hideExitButton: true,
        useSendCryptoCallback: '1',
        swapAmount: '100',
        enabledCryptoAssets: 'ETH_*,BTC_BTC',
      },
      problems: [],
    });
  });

  test.each([
    ['?inAsset=EUR&inAsset=USD', [['PARAMETER_REPEATED', 'inAsset']], { inAsset: 'EUR' }],
    ['?finalUrl=https://app.example/#/done', [['FRAGMENT_IN_URL', 'finalUrl']], { finalUrl: 'https://app.example/' }],
    ['?url=https://x.example', [['PARAMETER_NOT_HOSTED', 'url']], { url: 'https://x.example' }],
    ['?containerNode=%5Bobject%5D', [['PARAMETER_NOT_HOSTED', 'containerNode']], { containerNode: '[object]' }],
  ])('%s', (query, problems, config) => {
    const reading = readWidgetUrl(`${BASE}${query}`);
    expect(reading.problems.map(({ code, parameter }) => [code, parameter])).toEqual(problems);
    expect(reading.config).toEqual(config);
  });

  test('names that objects inherit are names like any other', () => {
    const { config } = readWidgetUrl(`${BASE}?__proto__=1&constructor=2`);
    expect(Object.entries(config)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    expect(buildWidgetUrl(config, BASE)).toBe(`${BASE}?__proto__=1&constructor=2`);
  });

  test.each(['', 'App', 'mailto:x@y.example'])('%j is no URL of a widget', (text) => {
    expect(() => readWidgetUrl(text)).toThrow(WidgetUrlError);
  });

  // Node's URL.canParse takes a host of capitals and 100,000 letters that `new URL` refuses.
  test('a host of a hundred thousand letters is no URL of a widget', () => {
    expect(() => readWidgetUrl(`https://__proto__A${'__proto__'.repeat(11_109)}`)).toThrow(WidgetUrlError);
  });

  test('an error never shows the address, which has the key in it', () => {
    expect(() => readWidgetUrl('https://u:p@widget.example/?hostApiKey=live-key-1')).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/live-key-1|u:p/) as string }),
    );
  });
});

describe('there and back', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 });
  const items = fc.array(fc.stringMatching(/^[A-Z]{2,5}_([A-Z]{2,5}|\*)$/), { minLength: 1, maxLength: 4 });
  const flows = fc.uniqueArray(fc.constantFrom('ONRAMP', 'OFFRAMP'), { minLength: 1 });
  const config = fc.record(
    {
      hostAppName: text,
      hostApiKey: text,
      finalUrl: text,
      userAddress: text,
      enabledFlows: flows,
      enabledCryptoAssets: items.map((list) => list.join(',')),
      inAssetValue: fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
      hideExitButton: fc.boolean(),
      somethingNew: text,
    },
    { requiredKeys: [] },
  );

  test('a configuration with any texts is read back unchanged', () => {
    fc.assert(
      fc.property(config, (given) => {
        expect(readWidgetUrl(buildWidgetUrl(given, BASE))).toEqual({ baseUrl: BASE, config: given, problems: [] });
      }),
    );
  });

  test('a built URL is built again, byte for byte, and a URL parser changes nothing in it', () => {
    fc.assert(
      fc.property(config, fc.webUrl(), (given, base) => {
        const url = buildWidgetUrl(given, base);
        const read = readWidgetUrl(url);
        expect(buildWidgetUrl(read.config, read.baseUrl)).toBe(url);
        expect(new URL(url).href).toBe(url);
      }),
    );
  });
});

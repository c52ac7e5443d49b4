import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { aWorld, type Outcome, type WorldOptions } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'tieout-widget-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file in the temporary folder; its path. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function widget(argv: readonly string[], options: WorldOptions = {}): Promise<Outcome> {
  const world = aWorld(options);
  const code = await runCli(['widget', ...argv], world, () => Promise.reject(new Error('opens no application')));
  await new Promise((resolve) => setImmediate(resolve));
  return { code, out: world.out(), err: world.err() };
}

const CLEAN = file(
  'clean.yaml',
  'hostLogoUrl: https://app.example/logo.png\nhostAppName: App & Co\nhostApiKey: public-key-1\n' +
    'enabledFlows: [ONRAMP, OFFRAMP]\nenabledCryptoAssets: ETH_*,BTC_BTC\nhideExitButton: true\n',
);
const QUERY =
  'hostLogoUrl=https%3A%2F%2Fapp.example%2Flogo.png&hostAppName=App%20%26%20Co&hostApiKey=public-key-1' +
  '&enabledFlows=ONRAMP%2COFFRAMP&enabledCryptoAssets=ETH_*%2CBTC_BTC&hideExitButton=true';

const asset = (chain: string, symbol: string) =>
  `{"symbol":"${symbol}","chain":"${chain}","name":"x","decimals":18,"type":"NATIVE","logoUrl":"x","enabled":true,` +
  '"hidden":false,"price":{"EUR":1},"currencyCode":"EUR","minPurchaseAmount":-1,"maxPurchaseAmount":-1,' +
  '"minPurchaseCryptoAmount":"-1","networkFee":0.1}';
const ASSETS = file(
  'assets.json',
  `{"assets":[${asset('ETH', 'ETH')},${asset('ETH', 'DAI')},${asset('BTC', 'BTC')}],"currencyCode":"EUR",` +
    '"minPurchaseAmount":6,"maxPurchaseAmount":15000,"minFeeAmount":2.49,"minFeePercent":0.99,"maxFeePercent":3.9}',
);

describe('tieout widget url', () => {
  it('prints the hosted URL and nothing else', async () => {
    expect(await widget(['url', CLEAN, '--base', 'https://widget.example/'])).toEqual({
      code: 0,
      out: `https://widget.example/?${QUERY}\n`,
      err: '',
    });
  });

  it('takes flags over the file, and the URL of another widget over the base', async () => {
    const sets = ['--set', 'hideExitButton=', '--set', 'url=https://test.example/w', '--set', 'variant=hosted'];
    const { code, out } = await widget(['url', CLEAN, ...sets, '--base', 'https://widget.example/']);
    expect(code).toBe(0);
    expect(out).toBe(`https://test.example/w?${QUERY.replace('hideExitButton=true', 'variant=hosted')}\n`);
  });

  it('writes chains out by an assets response', async () => {
    const argv = ['url', CLEAN, '--base', 'https://widget.example/', '--assets', ASSETS, '--expand'];
    expect((await widget(argv)).out).toContain('enabledCryptoAssets=ETH_ETH%2CETH_DAI%2CBTC_BTC&');
  });

  it('takes the key of the settings where the configuration has none', async () => {
    const argv = ['url', CLEAN, '--set', 'hostApiKey=', '--base', 'https://widget.example/'];
    const { code, out } = await widget(argv, { env: { TIEOUT_HOST_API_KEY: 'key-of-settings' } });
    expect([code, out.includes('hostApiKey=key-of-settings&')]).toEqual([0, true]);
  });

  it('with errors prints them instead, and exits with 2', async () => {
    const { code, out, err } = await widget([
      'url',
      CLEAN,
      '--set',
      'defaultFlow=SELL',
      '--base',
      'https://w.example/',
    ]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(
      'error VALUE_UNKNOWN defaultFlow: defaultFlow does not know this value. Allowed are ONRAMP, OFFRAMP.\n',
    );
  });

  it.each([
    [['url', CLEAN], 'tieout: there is no address of the widget; give --base URL, or the parameter url\n'],
    [['url'], 'tieout: no configuration given: name a file, - for standard input, a hosted URL, or --set name=value\n'],
    [['url', CLEAN, '--expand'], 'tieout: --expand needs --assets FILE\n'],
    [['url', '--set', 'inAsset'], 'tieout: --set inAsset: write it as name=value\n'],
    [['check', '/no/such/file'], 'tieout: /no/such/file: there is no such file\n'],
    [['check', CLEAN, '--assets', CLEAN], `tieout: --assets ${CLEAN}: the body cannot be read: `],
  ])('%j is a usage error', async (argv, message) => {
    const { code, out, err } = await widget(argv);
    expect([code, out]).toEqual([2, '']);
    expect(err.startsWith(message)).toBe(true);
  });
});

describe('tieout widget check', () => {
  it('is content with a clean configuration', async () => {
    expect(await widget(['check', CLEAN])).toEqual({ code: 0, out: 'No problems.\n', err: '' });
  });

  it('exits with 0 where there are warnings alone', async () => {
    const { code, out } = await widget(['check', CLEAN, '--set', 'inAsset=EUR', '--set', 'inAssetValue=50']);
    expect(code).toBe(0);
    expect(out.split('\n').slice(1)).toEqual([
      'warning   AMOUNT_LOOKS_MAJOR  inAssetValue  50     50 is in minor units and means 0.50 EUR; more was probably meant.',
      `${' '.repeat(51)}Write 5000, if 50 EUR is meant.`,
      '0 errors, 1 warning.',
      '',
    ]);
  });

  it('reads a URL from standard input, which is hosted, and never shows its key', async () => {
    const stdin = `https://widget.example/?${QUERY}&hostApiKey=public-key-2&variant=embedded-mobile\n`;
    const { code, out, err } = await widget(['check', '-', '--json'], { stdin });
    const { errors, warnings } = JSON.parse(out) as Record<
      'errors' | 'warnings',
      { code: string; parameter: string }[]
    >;
    expect(code).toBe(2);
    expect(errors.map((each) => `${each.code} ${each.parameter}`)).toEqual(['CONTAINER_NODE_MISSING containerNode']);
    expect(warnings.map((each) => `${each.code} ${each.parameter}`)).toEqual(['PARAMETER_REPEATED hostApiKey']);
    expect(out + err).not.toContain('public-key');
  });

  it('keeps every digit of a number in a file', async () => {
    const path = file('units.json', '{"outAsset":"ETH_ETH","outAssetValue":123456789012345678901}');
    const { out } = await widget(['url', path, '--json', ...required()]);
    expect(out).toContain('outAssetValue=123456789012345678901');
  });

  it('checks assets against a response', async () => {
    const { out } = await widget(['check', CLEAN, '--set', 'outAsset=ETH_DIA', '--assets', ASSETS, '--json']);
    expect((JSON.parse(out) as { warnings: { remedy: string }[] }).warnings[0]?.remedy).toBe(
      'Write ETH_DAI, if that is meant.',
    );
  });
});

function required(): string[] {
  const sets = ['hostLogoUrl=https://a.example/l.png', 'hostAppName=A', 'hostApiKey=k', 'url=https://w.example'];
  return sets.flatMap((set) => ['--set', set]);
}

describe('tieout widget migrate', () => {
  it('prints the new configuration on stdout, and its changes on stderr', async () => {
    const path = file('old.json', '{"hideExitButton":true,"fiatCurrency":"EUR","fiatValue":50.10,"swapAsset":"ETH_*"}');
    const { code, out, err } = await widget(['migrate', path]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      hideExitButton: true,
      enabledCryptoAssets: 'ETH_*',
      inAsset: 'EUR',
      inAssetValue: '5010',
    });
    expect(err).toBe(
      'moved swapAsset=ETH_* → enabledCryptoAssets=ETH_*: enabledCryptoAssets replaces it, for all flows\n' +
        'moved fiatCurrency=EUR → inAsset=EUR: for ONRAMP it is inAsset\n' +
        'converted fiatValue=50.10 → inAssetValue=5010: for ONRAMP it is inAssetValue, in minor units by ISO 4217\n',
    );
  });

  it('gives a URL for a URL', async () => {
    const { code, out } = await widget(['migrate', 'https://widget.example/?fiatCurrency=JPY&fiatValue=5000&x=1']);
    expect([code, out]).toEqual([0, 'https://widget.example/?inAsset=JPY&inAssetValue=5000&x=1\n']);
  });

  it('exits with 2 where something is left to decide', async () => {
    const { code, out } = await widget(['migrate', '--set', 'swapAmount=1.5', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ config: { swapAmount: '1.5' }, notes: [{ action: 'kept' }] });
  });
});

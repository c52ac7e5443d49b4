import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PARAMETERS, parameterOf } from '../../src/widget/parameters.ts';
import { WIDGET_PROBLEMS } from '../../src/widget/problems.ts';

// Spec §2.11, in its order.
const SPECIFIED: readonly [name: string, type: string, required: string][] = [
  ['hostLogoUrl', 'url', 'yes'],
  ['hostAppName', 'text', 'yes'],
  ['hostApiKey', 'key', 'yes'],
  ['enabledFlows', 'flow-list', 'no'],
  ['defaultFlow', 'flow', 'no'],
  ['userAddress', 'address', 'no'],
  ['userEmailAddress', 'email', 'no'],
  ['selectedCountryCode', 'country', 'no'],
  ['enabledCryptoAssets', 'asset-list', 'no'],
  ['inAsset', 'asset-or-currency', 'no'],
  ['outAsset', 'asset-or-currency', 'no'],
  ['inAssetValue', 'units', 'no'],
  ['outAssetValue', 'units', 'no'],
  ['url', 'url', 'no'],
  ['webhookStatusUrl', 'webhook-url', 'no'],
  ['offrampWebhookV3Url', 'webhook-url', 'no'],
  ['finalUrl', 'return-url', 'no'],
  ['successUrl', 'return-url', 'no'],
  ['failureUrl', 'return-url', 'no'],
  ['useSendCryptoCallback', 'boolean', 'no'],
  ['variant', 'variant', 'no'],
  ['paymentMethodType', 'payment-method', 'no'],
  ['containerNode', 'node', 'embedded'],
  ['hideExitButton', 'boolean', 'no'],
  ['swapAsset', 'asset-list', 'no'],
  ['offrampAsset', 'asset-list', 'no'],
  ['swapAmount', 'units', 'no'],
  ['fiatCurrency', 'currency', 'no'],
  ['fiatValue', 'major', 'no'],
  ['defaultAsset', 'asset', 'no'],
];

test('spec §2.11: every parameter is there, in order, with its type and requirement', () => {
  expect(PARAMETERS.map(({ name, type, required }) => [name, type, required])).toEqual(SPECIFIED);
});

test('spec §2.11: variants and payment methods', () => {
  expect(parameterOf('variant')?.values).toEqual([
    'auto',
    'hosted',
    'desktop',
    'mobile',
    'hosted-mobile',
    'webview-desktop',
    'webview-mobile',
    'embedded-mobile',
    'embedded-desktop',
  ]);
  expect([...(parameterOf('paymentMethodType')?.values ?? [])].sort()).toEqual([
    'APPLE_PAY',
    'AUTO_BANK_TRANSFER',
    'CARD_PAYMENT',
    'GOOGLE_PAY',
    'MANUAL_BANK_TRANSFER',
    'PIX',
  ]);
});

test.each(['toString', '__proto__', 'hostapikey', ''])('%j is no parameter', (name) => {
  expect(parameterOf(name)).toBeUndefined();
});

test('the page docs/reference/widget.md has a row for every parameter and for every problem', () => {
  const page = readFileSync(new URL('../../docs/reference/widget.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
  expect(rows).toEqual([...PARAMETERS.map(({ name }) => name), ...Object.keys(WIDGET_PROBLEMS)]);
  for (const [code, { severity, says }] of Object.entries(WIDGET_PROBLEMS)) {
    expect(page).toContain(`| \`${code}\` | ${severity} | ${says} |`);
  }
});

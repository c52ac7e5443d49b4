import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../src/service/webhook-signature.ts';
import { aReceiver } from '../sandbox/live/a-receiver.ts';
import { aBrowser, aFastSandbox, open, widgetUrl } from './support/widget.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await aBrowser();
});
afterAll(() => browser.close());

describe('buying (spec §2.11, §4.4)', () => {
  it('goes from the quote with its fees to the release, and webhooks announce creation and release', async () => {
    await using receiver = await aReceiver();
    await using sandbox = await aFastSandbox();
    const webhookStatusUrl = `${receiver.origin}/webhooks/purchases?userId=42`;
    const url = widgetUrl(sandbox, { inAsset: 'EUR', inAssetValue: '10000', outAsset: 'ETH_ETH', webhookStatusUrl });
    await using opened = await open(browser, url);
    const { page } = opened;
    await page.getByRole('radio', { name: /^Card/ }).check();
    expect(await page.getByLabel('Amount').inputValue()).toBe('100');
    await page.getByLabel('Your wallet address').fill('0x14701438d1e2A4BE2578158D26F027ea4e99dA6c');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Check and confirm' }).waitFor();
    const summary = await page.locator('#summary').innerText();
    expect(summary).toContain('100.00 EUR');
    expect(summary).toMatch(/Network fee\s+1\.41 EUR/);
    expect(summary).toMatch(/Fees together\s+\d\.\d\d EUR/);
    await page.getByRole('button', { name: /^Confirm: buy/ }).click();
    await page.getByRole('heading', { name: 'Your purchase' }).waitFor();
    await page.getByText('RELEASED').waitFor();
    const [record] = sandbox.live.records();
    expect(await page.locator('#facts').innerText()).toContain(record?.id);
    await receiver.count(2);
    expect(receiver.received.map(({ body }) => body.type).sort()).toEqual(['CREATED', 'RELEASED']);
    for (const { url: called, text, headers } of receiver.received) {
      expect(called).toBe('/webhooks/purchases?userId=42');
      expect(verifyWebhook(text, String(headers['x-body-signature']), [sandbox.webhookPublicKey])).toBe(true);
      expect(JSON.parse(text)).toMatchObject({
        purchase: {
          id: record?.id,
          fiatValue: 100,
          receiverAddress: '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c',
          paymentMethodType: 'CARD_PAYMENT',
        },
      });
    }
    expect(opened.complaints).toEqual([]);
  });

  it('begins with the country of the last order for a returning user', async () => {
    await using sandbox = await aFastSandbox();
    const url = widgetUrl(sandbox, { inAsset: 'EUR', inAssetValue: '5000' });
    await using opened = await open(browser, `${url}&selectedCountryCode=fr`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Use a test address' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: /^Confirm/ }).click();
    await page.getByRole('heading', { name: 'Your purchase' }).waitFor();
    await page.goto(url);
    await page.getByRole('radio', { name: /^Card/ }).waitFor();
    expect(await page.locator('#country').inputValue()).toBe('fr');
    expect(opened.complaints).toEqual([]);
  });

  it('recalculates a preset amount into the currency that is chosen instead, and leaves a typed one', async () => {
    await using sandbox = await aFastSandbox();
    await using opened = await open(browser, widgetUrl(sandbox, { fiatCurrency: 'EUR', fiatValue: '50' }));
    const { page } = opened;
    const amount = page.getByLabel('Amount');
    await page.getByRole('radio', { name: /^Card/ }).waitFor();
    await page.locator('#currency').selectOption('JPY');
    await expect.poll(() => amount.inputValue()).toMatch(/^\d{4}$/);
    await amount.fill('7000');
    await page.locator('#currency').selectOption('EUR');
    await page.getByRole('radio', { name: /^Card/ }).waitFor();
    expect(await amount.inputValue()).toBe('7000');
    expect(opened.complaints).toEqual([]);
  });

  it('takes the user to finalUrl afterwards, an own query and all', async () => {
    await using sandbox = await aFastSandbox();
    const finalUrl = `${sandbox.origin}/sandbox/stats?from=widget&x=%23`;
    await using opened = await open(browser, widgetUrl(sandbox, { inAssetValue: '5000', inAsset: 'EUR', finalUrl }));
    const { page } = opened;
    await page.getByRole('button', { name: 'Use a test address' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: /^Confirm/ }).click();
    await page.getByText('Taking you back to Example app…').waitFor();
    await page.waitForURL(finalUrl);
  });

  it.each([
    ['goes through', 'https://app.example/ok'],
    ['the payment fails', 'https://app.example/sorry'],
  ])('offers the way back in a new tab when it %s', async (outcome, target) => {
    await using sandbox = await aFastSandbox();
    const returns = { successUrl: 'https://app.example/ok', failureUrl: 'https://app.example/sorry' };
    await using opened = await open(browser, widgetUrl(sandbox, { inAsset: 'EUR', inAssetValue: '5000', ...returns }));
    const { page } = opened;
    await page.getByText('Sandbox', { exact: true }).last().click();
    await page.getByLabel('This transaction').selectOption({ label: outcome });
    await page.getByRole('button', { name: 'Use a test address' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: /^Confirm/ }).click();
    const back = page.getByRole('link', { name: 'Back to Example app' });
    await back.waitFor();
    expect([await back.getAttribute('href'), await back.getAttribute('target')]).toEqual([target, '_blank']);
    await page.getByRole('button', { name: 'Make another transaction' }).click();
    await page.getByRole('heading', { name: 'Buy crypto' }).waitFor();
  });
});

describe('selling', () => {
  it('takes an amount of crypto, and pays out', async () => {
    await using receiver = await aReceiver();
    await using sandbox = await aFastSandbox();
    const url = widgetUrl(sandbox, {
      enabledFlows: 'ONRAMP,OFFRAMP',
      enabledCryptoAssets: 'ETH_ETH,BTC_BTC',
      offrampWebhookV3Url: `${receiver.origin}/webhooks/sales`,
    });
    await using opened = await open(browser, url);
    const { page } = opened;
    await page.getByRole('radio', { name: 'Sell' }).check();
    await page.getByRole('heading', { name: 'Sell crypto' }).waitFor();
    await page.getByLabel('In', { exact: true }).selectOption({ label: 'ETH' });
    await page.getByLabel('Amount').fill('0,05');
    await page.getByRole('radio', { name: /^SEPA/ }).check();
    await page.getByRole('button', { name: 'Use a test address' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Check and confirm' }).waitFor();
    expect(await page.locator('#summary').innerText()).toMatch(/You pay\s+0\.05 ETH/);
    await page.getByRole('button', { name: /^Confirm: sell/ }).click();
    await page.getByRole('heading', { name: 'Your sale' }).waitFor();
    await page.getByText('Your money was paid out').first().waitFor();
    await receiver.count(2);
    expect(receiver.received.map(({ body }) => body.type).sort()).toEqual(['CREATED', 'RELEASED']);
    expect(JSON.parse(receiver.received[0]?.text ?? '')).toMatchObject({
      mode: 'OFFRAMP',
      payload: { crypto: { amount: '50000000000000000' }, fiat: { payoutMethod: 'SEPA' } },
    });
    expect(opened.complaints).toEqual([]);
  });
});

describe('a price that has changed', () => {
  it('is shown anew and must be confirmed again', async () => {
    await using sandbox = await aFastSandbox({ prices: 'moving' });
    await using opened = await open(browser, widgetUrl(sandbox, { inAsset: 'EUR', inAssetValue: '5000' }));
    const { page } = opened;
    await page.getByRole('button', { name: 'Use a test address' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Check and confirm' }).waitFor();
    sandbox.advanceClock(3_600_000);
    await page.getByRole('button', { name: /^Confirm/ }).click();
    await page.getByText('The price has just changed.').waitFor();
    expect(sandbox.live.records()).toEqual([]);
    await page.getByRole('button', { name: /^Confirm/ }).click();
    await page.getByRole('heading', { name: 'Your purchase' }).waitFor();
  });
});

describe('what cannot be ordered', () => {
  it('says so beside the field', async () => {
    await using sandbox = await aFastSandbox();
    await using opened = await open(browser, widgetUrl(sandbox, { inAsset: 'EUR', outAsset: 'ETH_ETH' }));
    const { page } = opened;
    await page.getByLabel('Amount').fill('5');
    await page.locator('#amount-problem', { hasText: 'The least is 6.00 EUR.' }).waitFor();
    await page.getByLabel('Amount').fill('0.5');
    await page.locator('#amount-problem', { hasText: 'The fees would use this amount up.' }).waitFor();
    await page.getByLabel('Amount').fill('a lot');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('#amount-problem', { hasText: 'Type an amount of EUR, such as 50.' }).waitFor();
    expect(await page.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('amount');
  });

  it('cannot start without its parameters, and offers an example', async () => {
    await using sandbox = await aFastSandbox();
    await using opened = await open(browser, `${sandbox.origin}/`);
    const { page } = opened;
    await page.getByRole('alert').getByText('hostApiKey is required').waitFor();
    await page.getByRole('link', { name: 'Open it with example parameters' }).click();
    await page.getByRole('heading', { name: 'Buy crypto' }).waitFor();
    await page.getByRole('radio', { name: /^Card/ }).waitFor();
  });
});

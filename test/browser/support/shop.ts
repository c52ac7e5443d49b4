/** A user who buys and sells in the widget: what people do by hand with it. */
import type { Browser } from 'playwright-core';
import type { OrderPlace } from '../../e2e/support/circle.ts';
import { open, widgetUrl } from './widget.ts';

/** Two purchases and a sale; answers how many. Fails where the page complains. */
export async function orderInBrowser(browser: Browser, place: OrderPlace): Promise<number> {
  await buy(browser, place, { asset: 'ETH_ETH', minor: '10000', method: /^Card/ });
  await buy(browser, place, { asset: 'BTC_BTC', minor: '25000', method: /^SEPA|^Bank/ });
  await sell(browser, place, '0,05');
  return 3;
}

async function buy(
  browser: Browser,
  { sandbox, purchasesWebhook }: OrderPlace,
  { asset, minor, method }: { asset: string; minor: string; method: RegExp },
): Promise<void> {
  const preset = { inAsset: 'EUR', inAssetValue: minor, outAsset: asset, webhookStatusUrl: purchasesWebhook };
  await using opened = await open(browser, widgetUrl(sandbox, preset));
  const { page } = opened;
  await page.getByRole('radio', { name: method }).first().check();
  await page.getByRole('button', { name: 'Use a test address' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /^Confirm: buy/ }).click();
  await page.getByRole('heading', { name: 'Your purchase' }).waitFor();
  await page.getByText('RELEASED').waitFor();
  noComplaints(opened.complaints);
}

async function sell(browser: Browser, { sandbox, salesWebhook }: OrderPlace, amount: string): Promise<void> {
  const preset = { enabledFlows: 'ONRAMP,OFFRAMP', enabledCryptoAssets: 'ETH_ETH', offrampWebhookV3Url: salesWebhook };
  await using opened = await open(browser, widgetUrl(sandbox, preset));
  const { page } = opened;
  await page.getByRole('radio', { name: 'Sell' }).check();
  await page.getByRole('heading', { name: 'Sell crypto' }).waitFor();
  await page.getByLabel('In', { exact: true }).selectOption({ label: 'ETH' });
  await page.getByLabel('Amount').fill(amount);
  await page.getByRole('radio', { name: /^SEPA/ }).check();
  await page.getByRole('button', { name: 'Use a test address' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /^Confirm: sell/ }).click();
  await page.getByRole('heading', { name: 'Your sale' }).waitFor();
  await page.getByText('Your money was paid out').first().waitFor();
  noComplaints(opened.complaints);
}

function noComplaints(complaints: readonly string[]): void {
  if (complaints.length > 0) throw new Error(`the page complained: ${complaints.join('; ')}`);
}

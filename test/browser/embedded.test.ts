import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aBrowser, aFastSandbox, anEmbeddingApp, open, widgetUrl } from './support/widget.ts';

interface Told {
  type: string;
  payload: Record<string, unknown> | null;
  widgetInstanceId: string;
  origin: string;
}

let browser: Browser;
beforeAll(async () => {
  browser = await aBrowser();
});
afterAll(() => browser.close());

const toldTo = (page: Page) => page.evaluate<Told[]>('window.told');

async function heard(page: Page, type: string): Promise<Told> {
  await page.waitForFunction(`window.told.some((event) => event.type === ${JSON.stringify(type)})`);
  const event = (await toldTo(page)).find((each) => each.type === type);
  if (event === undefined) throw new Error(`${type} was heard and lost`);
  return event;
}

describe('SDK events of an embedded widget (spec §6, field facts "Webhooks")', () => {
  it('notifies the app of a purchase, with the token that reads it', async () => {
    await using sandbox = await aFastSandbox();
    const parameters = { variant: 'embedded-mobile', widgetInstanceId: 'w-1', inAsset: 'EUR', inAssetValue: '5000' };
    const finalUrl = `${sandbox.origin}/sandbox/stats`;
    await using app = await anEmbeddingApp(widgetUrl(sandbox, { ...parameters, finalUrl }));
    await using opened = await open(browser, app.url);
    const { page } = opened;
    const widget = page.frameLocator('iframe');
    expect(await heard(page, 'WIDGET_CONFIG_DONE')).toMatchObject({
      widgetInstanceId: 'w-1',
      origin: sandbox.origin,
      payload: null,
    });
    await widget.getByRole('button', { name: 'Use a test address' }).click();
    await widget.getByRole('button', { name: 'Continue' }).click();
    await widget.getByRole('button', { name: /^Confirm/ }).click();
    const { payload, widgetInstanceId } = await heard(page, 'PURCHASE_CREATED');
    expect(widgetInstanceId).toBe('w-1');
    expect(Object.keys(payload ?? {})).toEqual(['purchase', 'purchaseViewToken', 'apiUrl']);
    const [record] = sandbox.live.records();
    expect(payload).toMatchObject({
      purchase: { id: record?.id, status: 'INITIALIZED' },
      purchaseViewToken: record?.view_token,
      apiUrl: sandbox.url,
    });
    await widget.getByText('RELEASED').waitFor();
    // finalUrl is for hosted integration: the frame stays where it is.
    expect(await widget.getByText('Taking you back').count()).toBe(0);
    await widget.getByRole('button', { name: 'Close' }).click();
    await heard(page, 'WIDGET_CLOSE');
    expect((await toldTo(page)).map(({ type }) => type)).toEqual([
      'WIDGET_CONFIG_DONE',
      'PURCHASE_CREATED',
      'WIDGET_CLOSE',
    ]);
  });

  it('notifies the app of a sale, and asks it to send the crypto', async () => {
    await using sandbox = await aFastSandbox({ speed: 1 });
    const parameters = {
      variant: 'embedded-desktop',
      defaultFlow: 'OFFRAMP',
      enabledFlows: 'OFFRAMP',
      inAsset: 'ETH_ETH',
      inAssetValue: '50000000000000000',
      useSendCryptoCallback: 'true',
    };
    await using app = await anEmbeddingApp(widgetUrl(sandbox, parameters));
    await using opened = await open(browser, app.url);
    const { page } = opened;
    const widget = page.frameLocator('iframe');
    await widget.getByRole('button', { name: 'Use a test address' }).click();
    await widget.getByRole('button', { name: 'Continue' }).click();
    await widget.getByRole('button', { name: /^Confirm/ }).click();
    const created = await heard(page, 'OFFRAMP_SALE_CREATED');
    const [record] = sandbox.live.records();
    expect(created.payload).toMatchObject({
      sale: { id: record?.id },
      saleViewToken: record?.view_token,
      apiUrl: sandbox.url,
    });
    await widget.getByRole('button', { name: 'Send with your wallet' }).click();
    const send = await heard(page, 'SEND_CRYPTO');
    expect(send.payload).toMatchObject({ amount: '50000000000000000', assetInfo: { symbol: 'ETH', chain: 'ETH' } });
    expect(send.payload?.address).toMatch(/^0x[0-9a-f]{40}$/);
    expect(send.widgetInstanceId).toBe(created.widgetInstanceId);
  });

  it('notifies the app that it cannot start, with the reason', async () => {
    await using sandbox = await aFastSandbox();
    await using app = await anEmbeddingApp(widgetUrl(sandbox, { hostApiKey: 'nobody' }));
    await using opened = await open(browser, app.url);
    expect((await heard(opened.page, 'WIDGET_CONFIG_FAILED')).payload).toEqual({
      problems: ['hostApiKey is not known'],
    });
  });

  it('has no button to close it where the app has its own', async () => {
    await using sandbox = await aFastSandbox();
    await using opened = await open(browser, widgetUrl(sandbox, { hideExitButton: 'true' }));
    await opened.page.getByRole('heading', { name: 'Buy crypto' }).waitFor();
    expect(await opened.page.getByRole('button', { name: 'Close' }).count()).toBe(0);
  });
});

/** Both pages in a real browser: drawn from the document, tried out, and with nothing loaded from elsewhere. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aReceiver } from '../intake/webhooks/a-receiver.ts';
import { aBrowser, aFastSandbox, open } from './support/widget.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await aBrowser();
});
afterAll(() => browser.close());

/** Where the page's requests went. */
function requestedOrigins(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))]",
  );
}

it('the sandbox: every endpoint by version, its webhooks, and an answer to a question that was asked there', async () => {
  await using sandbox = await aFastSandbox();
  await using opened = await open(browser, `${sandbox.origin}/docs`, { viewport: { width: 1200, height: 900 } });
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: 'On-ramp and off-ramp Service (sandbox)' }).waitFor();
  expect(await page.title()).toBe('On-ramp and off-ramp Service (sandbox)');
  for (const path of ['/api/host-api/v3/onramp/quote/all', '/api/host-api/v2/assets', '/sandbox/clock']) {
    expect(await page.locator(`[data-path="${path}"]`).count()).toBe(1);
  }
  expect(await page.locator('.opblock').count()).toBe(44);
  await page
    .locator('#operations-v3-getCurrencies')
    .getByRole('button', { name: /Fiat currencies/ })
    .click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByPlaceholder('countryCode').fill('de');
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  expect(await page.locator('.live-responses-table').innerText()).toContain('"onrampAvailable": true');
  expect(await requestedOrigins(page)).toEqual([sandbox.origin]);
  expect(complaints).toEqual([]);
});

it('the receiver: its doors, what opens them, and the health of the one that shows it', async () => {
  const receiver = await aReceiver();
  try {
    await using opened = await open(browser, `${receiver.serving.url}/docs/`);
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Tieout receiver' }).waitFor();
    expect(await page.locator('.opblock').count()).toBe(9);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('heading', { name: /intakeToken/ }).waitFor();
    expect(await requestedOrigins(page)).toEqual([receiver.serving.url]);
    expect(complaints).toEqual([]);
  } finally {
    await receiver.close();
  }
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aBrowser, aFastSandbox, open, widgetUrl } from './support/widget.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await aBrowser();
});
afterAll(() => browser.close());

const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.id || document.activeElement.name || document.activeElement.tagName');

describe('by keyboard alone', () => {
  it('walks the form in the order it is read, buys, and never loses its place', async () => {
    await using sandbox = await aFastSandbox({ speed: 1 });
    await using opened = await open(
      browser,
      widgetUrl(sandbox, { enabledFlows: 'ONRAMP,OFFRAMP', inAsset: 'EUR', inAssetValue: '5000' }),
    );
    const { page } = opened;
    await page.getByRole('radio', { name: /^Card/ }).waitFor();
    const order: string[] = [];
    for (let i = 0; i < 13; i++) {
      await page.keyboard.press('Tab');
      order.push(await focused(page));
    }
    expect(order).toEqual([
      'exit',
      'direction',
      'asset',
      'amount',
      'unit',
      'currency',
      'country',
      'method',
      'address',
      'fill',
      'email',
      'SUMMARY',
      'review-button',
    ]);
    for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe('method');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: /^Instant bank transfer/ }).isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    expect(await page.getByLabel('Your wallet address').inputValue()).toMatch(/^(0x|bc1q)/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Check and confirm' }).waitFor();
    expect(await focused(page)).toBe('review-title');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('confirm');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your purchase' }).waitFor();
    expect(await focused(page)).toBe('status-title');
  });
});

describe('for who cannot see it', () => {
  it('names every control', async () => {
    await using sandbox = await aFastSandbox();
    await using opened = await open(
      browser,
      widgetUrl(sandbox, { enabledFlows: 'ONRAMP,OFFRAMP', inAsset: 'EUR', inAssetValue: '5000' }),
    );
    await opened.page.getByRole('radio', { name: /^Card/ }).waitFor();
    const nameless = await opened.page.evaluate<
      string[]
    >(`[...document.querySelectorAll('input, select, button, a[href]')]
      .filter((control) => (control.labels?.[0] ?? control).textContent.trim() === '')
      .map((control) => control.outerHTML)`);
    expect(nameless).toEqual([]);
    expect(await opened.page.getByRole('group', { name: 'Pay with' }).count()).toBe(1);
    expect(await opened.page.evaluate<string>('document.documentElement.lang')).toBe('en');
  });

  it('announces prices and progress through a live region', async () => {
    await using sandbox = await aFastSandbox({ speed: 1 });
    await using opened = await open(browser, widgetUrl(sandbox, { inAsset: 'EUR', inAssetValue: '5000' }));
    const { page } = opened;
    const live = page.getByRole('status');
    await live.getByText(/you pay 50\.00 EUR, fee \d\.\d\d EUR included, and get/).waitFor();
    await page.getByRole('button', { name: 'Use a test address' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: /^Confirm/ }).click();
    await live.getByText('Waiting for your payment.').waitFor();
    sandbox.advanceClock(15_000);
    await live.getByText('Payment started.').waitFor();
    expect(await page.locator('[aria-current=step]').innerText()).toBe('Payment started');
  });
});

describe('on screens of all sizes', () => {
  it.each([
    [320, 'light'],
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits %i px, and can be read when it is %s', async (width, colorScheme) => {
    await using sandbox = await aFastSandbox();
    const url = widgetUrl(sandbox, { enabledFlows: 'ONRAMP,OFFRAMP', inAsset: 'EUR', inAssetValue: '5000' });
    await using opened = await open(browser, url, { viewport: { width, height: 844 }, colorScheme });
    const { page } = opened;
    await page.getByRole('radio', { name: /^Card/ }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const small = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('button, select, input:not([type=radio]), .method')]
      .filter((control) => control.offsetParent !== null && control.getBoundingClientRect().height < 44)
      .map((control) => control.id)`);
    expect(small).toEqual([]);
    // WCAG AA: 4.5 to 1 for text.
    for (const selector of ['#order-title', '.note', '.price', '#review-button', '#fill']) {
      expect(await contrast(page, selector), selector).toBeGreaterThanOrEqual(4.5);
    }
  });
});

/** Contrast of an element's text with the nearest background that is not transparent. */
function contrast(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    let behind = element;
    while (rgb(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map((c) => light(rgb(c)));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  })()`);
}

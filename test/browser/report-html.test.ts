/** The page as a browser has it: what it asks for, how wide it is, and whether it is accessible. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIEWS } from '../../reports/html/index.ts';
import { pageDocument } from '../../src/publish/html/document.ts';
import { loadDraw } from '../../src/publish/html/draw.ts';
import { writeTables } from '../publish/support/a-table.ts';
import { CHROMIUM_FLAGS } from './support/chromium.ts';

let browser: Browser;
let folder: string;
let file: string;

const METHODS = ['CARD_PAYMENT', 'MANUAL_BANK_TRANSFER', 'APPLE_PAY'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-page-'));
  const of = (payment_method: string) => ({ kind: 'purchase', payment_method, fiat_currency: 'EUR' });
  const tables = writeTables({
    folder,
    rows: {
      totals: METHODS.map((method) => ({ ...of(method), record_count: '9', matched_count: '8', break_count: '1' })),
      fees: METHODS.flatMap((method) => [
        { ...of(method), quoted_applied_fee: '4.76', applied_fee_variance: '1.50', within_tolerance: 'false' },
        { ...of(method), actual_fee_percent: '2.5', min_fee_percent: '0.99', max_fee_percent: '3.9' },
      ]),
      ageing: Array.from({ length: 24 }, (_, i) => ({
        ...{ rule: `RULE_${i}`, severity: 'high', open_count: '1', days_0_1: '1' },
      })),
      breaks: [
        {
          rule: 'FEE_APPLIED_DIFFERS',
          severity: 'high',
          state: 'open',
          record_id: 'x'.repeat(36),
          explanation: 'Much. '.repeat(40),
        },
      ],
      coverage: [{ kind: 'purchase', record_id: 'y', outcome: 'unreachable', reason: 'timeout' }],
      host_revenue: [{ ...of('CARD_PAYMENT'), business_month: '2026-11', record_count: '9', fiat_value_total: '900' }],
    },
  });
  file = join(folder, 'report.html');
  const pieces: Uint8Array[] = [];
  const draw = await loadDraw();
  for await (const piece of pageDocument({ views: VIEWS, draw, history: null, actions: new Map() }).pieces(tables))
    pieces.push(piece);
  writeFileSync(file, Buffer.concat(pieces));
  browser = await chromium.launch({
    executablePath: process.env.TIEOUT_CHROMIUM,
    args: [...CHROMIUM_FLAGS],
  });
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Shown {
  width?: number;
  colorScheme?: 'light' | 'dark';
  media?: 'print' | 'screen';
}

/** Opens the page, passes it to the test, and returns its console errors and its requests. */
async function opened(
  { width = 1280, colorScheme = 'light', media = 'screen' }: Shown,
  look: (page: Page) => Promise<void>,
) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  try {
    await page.emulateMedia({ media });
    await page.goto(pathToFileURL(file).href);
    await look(page);
  } finally {
    await page.close();
  }
  return { complaints, requests };
}

const SHOWN: Shown[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
];

describe.each(SHOWN)('at $width pixels, $colorScheme', (shown) => {
  it('asks for nothing but itself, and complains of nothing', async () => {
    const { complaints, requests } = await opened(shown, async () => undefined);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([pathToFileURL(file).href]);
  });

  it('is as wide as the screen, and no wider', async () => {
    await opened(shown, async (page) => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(shown.width);
    });
  });

  it('draws every chart in one size, none of it outside its frame', async () => {
    await opened(shown, async (page) => {
      const charts = (await page.evaluate(`[...document.querySelectorAll('.chart')]
        .filter((chart) => chart.offsetParent !== null)
        .map((chart) => {
          const frame = chart.querySelector('svg').getBoundingClientRect();
          const texts = [...chart.querySelectorAll('text')].map((text) => text.getBoundingClientRect());
          return {
            wide: frame.width,
            // Two pixels for the letters' own overhang.
            outside: texts.filter((text) => text.left < frame.left - 2 || text.right > frame.right + 2).length,
          };
        })`)) as { wide: number; outside: number }[];
      expect(charts.length).toBeGreaterThanOrEqual(5);
      for (const chart of charts) expect(chart).toEqual({ wide: expect.any(Number), outside: 0 });
      expect(Math.max(...charts.map(({ wide }) => wide))).toBeLessThan(shown.width ?? 0);
    });
  });

  it('can be read: every text has a contrast of 4.5 to 1 with its background', async () => {
    await opened(shown, async (page) => {
      expect(await page.evaluate(FAINT_TEXTS)).toEqual([]);
    });
  });
});

it('shows the work list whole at 1400 pixels, and every row of a table of rules', async () => {
  await opened({ width: 1400 }, async (page) => {
    const hidden = await page.evaluate(`[...document.querySelectorAll('#breaks .scroll')]
      .filter((frame) => frame.scrollWidth > frame.clientWidth || frame.scrollHeight > frame.clientHeight + 1)
      .map((frame) => frame.getAttribute('aria-label'))`);
    expect(hidden).toEqual([]);
  });
});

describe('for a screen reader', () => {
  it('has one first heading, no skipped level, and a caption and headers in every table', async () => {
    await opened({}, async (page) => {
      const levels = (await page.evaluate(
        `[...document.querySelectorAll('h1,h2,h3,h4')].map((heading) => Number(heading.tagName[1]))`,
      )) as number[];
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels.every((level, i) => i === 0 || level <= (levels[i - 1] ?? 0) + 1)).toBe(true);
      const tables = await page.evaluate(`[...document.querySelectorAll('table')].map((table) =>
        table.caption?.textContent !== '' && table.querySelectorAll('thead th[scope=col]').length > 0)`);
      expect(tables).not.toContain(false);
    });
  });

  it('names every chart and says where its figures are; the drawing itself is silent', async () => {
    await opened({}, async (page) => {
      const named = (await page.evaluate(`[...document.querySelectorAll('.chart')].map((chart) =>
        [chart.getAttribute('role'), chart.getAttribute('aria-label'), chart.querySelector('svg').getAttribute('aria-hidden')])`)) as string[][];
      for (const [role, label, hidden] of named) {
        expect([role, hidden]).toEqual(['img', 'true']);
        expect(label).toMatch(/^Chart: .+\. The table that follows has its figures\.$/);
      }
    });
  });

  it('has no two elements of one id, and nothing that points at a missing one', async () => {
    await opened({}, async (page) => {
      const ids = (await page.evaluate(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`)) as string[];
      expect(new Set(ids).size).toBe(ids.length);
      const targets = (await page.evaluate(`[...document.querySelectorAll('a[href^="#"],[aria-labelledby]')]
        .map((each) => each.getAttribute('aria-labelledby') ?? each.getAttribute('href').slice(1))`)) as string[];
      expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
    });
  });
});

describe('in print', () => {
  it('shows every row of long tables, and light colours even in dark mode', async () => {
    await opened({ colorScheme: 'dark', media: 'print' }, async (page) => {
      const cut = await page.evaluate(`[...document.querySelectorAll('.scroll')]
        .filter((frame) => getComputedStyle(frame).overflowY !== 'visible').length`);
      expect(cut).toBe(0);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
      const pdf = await page.pdf({ preferCSSPageSize: true });
      expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(4);
      // Half a page is the column: no table reaches into the other one.
      await page.setViewportSize({ width: 1054, height: 700 });
      const wide = await page.evaluate(`[...document.querySelectorAll('main figure table')]
        .filter((table) => table.offsetWidth > table.closest('figure').offsetWidth + 1).length`);
      expect(wide).toBe(0);
    });
  });
});

/** Runs in the page: texts whose contrast (WCAG 2) with the nearest background is below 4.5, with their colours. */
const FAINT_TEXTS = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = channels(color).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (channels(color)[3] !== 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const texts = [...document.querySelectorAll('body *')].filter((element) =>
    element.getClientRects().length > 0 &&
    !element.closest('.skip, .spoken') &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ''));
  const faint = texts.flatMap((element) => {
    const style = getComputedStyle(element);
    const color = element instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(color), light(behind(element))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05) < 4.5 ? [element.textContent.trim().slice(0, 30) + ' ' + color] : [];
  });
  return [...new Set(faint)];
})()`;

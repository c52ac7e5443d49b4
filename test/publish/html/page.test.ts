import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VIEWS } from '../../../reports/html/index.ts';
import { Decimal } from '../../../src/domain/decimal.ts';
import { exitCodeOf } from '../../../src/domain/errors.ts';
import { NO_STAKE, type StakeFigures } from '../../../src/domain/stake-tally.ts';
import { pageDocument } from '../../../src/publish/html/document.ts';
import { loadDraw } from '../../../src/publish/html/draw.ts';
import { loadDocuments, tableFormats } from '../../../src/publish/load-documents.ts';
import { type ManifestFacts, manifestText } from '../../../src/publish/manifest.ts';
import { facts } from '../support/a-set.ts';
import { type TablesOptions, writeTables } from '../support/a-table.ts';
import { tempFolders } from '../support/temp-folder.ts';

const tempFolder = tempFolders();

const ACTIONS = new Map([['FEE_APPLIED_DIFFERS', 'Claim the difference.']]);

async function pageOf(options: Omit<TablesOptions, 'folder'> = {}, history: string | null = null): Promise<string> {
  const tables = writeTables({ folder: tempFolder(), ...options });
  const pieces: Uint8Array[] = [];
  for await (const piece of pageDocument({ views: VIEWS, draw: await loadDraw(), history, actions: ACTIONS }).pieces(
    tables,
  )) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The texts of a table's rows, found by its caption. */
function rowsOf(page: string, caption: string): string[][] {
  const table = page.split('<table>').find((part) => part.includes(`<caption><span>${caption}`)) ?? '';
  const body = table.slice(table.indexOf('<tbody>'), table.indexOf('</tbody>'));
  return body
    .split('<tr>')
    .slice(1)
    .map((row) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '').trim()),
    );
}

const fee = (cells: Record<string, string>) => ({
  kind: 'purchase',
  payment_method: 'CARD_PAYMENT',
  fiat_currency: 'EUR',
  ...cells,
});

describe('fees against quotes', () => {
  const FEES = [
    fee({ quoted_applied_fee: '10', applied_fee_variance: '0' }),
    fee({ quoted_applied_fee: '10', applied_fee_variance: '0.01' }),
    fee({ quoted_applied_fee: '4.76', applied_fee_variance: '1.50', within_tolerance: 'false' }),
    fee({ quoted_applied_fee: '10', applied_fee_variance: '-0.3', within_tolerance: 'false' }),
    fee({ quoted_applied_fee: '', applied_fee_variance: '' }),
  ];

  it('are sorted into classes of percent, the edges nearer to zero', async () => {
    const rows = rowsOf(await pageOf({ rows: { fees: FEES } }), 'Records by variance');
    expect(rows.map(([title, records]) => `${title}: ${records}`)).toEqual([
      'below −10 %: 0',
      '−10 to −5 %: 0',
      '−5 to −1 %: 1',
      '−1 to −0.1 %: 0',
      'within ±0.1 %: 2',
      '0.1 to 1 %: 0',
      '1 to 5 %: 0',
      '5 to 10 %: 0',
      'above 10 %: 1',
    ]);
  });

  it('are added up per currency, over and under apart', async () => {
    const yen = fee({ fiat_currency: 'JPY', quoted_applied_fee: '150', applied_fee_variance: '3' });
    const rows = rowsOf(await pageOf({ rows: { fees: [...FEES, yen] } }), 'Fees quoted and the variances');
    expect(rows).toEqual([
      ['EUR', '4', '2', '34.76 EUR', '1.51 EUR', '−0.30 EUR', '1.21 EUR', '3.481 %'],
      ['JPY', '1', '0', '150 JPY', '3 JPY', '0 JPY', '3 JPY', '2.000 %'],
    ]);
  });

  it('keep every digit of an amount in the page', async () => {
    const page = await pageOf({
      rows: { fees: [fee({ quoted_applied_fee: '21.03751234567890123', applied_fee_variance: '0' })] },
    });
    expect(page).toContain('<data value="21.03751234567890123" title="exactly 21.03751234567890123 EUR">21.04</data>');
  });

  it('say so where there is nothing to compare', async () => {
    expect(await pageOf()).toContain('No record has a quote with a fee to compare with.');
  });
});

describe('the effective fee', () => {
  const banded = (cells: Record<string, string>) =>
    fee({ min_fee_percent: '0.99', max_fee_percent: '3.9', min_fee_amount: '2.49', ...cells });

  it('lies below, within or above the published band, small purchases apart', async () => {
    const rows = rowsOf(
      await pageOf({
        rows: {
          fees: [
            banded({ actual_fee_percent: '0.5', actual_applied_fee: '5', actual_network_fee: '0' }),
            banded({ actual_fee_percent: '3.9', actual_applied_fee: '39', actual_network_fee: '0' }),
            // A hair above, as binary floating point leaves it.
            banded({ actual_fee_percent: '3.9000000000000004', actual_applied_fee: '39', actual_network_fee: '0' }),
            banded({ actual_fee_percent: '24.9', actual_applied_fee: '3.49', actual_network_fee: '1' }),
            banded({ actual_fee_percent: '6', actual_applied_fee: '12.22', actual_network_fee: '0' }),
            fee({ kind: 'sale', payment_method: 'SEPA', actual_fee_percent: '1' }),
          ],
        },
      }),
      'Effective fee in percent',
    );
    expect(rows).toEqual([
      ['CARD_PAYMENT, purchase', '5', '3.90 %', '0.50 – 6.00 %', '0.99 – 3.9 %', '1', '2', '1', '1', '24.90 %'],
      ['SEPA, sale', '1', '1.00 %', '1.00 – 1.00 %', '– unknown', '0', '0', '0', '0', '– unknown'],
    ]);
  });
});

describe('breaks', () => {
  const open = (cells: Record<string, string>) => ({ state: 'open', age_days: '1', kind: 'purchase', ...cells });

  it('come by severity, money and age; those that need no action are left out', async () => {
    const page = await pageOf({
      rows: {
        breaks: [
          open({ rule: 'QUOTE_MISSING', severity: 'low', record_id: 'a', age_days: '90' }),
          open({
            rule: 'FEE_APPLIED_DIFFERS',
            severity: 'high',
            record_id: 'b',
            break_id: 'f'.repeat(64),
            host_reference: 'order 7',
            money_at_stake: '13.730032178217823',
            record_currency: 'EUR',
            explanation: 'Too much.',
          }),
          open({ rule: 'RESTATED', severity: 'high', record_id: 'c', age_days: '9', state: 'reopened' }),
          open({ severity: 'high', record_id: 'more', money_at_stake: '-13.74', record_currency: 'EUR' }),
          open({ severity: 'high', record_id: 'yen', money_at_stake: '500', record_currency: 'JPY', age_days: '50' }),
          open({ rule: 'RESTATED', severity: 'high', record_id: 'old', age_days: '10' }),
          open({ rule: 'RECORD_MISSING', severity: 'critical', record_id: 'd', state: 'waived' }),
          open({ rule: 'STATUS_STUCK', severity: 'medium', record_id: 'e', state: 'resolved' }),
        ],
      },
    });
    const rows = rowsOf(page, 'Open breaks by severity');
    expect(rows.map((row) => row.at(-1)?.replace('purchase ', ''))).toEqual(['more', 'b', 'yen', 'old', 'c', 'a']);
    expect(rows[1]).toEqual([
      'f'.repeat(12),
      'order 7',
      '13.73 EUR',
      '1',
      'high',
      'FEE_APPLIED_DIFFERS: Too much.',
      'Claim the difference.',
      'not assigned',
      'purchase b',
    ]);
  });

  it('are counted by rule and age over all currencies', async () => {
    const aged = (currency: string, days: string) => ({
      rule: 'FEE_APPLIED_DIFFERS',
      severity: 'high',
      currency,
      open_count: '1',
      [days]: '1',
    });
    const page = await pageOf({
      rows: { ageing: [aged('EUR', 'days_0_1'), aged('JPY', 'days_over_90')], breaks: [open({ severity: 'high' })] },
    });
    expect(rowsOf(page, 'Open breaks by rule')).toEqual([
      ['FEE_APPLIED_DIFFERS', 'high', '2', '1', '0', '0', '0', '1'],
    ]);
  });

  it('cannot put anything into the page but text', async () => {
    const page = await pageOf({
      rows: { breaks: [open({ severity: 'high', explanation: '<script>alert(1)</script>\u202e"\'&' })] },
    });
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\ufffd&quot;&#39;&amp;');
  });
});

describe('volume', () => {
  it('is never added across currencies, and unknown host revenue is unknown', async () => {
    const month = { business_month: '2026-11', kind: 'purchase', record_count: '2' };
    const page = await pageOf({
      rows: {
        host_revenue: [
          { ...month, fiat_currency: 'EUR', fiat_value_total: '100.5', host_fee_cut_total: '1.006' },
          { ...month, fiat_currency: 'EUR', kind: 'sale', fiat_value_total: '99.5', records_without_host_fee_cut: '2' },
          { ...month, fiat_currency: 'JPY', record_count: '1', fiat_value_total: '1500' },
        ],
      },
    });
    expect(rowsOf(page, 'Verified records and their fiat value')).toEqual([
      ['EUR', '2', '2', '200.00 EUR'],
      ['JPY', '1', '0', '1,500 JPY'],
    ]);
    expect(rowsOf(page, 'Host fee cuts')).toEqual([
      ['EUR', '1.01 EUR', '0.503 %', '2'],
      ['JPY', '– unknown', '– unknown', '0'],
    ]);
  });
});

describe('money at stake', () => {
  const lost = { records: 1, pending: Decimal.ZERO, claimed: Decimal.ZERO };
  const stake: StakeFigures = {
    recordsAtRisk: 3,
    open: [
      { ...lost, currency: 'EUR', bearer: 'user', records: 2, total: Decimal.of(13n) },
      { ...lost, currency: 'EUR', bearer: 'service', total: Decimal.of(-5n, 1) },
      { ...lost, currency: 'JPY', bearer: 'user', total: Decimal.of(500n) },
    ],
    waived: [{ by: 'Ann', currency: 'EUR', bearer: 'user', breaks: 2, total: Decimal.of(9n) }],
  };

  it('is the first thing that the page says, per currency, before any count', async () => {
    const page = await pageOf({ figures: { stake } });
    const text = page.slice(page.indexOf('<h1>'), page.indexOf('class="tiles"')).replace(/<[^>]*>/g, '');
    expect(text).toMatch(
      /Money at stake 13\.00 EUR lost by users, 2 records −0\.50 EUR lost by the Service, 1 record 500 JPY lost by users, 1 record\s*3 records with an open break/,
    );
    expect(text.indexOf('Money at stake')).toBeLessThan(text.indexOf('records agree'));
    expect(rowsOf(page, 'Breaks that people have accepted')).toEqual([['Ann', 'EUR', '2', '9.00 EUR']]);
  });

  it('is said to be none where there is none', async () => {
    const page = await pageOf({ figures: { stake: NO_STAKE } });
    expect(page).toContain('No money at stake');
  });
});

describe('drift', () => {
  /** A published set, as far as its manifest goes. */
  function publish(out: string, name: { date: string; revision?: number; job?: string; variance: string }) {
    const { date, revision = 1, job = 'nightly', variance } = name;
    const told: ManifestFacts = facts({ job, business_date: date, revision, breaks: { open: 5 } });
    const folder = join(out, date, `${job}-r${revision}`);
    mkdirSync(folder, { recursive: true });
    const applied = String(1000 + Number(variance));
    const totals = { EUR: { compared_applied_fee_total: applied, applied_fee_variance_total: variance } };
    const file = { name: 'totals.csv', bytes: 1, rows: 1, sha256: 'd'.repeat(64), totals, currency_columns: {} };
    writeFileSync(
      join(folder, 'manifest.json'),
      manifestText(told, { files: [file], previous_manifest_sha256: null, profile: 'standard', decimals: 'exact' }),
    );
  }

  it('compares with the last revision of each earlier date of the same job', async () => {
    const out = tempFolder();
    publish(out, { date: '2026-11-17', variance: '1' });
    publish(out, { date: '2026-11-18', variance: '2' });
    publish(out, { date: '2026-11-18', revision: 2, variance: '3' });
    publish(out, { date: '2026-11-19', job: 'audit', variance: '9' });
    // Later than the run itself: a night caught up does not look into its future.
    publish(out, { date: '2026-11-21', variance: '9' });
    const page = await pageOf(
      {
        rows: { fees: [fee({ quoted_applied_fee: '1000', applied_fee_variance: '4' })] },
        totals: {
          // What has no fee to compare with is in the sum of all quotes, and not in this figure.
          fees: { EUR: { quoted_applied_fee: '1200', applied_fee_variance: '4' } },
          totals: { EUR: { compared_applied_fee_total: '1004', applied_fee_variance_total: '4' } },
        },
      },
      out,
    );
    expect(rowsOf(page, 'Net variance of all compared fees')).toEqual([
      ['2026-11-20', '0.400 %'],
      ['2026-11-18', '0.300 %'],
      ['2026-11-17', '0.100 %'],
    ]);
  });

  it('is not drawn for the first run', async () => {
    expect(await pageOf()).toContain('there is nothing to compare it with yet');
  });
});

describe('the file', () => {
  it('has the control totals of the manifest, to the last digit', async () => {
    const page = await pageOf({
      totals: {
        fees: { EUR: { quoted_applied_fee: '34.760000000000000001', applied_fee_variance: '-1.21' } },
        host_revenue: { JPY: { host_fee_cut_total: '3' } },
      },
    });
    expect(rowsOf(page, 'Control totals')).toEqual([
      ['fees.csv', 'quoted_applied_fee', 'EUR', '34.760000000000000001'],
      ['fees.csv', 'applied_fee_variance', 'EUR', '-1.21'],
      ['host_revenue.csv', 'host_fee_cut_total', 'JPY', '3'],
    ]);
  });

  it('is the same to the byte when it is made again in one process', async () => {
    const options = { rows: { host_revenue: [{ kind: 'sale', fiat_currency: 'EUR', record_count: '3' }] } };
    expect(await pageOf(options)).toBe(await pageOf(options));
  });

  it('asks the network for nothing, and forbids itself to', async () => {
    const page = await pageOf({ rows: { host_revenue: [{ kind: 'sale', fiat_currency: 'EUR', record_count: '3' }] } });
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    const addresses = [...page.matchAll(/(?:https?:)?\/\/[a-z][^\s"'<)]*/g)].map(([address]) => address);
    expect(addresses.filter((address) => !address.startsWith('http://www.w3.org/'))).toEqual([]);
  });
});

describe('formats', () => {
  const views = async () => VIEWS;

  it('load nothing that was not asked for', async () => {
    expect(
      await loadDocuments({ formats: ['csv', 'json'], views, history: null, decimals: 'exact', actions: ACTIONS }),
    ).toEqual([]);
    const documents = await loadDocuments({
      formats: ['xlsx', 'html'],
      views,
      history: null,
      decimals: 'exact',
      actions: ACTIONS,
    });
    expect(documents.map(({ name }) => name)).toEqual(['report.html', 'report.xlsx']);
    const tables = writeTables({
      folder: tempFolder(),
      rows: {
        breaks: [{ state: 'open', severity: 'high', rule: 'FEE_APPLIED_DIFFERS', kind: 'purchase', age_days: '1' }],
      },
    });
    const texts: string[] = [];
    for (const document of documents) {
      const pieces: Uint8Array[] = [];
      for await (const piece of document.pieces(tables)) pieces.push(piece);
      texts.push(Buffer.concat(pieces).toString('latin1'));
    }
    const [page = '', workbook = ''] = texts;
    expect(page).toContain('Claim the difference.');
    expect(workbook.slice(0, 2)).toBe('PK');
  });

  it('always have CSV among them', () => {
    expect(tableFormats(['html'])).toEqual(['csv']);
    expect(tableFormats(['json', 'xlsx'])).toEqual(['csv', 'json']);
  });

  it('say before the work begins that the chart library is missing, and what to do', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    const loading = loadDocuments({
      formats: ['html'],
      views,
      history: null,
      decimals: 'exact',
      actions: ACTIONS,
      loadCharts: () => Promise.reject(missing),
    });
    await expect(loading).rejects.toThrow(/needs the package echarts.*npm install echarts/);
    await loading.catch((error: unknown) => expect(exitCodeOf(error)).toBe(2));
  });
});

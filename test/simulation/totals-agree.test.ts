/**
 * One night with defects in four currencies, published in every format: each amount column of each report adds up to the
 * same total, to the last digit, in the CSV files, the workbook, the page and the manifest. The adding is this file's own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsv } from '../e2e/support/csv.ts';
import { type FrozenWorld, openFrozenWorld } from '../e2e/support/frozen-world.ts';
import { unzip } from '../publish/support/unzip.ts';
import { quoteLines } from './prices.ts';
import { Reality } from './reality.ts';

/** Amount columns of each report, and the column that says in which currency. */
const AMOUNTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  records: {
    crypto_amount: 'asset_symbol',
    fiat_value: 'fiat_currency',
    applied_fee: 'fiat_currency',
    base_fee: 'fiat_currency',
    network_fee: 'fiat_currency',
    fee_adjustment: 'fiat_currency',
    host_fee_cut: 'fiat_currency',
    host_share: 'fiat_currency',
    money_at_stake: 'fiat_currency',
  },
  breaks: { difference: 'currency', money_at_stake: 'record_currency' },
  fees: Object.fromEntries(
    [
      ...['quoted_fiat_value', 'actual_fiat_value', 'quoted_applied_fee', 'actual_applied_fee', 'applied_fee_variance'],
      ...['quoted_base_fee', 'actual_base_fee', 'base_fee_variance', 'quoted_network_fee', 'actual_network_fee'],
      ...['network_fee_variance', 'quoted_adjustment', 'actual_adjustment', 'adjustment_variance'],
    ].map((column) => [column, 'fiat_currency']),
  ),
  slippage: Object.fromEntries(
    ['fee_effect', 'price_effect', 'amount_effect', 'residual', 'total_effect'].map((column) => [
      column,
      'fiat_currency',
    ]),
  ),
  totals: Object.fromEntries(
    [
      ...['fiat_value_total', 'applied_fee_total', 'base_fee_total', 'network_fee_total', 'host_fee_cut_total'],
      ...[
        'quoted_fiat_value_total',
        'quoted_applied_fee_total',
        'applied_fee_variance_total',
        'compared_applied_fee_total',
      ],
    ].map((column) => [column, 'fiat_currency']),
  ),
  host_revenue: { fiat_value_total: 'fiat_currency', host_fee_cut_total: 'fiat_currency' },
  ageing: { difference_total: 'currency' },
};

/** `fees.csv applied_fee_variance EUR` → its exact total. */
type Totals = Map<string, string>;

let world: FrozenWorld;
let folder: string;
beforeAll(async () => {
  world = await openFrozenWorld({
    'reports.formats': ['csv', 'xlsx', 'html'],
    'reports.decimals': 'exact',
    'service.concurrency': '8',
  });
  const reality = new Reality(3, '2026-11-02', 0.5);
  await world.quote(quoteLines());
  for (const date of ['2026-11-02', '2026-11-03']) {
    const records = reality.nextDay(60);
    for (const { id } of records) world.server.answers.set(id, () => reality.answer(id));
    const lines = records.map(({ id, kind, quoteId }) => `${kind},${id},token-${id},${quoteId}`);
    await world.track(`kind,id,view_token,quote_id\n${lines.join('\n')}\n`);
    world.goTo(`${date}T23:59:00Z`);
    folder = join(world.out, (await world.night(date)).folder);
  }
});
afterAll(() => world.close());

describe('totals', () => {
  it('are the same in the CSV files, the workbook, the page and the manifest', () => {
    const csv = ofCsv();
    expect(Object.fromEntries(ofManifest())).toEqual(Object.fromEntries(csv));
    expect(Object.fromEntries(ofSheets())).toEqual(Object.fromEntries(csv));
    expect(Object.fromEntries(ofControlSheet())).toEqual(Object.fromEntries(csv));
    expect(Object.fromEntries(ofPage())).toEqual(Object.fromEntries(csv));
  });

  it('are of every amount column, in four currencies and a token, with breaks among them', () => {
    const keys = [...ofCsv().keys()];
    for (const [report, columns] of Object.entries(AMOUNTS)) {
      for (const column of Object.keys(columns)) {
        expect(
          keys.filter((key) => key.startsWith(`${report}.csv ${column} `)).length,
          `${report} ${column}`,
        ).toBeGreaterThan(0);
      }
    }
    expect(new Set(keys.map((key) => key.split(' ')[2]))).toEqual(new Set(['EUR', 'USD', 'GBP', 'JPY', 'ETH']));
    // More digits than a binary floating point number has, and sums that are not zero.
    const cut = ofCsv().get('records.csv host_fee_cut EUR') ?? '';
    expect(cut.replace('.', '').length).toBeGreaterThan(17);
    const variances = [...ofCsv()].filter(([key]) => key.startsWith('fees.csv applied_fee_variance'));
    expect(variances.some(([, total]) => total !== '0')).toBe(true);
  });

  it('would not agree if one digit were lost', () => {
    expect(add(['0.1', '0.2'])).toBe('0.3');
    expect(add(['-0.10', '1000000000000000000000.01', '0.09'])).toBe('1000000000000000000000');
    expect(add(['1.005', '-1.005'])).toBe('0');
    expect(add(['104.76000000000001', '0'])).not.toBe(add(['104.76', '0']));
  });
});

/** Adds plain decimals without losing a digit; trailing zeros are dropped. */
function add(cells: readonly string[]): string {
  const places = Math.max(...cells.map((cell) => cell.split('.')[1]?.length ?? 0));
  const scaled = cells.map((cell) => {
    const [whole = '', fraction = ''] = cell.split('.');
    return BigInt(whole.replace('-', '') + fraction.padEnd(places, '0')) * (cell.startsWith('-') ? -1n : 1n);
  });
  const sum = scaled.reduce((total, value) => total + value, 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The totals of one report, from its rows as text cells by column. */
function totalsOf(report: string, rows: readonly Readonly<Record<string, string>>[]): Totals {
  const cells = new Map<string, string[]>();
  for (const row of rows) {
    for (const [column, currency] of Object.entries(AMOUNTS[report] ?? {})) {
      const amount = row[column] ?? '';
      if (amount === '') continue;
      const key = `${report}.csv ${column} ${row[currency] ?? ''}`.trimEnd();
      cells.set(key, [...(cells.get(key) ?? []), amount]);
    }
  }
  return new Map([...cells].map(([key, amounts]) => [key, add(amounts)]));
}

function all(of: (report: string) => Totals): Totals {
  return new Map(
    Object.keys(AMOUNTS)
      .flatMap((report) => [...of(report)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function ofCsv(): Totals {
  return all((report) => totalsOf(report, readCsv(readFileSync(join(folder, `${report}.csv`), 'utf8')).rows));
}

interface ManifestFile {
  name: string;
  totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function ofManifest(): Totals {
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    files: readonly ManifestFile[];
  };
  const entries = files.flatMap(({ name, totals }) =>
    Object.entries(totals).flatMap(([currency, columns]) =>
      Object.entries(columns).map(
        ([column, total]) => [`${name} ${column} ${currency}`.trimEnd(), add([total])] as const,
      ),
    ),
  );
  return new Map(entries);
}

/** Adds up the cells of the sheets themselves, which hold all digits. */
function ofSheets(): Totals {
  const sheets = readWorkbook();
  const isTotal = (row: Readonly<Record<string, string>>) => Object.values(row)[0]?.startsWith('Total ') === true;
  return all((report) => {
    const rows = rowsOf(sheets.get(report) ?? []);
    return totalsOf(
      report,
      rows.filter((row) => !isTotal(row)),
    );
  });
}

function ofControlSheet(): Totals {
  const rows = rowsOf(readWorkbook().get('Control totals') ?? []);
  for (const row of rows)
    expect(add([row.total ?? '']), `${row.file} ${row.column}`).toBe(add([row.total_exact ?? '']));
  return new Map(
    rows.map((row) => [`${row.file} ${row.column} ${row.currency ?? ''}`.trimEnd(), add([row.total_exact ?? ''])]),
  );
}

function ofPage(): Totals {
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  const table = /<table><caption><span>Control totals.*?<tbody>(.*?)<\/tbody>/s.exec(page)?.[1] ?? '';
  const rows = table.split('</tr>').filter((row) => row.includes('<th'));
  const cells = rows.map((row) => row.split(/<\/t[dh]>/).map((cell) => cell.replace(/<[^>]*>/g, '').trim()));
  return new Map(
    cells.map(([file, column, currency, total]) => [`${file} ${column} ${currency}`.trimEnd(), add([total ?? ''])]),
  );
}

/** Cell texts by sheet name, row by row, each by its column's letters. */
function readWorkbook(): Map<string, Map<string, string>[]> {
  const entries = unzip(readFileSync(join(folder, 'report.xlsx')));
  const targets = new Map(
    [...(entries.get('xl/_rels/workbook.xml.rels') ?? '').matchAll(/<Relationship [^>]*>/g)].map(([tag]) => {
      return [attribute(tag, 'Id'), attribute(tag, 'Target').replace(/^\/?(xl\/)?/, 'xl/')];
    }),
  );
  const sheets = [...(entries.get('xl/workbook.xml') ?? '').matchAll(/<sheet [^>]*>/g)].map(([tag]) => {
    const xml = entries.get(targets.get(attribute(tag, 'r:id')) ?? '') ?? '';
    return [
      attribute(tag, 'name'),
      [...xml.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, row]) => cellsOf(row ?? '')),
    ] as const;
  });
  return new Map(sheets);
}

function cellsOf(row: string): Map<string, string> {
  const cells = [...row.matchAll(/<c r="([A-Z]+)\d+"[^>]*>(.*?)<\/c>/gs)];
  return new Map(cells.map(([, column, content]) => [column ?? '', (content ?? '').replace(/<[^>]*>/g, '')]));
}

function attribute(tag: string, name: string): string {
  return new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}

/** Rows by the names in the first one. */
function rowsOf([header, ...rows]: readonly Map<string, string>[]): Record<string, string>[] {
  return rows.map((row) =>
    Object.fromEntries([...(header ?? [])].map(([column, name]) => [name, row.get(column) ?? ''])),
  );
}

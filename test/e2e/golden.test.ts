/**
 * One report set to the byte, in all four profiles: every change of a published cell shows here as a difference of files.
 * After a change that is meant, `npm run generate` writes the files anew; read the difference before it is committed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderRun } from '../../src/app/render-run.ts';
import { GENERATE } from '../golden/generate.ts';
import { columnsOf, MANIFEST_KEYS, REPORT_NAMES } from './support/contract-columns.ts';
import { type Csv, readCsv } from './support/csv.ts';
import { add, same, sumOf } from './support/exact.ts';
import type { FrozenWorld, Reconciled } from './support/frozen-world.ts';
import { goldenFolder, goldenNights, goldenSets, reportsAs } from './support/golden-nights.ts';

let world: FrozenWorld;
let first: Reconciled;
let second: Reconciled;

beforeAll(async () => {
  ({ world, first, second } = await goldenNights());
});
afterAll(() => world.close());

const report = (name: string): Csv => readCsv(world.file(second.folder, `${name}.csv`).toString());
const manifestOf = (folder: string) => JSON.parse(world.file(folder, 'manifest.json').toString()) as Manifest;

interface Manifest {
  population: number;
  verdicts: Record<string, number>;
  files: { name: string; rows: number; totals: Record<string, Record<string, string>> }[];
  [key: string]: unknown;
}

it('is the golden set to the byte, in every profile and every file', async () => {
  const made = await goldenSets(world, second);
  // The standard profile has the manifest and the description besides.
  expect(made.size).toBe(3 * REPORT_NAMES.length + 2);
  for (const [name, bytes] of made) {
    const golden = readFileSync(join(goldenFolder, name));
    // As text first: a difference is then shown by lines. Then as bytes, for differences that decoding hides.
    expect(bytes.toString(), `${name}; ${GENERATE}`).toBe(golden.toString());
    expect(bytes.equals(golden)).toBe(true);
  }
});

it('for Excel it is what Google Sheets gets, behind a byte order mark and with the line ends of Windows', async () => {
  const made = await reportsAs('excel', world, second);
  expect(made.size).toBe(REPORT_NAMES.length);
  for (const [name, bytes] of made) {
    const other = readFileSync(join(goldenFolder, 'google-sheets', name), 'utf8');
    expect(bytes.equals(Buffer.from(`\ufeff${other.replaceAll('\n', '\r\n')}`)), name).toBe(true);
  }
});

it('the published set is the standard profile', () => {
  for (const name of REPORT_NAMES) {
    const golden = readFileSync(join(goldenFolder, 'standard', `${name}.csv`), 'utf8');
    expect(world.file(second.folder, `${name}.csv`).toString()).toBe(golden);
  }
});

it('the first night is said again to the byte after the second', async () => {
  const rendered = await renderRun(world.app, first.run, {
    out: join(world.out, 'again'),
    profile: 'standard',
    decimals: 'exact',
  });
  for (const name of REPORT_NAMES) {
    const published = world.file(first.folder, `${name}.csv`).toString();
    expect(readFileSync(join(rendered.folder, `${name}.csv`), 'utf8')).toBe(published);
  }
});

describe('columns', () => {
  it.each(REPORT_NAMES)('%s.csv has the columns of the contract, in their order', (name) => {
    expect(report(name).header).toEqual(columnsOf(name));
    expect(report(name).rows.length).toBeGreaterThan(0);
  });

  it('manifest.json has its keys, the six counts, and every file', () => {
    const manifest = manifestOf(second.folder);
    expect(Object.keys(manifest).filter((key) => (MANIFEST_KEYS as readonly string[]).includes(key))).toEqual([
      ...MANIFEST_KEYS,
    ]);
    expect(Object.keys(manifest.verdicts)).toEqual([
      'matched',
      'pending',
      'break',
      'unverified',
      'quarantined',
      'waived',
    ]);
    const files = [...REPORT_NAMES.map((name) => `${name}.csv`), 'datapackage.json'];
    expect(manifest.files.map(({ name }) => name).sort()).toEqual(files.sort());
    for (const file of manifest.files) expect(Object.keys(file)).toEqual(expect.arrayContaining(['bytes', 'sha256']));
  });
});

describe('arithmetic, done again from the files alone', () => {
  it('every fee variance foots, and is actual − quoted', () => {
    for (const row of report('fees').rows) {
      const parts = [row.base_fee_variance, row.network_fee_variance, row.adjustment_variance];
      if (row.applied_fee_variance === '') expect(parts).toEqual(['', '', '']);
      else expect(same(sumOf(parts), row.applied_fee_variance)).toBe(true);
      for (const part of ['applied_fee', 'base_fee', 'network_fee'] as const) {
        const [quoted, actual] = [row[`quoted_${part}`] ?? '', row[`actual_${part}`] ?? ''];
        const variance = row[`${part}_variance`] ?? '';
        if (variance === '') continue;
        expect(same(add(quoted, variance), actual), `${row.record_id} ${part}`).toBe(true);
      }
    }
  });

  it('the six verdicts add up to the population, in every place that shows them', () => {
    const { population, verdicts } = manifestOf(second.folder);
    const records = report('records');
    expect(population).toBe(18);
    expect(records.rows).toHaveLength(18);
    expect(report('coverage').rows).toHaveLength(18);
    const counted = Object.fromEntries(
      Object.keys(verdicts).map((verdict) => [verdict, records.rows.filter((row) => row.verdict === verdict).length]),
    );
    expect(counted).toEqual(verdicts);
    expect(counted).toEqual({ matched: 9, pending: 0, break: 4, unverified: 3, quarantined: 2, waived: 0 });
    const totals = report('totals').rows;
    for (const [verdict, count] of Object.entries(verdicts)) {
      expect(sumOf(totals.map((row) => row[`${verdict}_count`]))).toBe(String(count));
    }
    for (const row of totals) {
      const parts = Object.keys(verdicts).map((verdict) => row[`${verdict}_count`]);
      expect(sumOf(parts)).toBe(row.record_count);
    }
  });

  it('totals.csv is records.csv and fees.csv added up by kind, currency, method and status', () => {
    const fees = report('fees').rows;
    const keyed = report('records').rows.map((row) => ({
      key: [row.kind, row.fiat_currency, row.payment_method, row.status].join('\t'),
      record: row,
      fee: fees.find((fee) => fee.kind === row.kind && fee.record_id === row.record_id),
    }));
    const totals = report('totals').rows;
    expect(totals.map((row) => [row.kind, row.fiat_currency, row.payment_method, row.status].join('\t'))).toEqual(
      [...new Set(keyed.map(({ key }) => key))].sort(),
    );
    for (const row of totals) {
      const key = [row.kind, row.fiat_currency, row.payment_method, row.status].join('\t');
      const group = keyed.filter((each) => each.key === key);
      expect(row.record_count).toBe(String(group.length));
      for (const amount of ['fiat_value', 'applied_fee', 'base_fee', 'network_fee', 'host_fee_cut']) {
        expect(same(row[`${amount}_total`], sumOf(group.map(({ record }) => record[amount]))), `${key} ${amount}`).toBe(
          true,
        );
      }
      const compared = group.filter(({ fee }) => (fee?.applied_fee_variance ?? '') !== '');
      expect(row.compared_count).toBe(String(compared.length));
      for (const [total, amount] of [
        ['quoted_fiat_value_total', 'quoted_fiat_value'],
        ['quoted_applied_fee_total', 'quoted_applied_fee'],
        ['applied_fee_variance_total', 'applied_fee_variance'],
        ['compared_applied_fee_total', 'actual_applied_fee'],
      ] as const) {
        expect(same(row[total], sumOf(compared.map(({ fee }) => fee?.[amount]))), `${key} ${total}`).toBe(true);
      }
      const { compared_applied_fee_total: actual, quoted_applied_fee_total: quoted } = row;
      expect(same(actual, sumOf([quoted, row.applied_fee_variance_total])), `${key} foots`).toBe(true);
    }
  });

  it('host_revenue.csv is records.csv by month of creation', () => {
    const records = report('records').rows.filter((row) => row.fiat_currency !== '');
    for (const row of report('host_revenue').rows) {
      const group = records.filter(
        (record) =>
          record.created_at?.slice(0, 7) === row.business_month &&
          record.kind === row.kind &&
          record.fiat_currency === row.fiat_currency &&
          record.payment_method === row.payment_method,
      );
      expect(row.record_count).toBe(String(group.length));
      expect(same(row.fiat_value_total, sumOf(group.map((record) => record.fiat_value)))).toBe(true);
      expect(same(row.host_fee_cut_total, sumOf(group.map((record) => record.host_fee_cut)))).toBe(true);
      expect(row.records_without_host_fee_cut).toBe(
        String(group.filter((record) => record.host_fee_cut === '').length),
      );
    }
  });

  it('ageing.csv counts the open rows of breaks.csv by their age', () => {
    const open = report('breaks').rows.filter((row) => ['open', 'acknowledged', 'reopened'].includes(row.state ?? ''));
    const ageing = report('ageing').rows;
    expect(sumOf(ageing.map((row) => row.open_count))).toBe(String(open.length));
    const bands = [
      ['days_0_1', 0, 1],
      ['days_2_7', 2, 7],
      ['days_8_30', 8, 30],
      ['days_31_90', 31, 90],
      ['days_over_90', 91, 1_000_000],
    ] as const;
    for (const row of ageing) {
      const group = open.filter(
        (each) => each.rule === row.rule && each.severity === row.severity && each.currency === row.currency,
      );
      expect(row.open_count).toBe(String(group.length));
      for (const [band, from, to] of bands) {
        const inBand = group.filter(({ age_days }) => Number(age_days) >= from && Number(age_days) <= to);
        expect(row[band]).toBe(String(inBand.length));
      }
      // Only money is added as money: a rate is a price per token.
      const sum = sumOf(group.filter(({ unit }) => unit === 'money').map((each) => each.difference));
      expect(same(row.difference_total, sum)).toBe(true);
    }
  });

  it('money at stake stands once per record, on its leading break, and in records.csv', () => {
    const breaks = report('breaks').rows;
    const staked = breaks.filter(({ money_at_stake }) => money_at_stake !== '');
    expect(staked.length).toBeGreaterThan(1);
    expect(new Set(staked.map(({ kind, record_id }) => `${kind} ${record_id}`)).size).toBe(staked.length);
    for (const { break_id, leading_break_id } of staked) expect(leading_break_id).toBe(break_id);
    for (const { leading_break_id: leader } of breaks) {
      if (leader !== '') expect(breaks.some(({ break_id }) => break_id === leader)).toBe(true);
    }
    for (const record of report('records').rows) {
      const [leading] = staked.filter(({ kind, record_id }) => kind === record.kind && record_id === record.record_id);
      expect(record.money_at_stake).toBe(leading?.money_at_stake ?? '');
    }
  });

  it('break_count of a record is its open rows in breaks.csv, and a difference is actual − expected', () => {
    const breaks = report('breaks').rows;
    for (const record of report('records').rows) {
      const open = breaks.filter(
        (each) => each.kind === record.kind && each.record_id === record.record_id && each.state !== 'resolved',
      );
      expect(record.break_count).toBe(String(open.length));
    }
    for (const row of breaks.filter(({ difference }) => difference !== '')) {
      expect(same(add(row.expected ?? '', row.difference ?? ''), row.actual), `${row.rule} ${row.record_id}`).toBe(
        true,
      );
    }
  });

  it('the manifest repeats rows and sums of every file', () => {
    for (const { name, rows, totals } of manifestOf(second.folder).files) {
      if (!name.endsWith('.csv')) continue;
      const csv = readCsv(world.file(second.folder, name).toString());
      expect(csv.rows).toHaveLength(rows);
      for (const [currency, columns] of Object.entries(totals)) {
        for (const [column, total] of Object.entries(columns)) {
          const unit =
            column === 'crypto_amount'
              ? 'asset_symbol'
              : csv.header.includes('fiat_currency')
                ? 'fiat_currency'
                : 'currency';
          const inCurrency = csv.rows.filter((row) => row[unit] === currency);
          expect(same(total, sumOf(inCurrency.map((row) => row[column]))), `${name} ${currency} ${column}`).toBe(true);
        }
      }
    }
  });
});

describe('what the two nights say', () => {
  it('fees move from quote to record with their signs', () => {
    expect(report('fees').row('record_id', 'p03-fee')).toMatchObject({
      quoted_applied_fee: '4.76',
      actual_applied_fee: '6.26',
      applied_fee_variance: '1.5',
      base_fee_variance: '1.5',
      network_fee_variance: '0',
      adjustment_variance: '0',
      // 5.4 of 98.5 EUR of crypto.
      actual_fee_percent: '5.482234',
      within_tolerance: 'false',
    });
    expect(report('fees').row('record_id', 'p14-discount')).toMatchObject({
      applied_fee_variance: '-1',
      base_fee_variance: '0',
      adjustment_variance: '-1',
    });
  });

  it('every kind of break is there, with its expected and actual values', () => {
    const found = report('breaks').rows.map((row) => [
      row.record_id,
      row.rule,
      row.field,
      row.expected,
      row.actual,
      row.state,
    ]);
    expect(found).toEqual([
      ['p03-fee', 'FEE_APPLIED_DIFFERS', 'applied_fee', '4.76', '6.26', 'open'],
      ['p03-fee', 'FEE_BASE_DIFFERS', 'base_fee', '3.9', '5.4', 'open'],
      ['p03-fee', 'FEE_OUT_OF_BOUNDS', 'service_fee', '3.8415', '5.4', 'open'],
      ['p05-formula', 'QUOTE_MISSING', 'quote', '', '', 'open'],
      ['p06-missing', 'RECORD_MISSING', 'http_status', '200', '404', 'open'],
      ['p07-denied', 'ACCESS_DENIED', 'http_status', '200', '403', 'open'],
      ['p09-drift', 'SCHEMA_DRIFT', 'applied_fee', 'a number', 'nothing', 'open'],
      ['p10-other', 'RECORD_ID_MISMATCH', 'id', 'p10-other', 'p99-somebody-else', 'open'],
      ['p12-no-tx', 'RELEASED_WITHOUT_TX', 'final_tx_hash', '', '', 'resolved'],
      ['p13-restated', 'FIELD_CHANGED', 'crypto_amount', '0.04', '0.0404', 'open'],
      ['p13-restated', 'FIELD_CHANGED', 'fiat_value', '104.76', '105.76', 'open'],
      ['p15-bounds', 'FEE_OUT_OF_BOUNDS', 'service_fee', '3.9', '10', 'open'],
    ]);
  });

  it('the first night had the hash missing, and the purchase still under way', () => {
    expect(first.tally.verdicts).toEqual({
      matched: 7,
      pending: 2,
      break: 4,
      unverified: 3,
      quarantined: 2,
      waived: 0,
    });
    expect(first.tally.notReached).toBe(1);
  });
});

/**
 * One report set to the byte, in all four profiles: every change of a published cell shows here as a difference of files.
 * After a change that is meant, `npm run generate` writes the files anew; read the difference before it is committed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderRun } from '../../src/app/render-run.ts';
import { GENERATE } from '../golden/generate.ts';
import { violationsOf } from '../invariants/check-set.ts';
import { columnsOf, MANIFEST_KEYS, REPORT_NAMES } from './support/contract-columns.ts';
import { type Csv, readCsv } from './support/csv.ts';
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

it('every figure of it ties, read from the files alone', () => {
  expect(violationsOf(join(world.out, second.folder))).toEqual([]);
  expect(report('coverage').rows).toHaveLength(18);
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

  it('the six verdicts of the second night are the eighteen records', () => {
    const { population, verdicts } = manifestOf(second.folder);
    expect([population, verdicts]).toEqual([
      18,
      { matched: 9, pending: 0, break: 4, unverified: 3, quarantined: 2, waived: 0 },
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

/**
 * The bytes that finance spreadsheets depend on, for one small set in every profile. Where a change here is meant, write the
 * new bytes down with `TIEOUT_WRITE_GOLDEN=1 npx vitest run test/publish/golden.test.ts`, and read the difference.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { PROFILES } from '../../src/ports/report-definition.ts';
import { type AFee, type ARecord, aRecord, publishSet, TWO_FEES } from './support/a-set.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();
const GOLDEN = join(import.meta.dirname, '../golden/publish');

const RECORDS: readonly ARecord[] = [
  aRecord(),
  aRecord({ id: '0000322', reference: '=HYPERLINK("http://x";"y")', currency: 'JPY', value: Decimal.parse('1499.5') }),
  aRecord({ id: '12e5', reference: 'a, "b"; c', value: Decimal.parse('-0.125') }),
  aRecord({ id: 'sd', reference: 'two\nlines\r\nand a half', verdict: 'break', breaks: 2, paid: false }),
  aRecord({ id: 'se', reference: "'=already marked", currency: 'KWD', value: Decimal.parse('1.23450') }),
  aRecord({ id: 'sf', reference: 'żółć 🙂', units: '123456789012345678901234567890', value: Decimal.parse('1e-18') }),
  {
    id: 'sg',
    reference: null,
    verdict: 'unverified',
    units: null,
    currency: null,
    value: null,
    rate: null,
    fetchedAt: null,
    breaks: null,
    paid: null,
  },
];

const FEES: readonly AFee[] = [
  ...TWO_FEES,
  { id: 'sd', applied: '0.015', base: '0.005', network: '0.005', adjustment: '0.005' },
];

const VARIANTS = [
  ...PROFILES.map((profile) => ({ name: profile, profile, decimals: 'exact' as const })),
  { name: 'excel-eu-minor-units', profile: 'excel-eu' as const, decimals: 'minor-units' as const },
];

it.each(VARIANTS)('publishes the same bytes as ever: $name', async ({ name, profile, decimals }) => {
  const out = tempFolder();
  const path = await publishSet({
    out,
    profile,
    decimals,
    formats: ['csv', 'json'],
    records: RECORDS,
    fees: FEES,
    facts: { population: 7, verdicts: { matched: 5, pending: 0, break: 1, unverified: 1, quarantined: 0 } },
  });
  const golden = join(GOLDEN, name);
  if (process.env.TIEOUT_WRITE_GOLDEN === '1') {
    rmSync(golden, { recursive: true, force: true });
    cpSync(join(out, path), golden, { recursive: true });
  }
  const files = ['fees.csv', 'fees.ndjson', 'manifest.json', 'records.csv', 'records.ndjson'];
  expect(readdirSync(join(out, path)).sort()).toEqual(files);
  expect(readdirSync(golden).sort()).toEqual(files);
  for (const file of files) {
    expect(readFileSync(join(out, path, file), 'utf8'), file).toBe(readFileSync(join(golden, file), 'utf8'));
  }
});

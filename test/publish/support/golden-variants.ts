/** One small set with every kind of difficult cell, as each profile prints it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from '../../../src/domain/decimal.ts';
import { PROFILES } from '../../../src/ports/report-definition.ts';
import { differences } from '../../golden/differences.ts';
import { rowsOfPrinted } from '../../golden/json-rows.ts';
import { type AFee, type ARecord, aRecord, publishSet, TWO_FEES, UNVERIFIED } from './a-set.ts';

const RECORDS: readonly ARecord[] = [
  aRecord(),
  aRecord({ id: '0000322', reference: '=HYPERLINK("http://x";"y")', currency: 'JPY', value: Decimal.parse('1499.5') }),
  aRecord({ id: '12e5', reference: 'a, "b"; c', value: Decimal.parse('-0.125') }),
  aRecord({ id: 'sd', reference: 'two\nlines\r\nand a half', verdict: 'break', breaks: 2, paid: false }),
  aRecord({ id: 'se', reference: "'=already marked", currency: 'KWD', value: Decimal.parse('1.23450') }),
  aRecord({ id: 'sf', reference: 'żółć 🙂', units: '123456789012345678901234567890', value: Decimal.parse('1e-18') }),
  { ...UNVERIFIED, id: 'sg' },
];

const FEES: readonly AFee[] = [
  ...TWO_FEES,
  { id: 'sd', applied: '0.015', base: '0.005', network: '0.005', adjustment: '0.005' },
];

const VARIANTS = [
  ...PROFILES.map((profile) => ({ name: profile, profile, decimals: 'exact' as const })),
  { name: 'excel-eu-minor-units', profile: 'excel-eu' as const, decimals: 'minor-units' as const },
];

/** Path below `test/golden/publish` → bytes; JSON by rows, and where `standard` has it too, by what differs. */
export async function goldenVariants(): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const { name, profile, decimals } of VARIANTS) {
    const out = mkdtempSync(join(tmpdir(), 'tieout-golden-'));
    try {
      const path = await publishSet({
        out,
        profile,
        decimals,
        formats: ['csv', 'json'],
        records: RECORDS,
        fees: FEES,
        facts: {
          population: 7,
          verdicts: { matched: 5, pending: 0, break: 1, unverified: 1, quarantined: 0, waived: 0 },
        },
      });
      for (const file of readdirSync(join(out, path))) {
        const bytes = readFileSync(join(out, path, file));
        const golden = file.endsWith('.json') ? Buffer.from(rowsOfPrinted(bytes.toString())) : bytes;
        const standard = name === 'standard' || file.endsWith('.csv') ? undefined : files.get(`standard/${file}`);
        const differs = standard === undefined ? null : differences(golden.toString(), standard.toString());
        if (differs === null) files.set(`${name}/${file}`, golden);
        else files.set(`${name}/${file}.differs`, Buffer.from(differs));
      }
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  }
  return files;
}

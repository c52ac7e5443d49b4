/**
 * The bytes that finance spreadsheets depend on, for one small set in every profile. Where a change is meant,
 * `npm run generate` writes the new bytes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROFILES } from '../../src/ports/report-definition.ts';
import { GENERATE } from '../golden/generate.ts';
import { goldenVariants } from './support/golden-variants.ts';

const GOLDEN = join(import.meta.dirname, '../golden/publish');
const FILES = ['datapackage.json', 'fees.csv', 'fees.ndjson', 'manifest.json', 'records.csv', 'records.ndjson'];
const made = await goldenVariants();

it.each([...PROFILES, 'excel-eu-minor-units'])('publishes the same bytes as ever: %s', (name) => {
  expect(readdirSync(join(GOLDEN, name)).sort()).toEqual(FILES);
  expect([...made.keys()].filter((path) => path.startsWith(`${name}/`)).sort()).toEqual(
    FILES.map((file) => `${name}/${file}`),
  );
  for (const file of FILES) {
    const golden = readFileSync(join(GOLDEN, name, file), 'utf8');
    expect(made.get(`${name}/${file}`)?.toString(), `${name}/${file}; ${GENERATE}`).toBe(golden);
  }
});

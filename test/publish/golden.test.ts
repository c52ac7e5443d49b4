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
  const files = [...made].filter(([path]) => path.startsWith(`${name}/`));
  expect(files.map(([path]) => path.slice(name.length + 1).replace('.differs', '')).sort()).toEqual(FILES);
  expect(
    readdirSync(join(GOLDEN, name))
      .map((file) => `${name}/${file}`)
      .sort(),
  ).toEqual(files.map(([path]) => path).sort());
  for (const [path, bytes] of files)
    expect(bytes.toString(), `${path}; ${GENERATE}`).toBe(readFileSync(join(GOLDEN, path), 'utf8'));
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { realFileSystem } from '../../src/publish/file-system.ts';
import { HashedFile } from '../../src/publish/hashed-file.ts';
import { jsonTable } from '../../src/publish/json-file.ts';
import { profileOf } from '../../src/publish/profiles.ts';
import { readBack } from '../../src/publish/read-back.ts';
import { aRecord, RECORDS } from './support/a-set.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();

it('writes an object per row: amounts as exact texts, unknown as null, texts as they are', async () => {
  const path = join(tempFolder(), 'records.ndjson');
  const file = jsonTable(new HashedFile(path, realFileSystem), RECORDS, 'exact');
  file.write([
    aRecord({ reference: '=1+1 "x"' }),
    aRecord({ reference: null, value: null, currency: null, units: null, rate: null, fetchedAt: null, paid: null }),
    aRecord({ value: Decimal.parse('0.1') }),
  ]);
  const written = file.finish();
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines[0]).toBe(
    '{"record_id":"sqs6a428mqjtzbv","host_reference":"=1+1 \\"x\\"","verdict":"matched","crypto_units":"8023728890597727","fiat_currency":"EUR","fiat_value":"10","exchange_rate":"1180.9032500905719","fetched_at":"2026-11-21T04:15:00.007Z","break_count":0,"paid":true}',
  );
  expect(JSON.parse(lines[1] ?? '')).toEqual({
    record_id: 'sqs6a428mqjtzbv',
    host_reference: null,
    verdict: 'matched',
    crypto_units: null,
    fiat_currency: null,
    fiat_value: null,
    exchange_rate: null,
    fetched_at: null,
    break_count: 0,
    paid: null,
  });
  expect(written).toMatchObject({ name: 'records.ndjson', rows: 3, totals: { EUR: { fiat_value: '10.1' } } });

  const found = await readBack(path, written, { profile: profileOf('excel-eu'), fileSystem: realFileSystem });
  const { bytes, sha256, rows, totals } = written;
  expect(found).toEqual({ bytes, sha256, rows, totals, unreadable: null });
});

it('an empty report is an empty file, and reads back as one', async () => {
  const path = join(tempFolder(), 'records.ndjson');
  const written = jsonTable(new HashedFile(path, realFileSystem), RECORDS, 'exact').finish();
  expect(readFileSync(path, 'utf8')).toBe('');
  const found = await readBack(path, written, { profile: profileOf('standard'), fileSystem: realFileSystem });
  expect(found).toMatchObject({ rows: 0, totals: {}, unreadable: null });
});

it.each([
  ['{"a":"x"}\n{"b":"x"}\n', 'row 2: has other keys than the first row'],
  ['{"a":"x"}\n{"a":"x","b":"y"}\n', 'row 2: has other keys than the first row'],
  ['{"a":"x"}\n{"a":', 'row 2: is not a JSON object'],
  ['{"a":"x"}\n{"a":"y"}\n\n', 'row 3: is not a JSON object'],
  ['["x"]\n', 'row 1: is not a JSON object'],
  ['null\n', 'row 1: is not a JSON object'],
  ['7', 'row 1: is not a JSON object'],
])('is not read where it is %j: %s', async (text, unreadable) => {
  const path = join(tempFolder(), 'records.ndjson');
  writeFileSync(path, text);
  const file = { name: 'records.ndjson', currency_columns: {} };
  const found = await readBack(path, file, { profile: profileOf('standard'), fileSystem: realFileSystem });
  expect(found).toMatchObject({ unreadable });
});

it('a character that two pieces of the file share is one character', async () => {
  const path = join(tempFolder(), 'records.ndjson');
  // A piece is 65,536 bytes; this character of two bytes begins at the last of them.
  const text = `{"a":"${'x'.repeat(65_536 - 7)}ż"}\n`;
  writeFileSync(path, text);
  const file = { name: 'records.ndjson', currency_columns: {} };
  const found = await readBack(path, file, { profile: profileOf('standard'), fileSystem: realFileSystem });
  expect(found).toMatchObject({ rows: 1, bytes: Buffer.byteLength(text), unreadable: null });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readTextFile } from '../../src/app/read-csv.ts';

const folder = mkdtempSync(join(tmpdir(), 'tieout-read-csv-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['ISO 8859-1', Buffer.from('date,amount\nZahlung für,1\n', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffdate,amount\n', 'utf16le')],
])('a file in %s is refused with the way to convert it: replaced characters would be stored', (_, bytes) => {
  const file = join(folder, 'statement.csv');
  writeFileSync(file, bytes);
  expect(() => readTextFile(file)).toThrow(`${file}: is not UTF-8`);
});

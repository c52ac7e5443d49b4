import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { readCsv, readTextFile } from '../../src/app/read-csv.ts';
import { processWorld } from '../../src/cli/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'tieout-read-csv-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['ISO 8859-1', Buffer.from('date,amount\nZahlung für,1\n', 'latin1'), 'is not UTF-8; convert it'],
  ['UTF-16', Buffer.from('\ufeffdate,amount\n', 'utf16le'), 'is UTF-16; save it as UTF-8 first'],
  ['a compressed form', gzipSync('date,amount\n'), 'is compressed; unpack it first'],
])('a file in %s is refused with the way to convert it: replaced characters would be stored', (_, bytes, why) => {
  const file = join(folder, 'statement.csv');
  writeFileSync(file, bytes);
  expect(() => readTextFile(file)).toThrow(`${file}: ${why}`);
  // Settings and lists of ids are read by the same door.
  expect(() => processWorld().readFile(file)).toThrow(why);
});

it('a file of a gigabyte is refused before it is read, whoever reads it', () => {
  const file = join(folder, 'sparse.csv');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 30);
  expect(() => readTextFile(file, '--ids sparse.csv')).toThrow('--ids sparse.csv: has more than 32 MiB');
  expect(() => processWorld().readFile(file)).toThrow('has more than 32 MiB');
});

it('an empty file is called empty', () => {
  const file = join(folder, 'empty.csv');
  writeFileSync(file, '\n\n');
  expect(() => readCsv(file, ['id'])).toThrow(`${file}: is empty`);
});

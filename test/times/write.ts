/**
 * Writes the tables of docs/contributing/test-times.md from two runs: `node test/times/write.ts BEFORE AFTER`. A run is made by
 * `TIEOUT_TEST_PROCESSOR=FILE.processor npm test -- --reporter=json --outputFile.json=FILE`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Report, tables, timesOf } from './table.ts';

const PAGE = new URL('../../docs/contributing/test-times.md', import.meta.url);
const [before = '', after = ''] = process.argv.slice(2);
const read = (path: string) =>
  timesOf(JSON.parse(readFileSync(path, 'utf8')) as Report, readFileSync(`${path}.processor`, 'utf8'));
const page = readFileSync(PAGE, 'utf8');
const place = /(?<=<!-- tables: begin -->\n).*(?=<!-- tables: end -->)/s;
if (!place.test(page)) throw new Error('docs/contributing/test-times.md has no place for the tables');
writeFileSync(
  PAGE,
  page.replace(place, () => `${tables(read(before), read(after))}\n`),
);

/** Files that are handed over in one archive. */
import { expect, it } from 'vitest';
import { zipOf } from '../../src/publish/zip.ts';
import { at } from '../support/builders.ts';
import { unzip } from './support/unzip.ts';

const NOON = at('2026-11-20 12:00');
const FILES = [
  { name: 'letter.txt', bytes: Buffer.from('Dear Service,\n') },
  { name: 'evidence/b.json', bytes: Buffer.from('{}') },
];

it('has every file under its name, and equal files make an equal archive', async () => {
  const zip = await zipOf(FILES, NOON);
  expect([...unzip(zip)]).toEqual([
    ['letter.txt', 'Dear Service,\n'],
    ['evidence/b.json', '{}'],
  ]);
  expect((await zipOf(FILES, NOON)).equals(zip)).toBe(true);
  // A file that its owner alone may read, in the bits that an archive has for it.
  expect(zip.readUInt32LE(zip.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 38) >>> 16).toBe(0o100600);
});

it('of no files is an empty archive', async () => {
  expect([...unzip(await zipOf([], NOON))]).toEqual([]);
});

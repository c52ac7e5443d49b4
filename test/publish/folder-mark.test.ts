/** The mark that says which database an out folder belongs to. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeChain } from '../../src/publish/chain.ts';
import { realFileSystem } from '../../src/publish/file-system.ts';
import { readFolderMark, writeFolderMark } from '../../src/publish/folder-mark.ts';
import { failingAt } from './support/faulty-file-system.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();
const MARK = '.tieout-folder.json';
const mark = { folderId: 'f-1', databaseId: 'd-1' };

it('is read back, replaced as a whole, and for its owner alone', () => {
  const out = tempFolder();
  expect(readFolderMark(out, realFileSystem)).toBeNull();
  writeFolderMark(out, { ...mark, databaseId: 'd-0' }, 'host 1', realFileSystem);
  writeFolderMark(out, mark, 'host 1', realFileSystem);
  expect(readFolderMark(out, realFileSystem)).toEqual(mark);
  expect(readFileSync(join(out, MARK), 'utf8')).toBe('{"folder_id":"f-1","database_id":"d-1"}\n');
  expect(statSync(join(out, MARK)).mode & 0o777).toBe(0o600);
  expect(readdirSync(out)).toEqual([MARK]);
});

it.each([
  '',
  '{',
  '[]',
  '{"folder_id":"f"}',
  '{"folder_id":"","database_id":"d"}',
  '{"folder_id":"f","database_id":""}',
])('that is damaged to %j names no database: its sets are compared one by one', (text) => {
  const out = tempFolder();
  writeFileSync(join(out, MARK), text);
  expect(readFolderMark(out, realFileSystem)).toBeNull();
});

it('and the list of sets replace what a process of the same name left when it ended', () => {
  const out = tempFolder();
  writeFileSync(join(out, `${MARK}.host%201`), 'half a ma');
  writeFolderMark(out, mark, 'host 1', realFileSystem);
  expect(readFolderMark(out, realFileSystem)).toEqual(mark);
  writeFileSync(join(out, '.manifests.ndjson.host%201'), 'half a li');
  const link = { path: '2026-11-20/nightly-r1', sha256: 'a'.repeat(64), previous: null };
  writeChain(out, [link], 'host 1', realFileSystem);
  expect(readFileSync(join(out, 'manifests.ndjson'), 'utf8')).toBe(`${JSON.stringify(link)}\n`);
  expect(readdirSync(out).sort()).toEqual([MARK, 'manifests.ndjson']);
});

it('and the list of sets are not replaced on a disk that is full', () => {
  const out = tempFolder();
  writeFolderMark(out, mark, 'a', realFileSystem);
  const full = () => failingAt(0, 'ENOSPC').fileSystem;
  expect(() => writeFolderMark(out, { ...mark, databaseId: 'd-2' }, 'a', full())).toThrow('ENOSPC: open');
  expect(() => writeChain(out, [], 'a', full())).toThrow('ENOSPC: open');
  expect(readFolderMark(out, realFileSystem)).toEqual(mark);
});

/** Folders in a file system that a test writes down: what is made, in which order, and what takes none. */
import { expect, it } from 'vitest';
import { makeFolders } from '../../src/ports/folders.ts';

/** @param taken paths that exist and take no folder */
function world(existing: readonly string[], taken: readonly string[] = []) {
  const folders = new Set(['/', ...existing]);
  const fail = (code: string) => {
    throw Object.assign(new Error(code), { code });
  };
  return (path: string) => {
    if (folders.has(path)) fail('EEXIST');
    const above = path.slice(0, path.lastIndexOf('/')) || '/';
    if (!folders.has(above) || taken.includes(above)) fail('ENOENT');
    folders.add(path);
  };
}

it('makes what is missing, from above, and says what it made', () => {
  const make = world(['/var']);
  expect(makeFolders('/var/out/2026/r1', make)).toEqual(['/var/out', '/var/out/2026', '/var/out/2026/r1']);
  expect(makeFolders('/var/out/2026/r1', make)).toEqual([]);
  expect(makeFolders('/var/out/2026/r2', make)).toEqual(['/var/out/2026/r2']);
});

it('takes what another process made at the same time', () => {
  const make = world(['/var']);
  const raced = (path: string) => {
    if (path === '/var/out/r1') makeFolders(path, make);
    make(path);
  };
  expect(makeFolders('/var/out/r1', raced)).toEqual([]);
});

it('refuses a place that exists and takes no folder, and never waits for it', () => {
  const make = world(['/proc', '/proc/1'], ['/proc/1']);
  expect(() => makeFolders('/proc/1/out/r1', make)).toThrow('/proc/1 takes no folder');
  expect(() => makeFolders('/proc/1/out', make)).toThrow('/proc/1/out: /proc/1 takes no folder');
});

it('passes other errors on, and ends at the root', () => {
  const denied = () => {
    throw Object.assign(new Error('denied'), { code: 'EACCES' });
  };
  expect(() => makeFolders('/var/out', denied)).toThrow('denied');
  const nowhere = () => {
    throw Object.assign(new Error('no root'), { code: 'ENOENT' });
  };
  expect(() => makeFolders('/var/out', nowhere)).toThrow('no root');
});

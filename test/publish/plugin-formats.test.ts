import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { FinishedTables } from '../../src/publish/documents.ts';
import { FormatFailedError, type PluginFormat, piecesOf } from '../../src/publish/plugin-formats.ts';

async function written(write: PluginFormat['write'], facts: object = {}): Promise<string> {
  const tables = { facts, definitions: [] } as unknown as FinishedTables;
  const pieces: string[] = [];
  for await (const piece of piecesOf('theirs', { file: 'a.md', write }, tables, 20)) pieces.push(String(piece));
  return pieces.join('');
}

it('gives the pieces, text or bytes', async () => {
  const write = async function* () {
    yield 'one ';
    yield Buffer.from('two');
  };
  expect(await written(write)).toBe('one two');
});

it.each<[string, () => unknown, string]>([
  [
    'says nothing for ever',
    () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
    'no piece',
  ],
  ['answers nothing', () => undefined, 'its answer is no pieces of text'],
  [
    'throws what cannot be read',
    () => {
      throw Object.create(null);
    },
    'it threw what cannot be read',
  ],
])('one that %s is left out, by name', async (_, write, why) => {
  const failed = written(write as PluginFormat['write']);
  await expect(failed).rejects.toThrow(FormatFailedError);
  await expect(failed).rejects.toThrow(`the plugin theirs failed: a.md is left out: ${why}`);
});

it('one that is async in place of a generator is left out, and its failure ends no process', async () => {
  const failed = vi.fn();
  process.on('unhandledRejection', failed);
  const write = async () => Promise.reject(new Error('later'));
  await expect(written(write as never)).rejects.toThrow('its answer is no pieces of text');
  await setImmediate();
  process.off('unhandledRejection', failed);
  expect(failed).not.toHaveBeenCalled();
});

it('cannot change the facts of the manifest', async () => {
  const facts = { business_date: '2026-11-20' };
  const write: PluginFormat['write'] = async function* (set) {
    Object.assign(set.facts, { business_date: '1999-01-01' });
    yield 'x';
  };
  await expect(written(write, facts)).rejects.toThrow('Cannot assign');
  expect(facts).toEqual({ business_date: '2026-11-20' });
});

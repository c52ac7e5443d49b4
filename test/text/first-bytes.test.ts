import { expect, it } from 'vitest';
import { firstBytes } from '../../src/text/first-bytes.ts';

async function* pieces(...sizes: readonly number[]) {
  for (const size of sizes) yield Buffer.alloc(size, 'x');
}

it('an answer is read up to one byte more than is allowed, and its source is left then', async () => {
  expect((await firstBytes(pieces(), 4)).length).toBe(0);
  expect((await firstBytes(pieces(1, 3), 4)).toString()).toBe('xxxx');
  const source = pieces(3, 1_000, 1);
  expect((await firstBytes(source, 4)).length).toBe(5);
  expect(await source.next()).toEqual({ value: undefined, done: true });
});

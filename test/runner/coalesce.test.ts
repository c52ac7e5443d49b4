import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { coalesce } from '../../src/runner/coalesce.ts';

/** Work that ends when the test says so, and answers what the test wants next. */
function aWork(restMs = 0) {
  const ends: ((again: number | null) => void)[] = [];
  const errors: unknown[] = [];
  const work = coalesce({
    work: () => new Promise((resolve) => void ends.push(resolve)),
    restMs,
    sleep: (ms, signal) => delay(ms, undefined, { signal }),
    onError: (error) => errors.push(error),
  });
  const settle = () => delay(5);
  return { work, ends, errors, settle };
}

describe('coalesced work', () => {
  it('is done once more for all requests made while it ran', async () => {
    const { work, ends, settle } = aWork();
    work.ask();
    for (let i = 0; i < 5; i++) work.ask();
    expect(ends).toHaveLength(1);
    ends[0]?.(null);
    await settle();
    expect(ends).toHaveLength(2);
    ends[1]?.(null);
    await settle();
    expect(ends).toHaveLength(2);
  });

  it('rests before it is done once more, and begins at once where nothing was asked meanwhile', async () => {
    const { work, ends, settle } = aWork(40);
    work.ask();
    work.ask();
    ends[0]?.(null);
    await settle();
    expect(ends).toHaveLength(1);
    await delay(60);
    expect(ends).toHaveLength(2);
    ends[1]?.(null);
    await settle();
    work.ask();
    expect(ends).toHaveLength(3);
    ends[2]?.(null);
    await settle();
  });

  it('is done again by itself after the pause that it asked for', async () => {
    const { work, ends, settle } = aWork();
    work.ask();
    ends[0]?.(5);
    await delay(20);
    expect(ends).toHaveLength(2);
    ends[1]?.(null);
    await settle();
  });

  it('ends with the stop, also in the midst of a pause', async () => {
    const { work, ends, settle } = aWork();
    work.ask();
    ends[0]?.(60_000);
    await settle();
    await work.stop();
    work.ask();
    await settle();
    expect(ends).toHaveLength(1);
  });

  it('continues after a failure, and reports it', async () => {
    const errors: unknown[] = [];
    let times = 0;
    const work = coalesce({
      work: async () => {
        times++;
        if (times === 1) throw new Error('the first time');
        return null;
      },
      restMs: 0,
      sleep: async () => undefined,
      onError: (error) => errors.push(error),
    });
    work.ask();
    await delay(1);
    work.ask();
    await delay(1);
    expect(times).toBe(2);
    expect(errors).toEqual([new Error('the first time')]);
  });
});

import { expect, it } from 'vitest';
import type { Claim } from '../../src/ports/queue.ts';
import { countedTaker } from '../../src/workers/counted.ts';

const PROBLEM = { name: 'Stopped', message: 'the worker was stopped' };
const BATCH = { runId: 'r', fence: { name: 'nightly', token: 1 }, after: 0, upTo: 1, maxRequests: null };

/** One batch, through a taker that counts. */
async function counting(over: Partial<Claim> = {}) {
  const ends: string[] = [];
  const claim: Claim = {
    batch: BATCH,
    renew: async () => true,
    done: async () => undefined,
    giveBack: async () => undefined,
    ...over,
  };
  const taker = countedTaker({ claimMs: 7, claim: async () => claim }, (end) => void ends.push(end));
  const taken = await taker.claim();
  if (taken === null) throw new Error('nothing was taken');
  return { taken, taker, ends };
}

it('tells what became of a batch', async () => {
  const done = await counting();
  expect([done.taker.claimMs, done.taken.batch]).toEqual([7, BATCH]);
  expect(await done.taken.renew()).toBe(true);
  expect(done.ends).toEqual([]);
  await done.taken.done({ answers: {} as never });
  expect(done.ends).toEqual(['done']);
  const back = await counting();
  await back.taken.giveBack(PROBLEM);
  expect(back.ends).toEqual(['given-back']);
});

it('tells of a lapsed claim once, whatever is tried with it after', async () => {
  const { taken, ends } = await counting({ renew: async () => false });
  await taken.renew();
  await taken.renew();
  await taken.giveBack(PROBLEM);
  expect(ends).toEqual(['lapsed']);
});

it('counts no end that the queue was not told of', async () => {
  const { taken, ends } = await counting({ done: () => Promise.reject(new Error('connection lost')) });
  await expect(taken.done({ answers: {} as never })).rejects.toThrow('connection lost');
  expect(ends).toEqual([]);
});

it('has nothing to tell where nothing waits', async () => {
  const ends: string[] = [];
  const taker = countedTaker({ claimMs: 7, claim: async () => null }, (end) => void ends.push(end));
  expect([await taker.claim(), ends]).toEqual([null, []]);
});

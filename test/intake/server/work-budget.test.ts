import { expect, it } from 'vitest';
import { RefusedError } from '../../../src/intake/server/refusals.ts';
import { workBudget } from '../../../src/intake/server/work-budget.ts';

const LARGE = 16 * 1024 + 1;

function aBudget() {
  let now = 1_000;
  const spend = workBudget(() => now);
  return {
    wait: (ms: number) => {
      now += ms;
    },
    /** A large body that takes so long; true where it was done. */
    spend: (ms: number, bytes = LARGE) => {
      try {
        return spend(bytes, () => {
          now += ms;
          return true;
        });
      } catch (error) {
        if (error instanceof RefusedError && error.statusCode === 429) return false;
        throw error;
      }
    },
  };
}

it('half a second of work is done at once, and no more', () => {
  const { spend } = aBudget();
  expect([spend(499), spend(200), spend(1)]).toEqual([true, true, false]);
});

it('a fifth of the time that passes is for further work', () => {
  const { spend, wait } = aBudget();
  spend(600);
  // 500 − 600 ms are left, and 120 were earned while it worked.
  expect(spend(20)).toBe(true);
  expect(spend(1)).toBe(true);
  spend(1_000);
  wait(3_000);
  expect(spend(1)).toBe(false);
  wait(2_000);
  expect(spend(1)).toBe(true);
});

it('no more than half a second is saved up', () => {
  const { spend, wait } = aBudget();
  wait(60_000);
  expect([spend(499), spend(200), spend(1)]).toEqual([true, true, false]);
});

it('work that fails is counted, and its error is thrown', () => {
  let now = 0;
  const spend = workBudget(() => now);
  const failing = () =>
    spend(LARGE, () => {
      now += 1_000;
      throw new Error('no signature');
    });
  expect(failing).toThrow('no signature');
  expect(failing).toThrow('too many large requests');
});

it('a small body never waits', () => {
  const { spend } = aBudget();
  spend(5_000);
  expect([spend(5_000, LARGE - 1), spend(1, LARGE)]).toEqual([true, false]);
});

import { describe, expect, it } from 'vitest';
import type { Limiter, LimiterState } from '../../../src/ports/pacing.ts';
import { RequestBudgetError } from '../../../src/ports/service-errors.ts';
import { meterLimiter, stoppable } from '../../../src/service/pacing/metered.ts';

const STATE: LimiterState = {
  circuit: { open: false, until: null, trips: 0, reason: null },
  windows: [],
  otherEgresses: [],
};

/** A limiter that records requests for slots, and gives slots when the test says so. */
class Asked implements Limiter {
  readonly acquired: Parameters<Limiter['acquire']>[0][] = [];
  readonly reported: Parameters<Limiter['report']>[0][] = [];
  #answer: () => Promise<void>;

  constructor(answer: () => Promise<void> = async () => undefined) {
    this.#answer = answer;
  }

  acquire(options: Parameters<Limiter['acquire']>[0]): Promise<void> {
    this.acquired.push(options);
    return this.#answer();
  }

  async report(answer: Parameters<Limiter['report']>[0]): Promise<void> {
    this.reported.push(answer);
  }

  async state(): Promise<LimiterState> {
    return STATE;
  }
}

const PACED = { pace: 'paced' } as const;
const REFUSED = { kind: 'forbidden', retryAfterMs: null } as const;

describe("a run's budget", () => {
  it('is counted slot by slot, and refuses the request after the last', async () => {
    const asked = new Asked();
    const metered = meterLimiter(asked, 2);
    expect([metered.sent(), metered.spent()]).toEqual([0, false]);
    await metered.acquire(PACED);
    expect([metered.sent(), metered.spent()]).toEqual([1, false]);
    await metered.acquire(PACED);
    expect([metered.sent(), metered.spent()]).toEqual([2, true]);

    const refusal = await metered.acquire(PACED).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RequestBudgetError);
    expect(String(refusal)).toBe("RequestBudgetError: The run's budget of 2 requests is spent");
    expect(metered.sent()).toBe(2);
    expect(asked.acquired).toEqual([PACED, PACED]);
  });

  it('of zero requests sends none', async () => {
    const metered = meterLimiter(new Asked(), 0);
    expect(metered.spent()).toBe(true);
    await expect(metered.acquire(PACED)).rejects.toBeInstanceOf(RequestBudgetError);
  });

  it('that is not set is never spent, and counts all the same', async () => {
    const metered = meterLimiter(new Asked(), null);
    for (let request = 0; request < 3; request++) await metered.acquire(PACED);
    expect([metered.sent(), metered.spent()]).toEqual([3, false]);
  });

  it('promises its last place to one of those who wait, and counts it when it is used', async () => {
    let give = (): void => undefined;
    const slot = new Promise<void>((resolve) => {
      give = resolve;
    });
    const metered = meterLimiter(new Asked(() => slot), 1);
    const first = metered.acquire(PACED);
    await expect(metered.acquire(PACED)).rejects.toBeInstanceOf(RequestBudgetError);
    expect([metered.sent(), metered.spent()]).toEqual([0, true]);
    give();
    await first;
    expect(metered.sent()).toBe(1);
  });

  it('gets the place back of a request that never left', async () => {
    let broken = true;
    const metered = meterLimiter(
      new Asked(async () => {
        if (broken) throw new Error('disk full');
      }),
      1,
    );
    await expect(metered.acquire(PACED)).rejects.toThrow('disk full');
    expect([metered.sent(), metered.spent()]).toEqual([0, false]);
    broken = false;
    await metered.acquire(PACED);
    expect([metered.sent(), metered.spent()]).toEqual([1, true]);
  });
});

it('counts that were not written are added to the next write', async () => {
  const metered = meterLimiter(new Asked(), null);
  await metered.acquire(PACED);
  await metered.acquire(PACED);
  expect(metered.takeSent()).toBe(2);
  metered.giveBack(2);
  await metered.acquire(PACED);
  expect([metered.takeSent(), metered.takeSent(), metered.sent()]).toEqual([3, 0, 3]);
});

describe('work that ends with a signal of its own', () => {
  const ofTheRun = new AbortController().signal;
  const ofTheRequest = new AbortController().signal;

  it.each([
    { asks: { pace: 'paced' }, gets: { pace: 'paced', signal: ofTheRun } },
    { asks: { pace: 'burst', mayWait: false }, gets: { pace: 'burst', mayWait: false, signal: ofTheRun } },
    { asks: { pace: 'burst', signal: ofTheRequest }, gets: { pace: 'burst', signal: ofTheRequest } },
  ] as const)('waits under it, unless the request has its own: $asks', async ({ asks, gets }) => {
    const asked = new Asked();
    await stoppable(asked, ofTheRun).acquire(asks);
    expect(asked.acquired).toHaveLength(1);
    expect(asked.acquired[0]).toEqual(gets);
    expect(asked.acquired[0]?.signal).toBe(gets.signal);
  });
});

describe.each([
  { name: 'a metered limiter', wrap: (limiter: Limiter) => meterLimiter(limiter, 5) },
  { name: 'a stoppable limiter', wrap: (limiter: Limiter) => stoppable(limiter, new AbortController().signal) },
])('$name', ({ wrap }) => {
  it('passes answers on, and the state back', async () => {
    const asked = new Asked();
    const wrapped = wrap(asked);
    await wrapped.report(REFUSED);
    expect(asked.reported).toEqual([REFUSED]);
    expect(await wrapped.state()).toBe(STATE);
  });
});

import { describe, expect, it } from 'vitest';
import type { HeldBatch } from '../../src/ports/queue.ts';
import { holdBatch } from '../../src/workers/held-claim.ts';
import { FakeClock } from '../support/fake-clock.ts';

const SECOND = 1000;

/** A claim for ten seconds unless said otherwise, and whether it is still ours: `away` is a database that cannot be asked. */
function holding(claimMs = 10 * SECOND) {
  const clock = new FakeClock();
  const renewals: number[] = [];
  const told = { answer: true as boolean | 'away' };
  const claim: HeldBatch = {
    batch: { runId: 'r', fence: { name: 'nightly', token: 1 }, after: 0, upTo: 10, maxRequests: null, deployment: {} },
    renew: async () => {
      renewals.push(clock.elapsed);
      if (told.answer === 'away') throw new Error('no connection');
      return told.answer;
    },
    done: async () => undefined,
    giveBack: async () => undefined,
  };
  const stopping = new AbortController();
  const held = holdBatch(claim, { claimMs, clock: clock.monotonic, signal: stopping.signal });
  return { held, clock, renewals, told, stopping };
}

describe('a batch in hand', () => {
  it('is renewed every two and a half seconds while the work goes on', async () => {
    const { held, clock, renewals } = holding();
    await clock.advance(11 * SECOND);
    expect(renewals).toEqual([2500, 5000, 7500, 10_000]);
    expect(held.reason()).toBeNull();
    expect(held.signal.aborted).toBe(false);
  });

  it('is renewed four times within a claim that is shorter', async () => {
    const { clock, renewals } = holding(4 * SECOND);
    await clock.advance(4 * SECOND);
    expect(renewals).toEqual([1000, 2000, 3000, 4000]);
  });

  it('is renewed no more once it was let go', async () => {
    const { held, clock, renewals } = holding();
    held.letGo();
    await clock.advance(60 * SECOND);
    expect(renewals).toEqual([]);
    expect(clock.sleeping).toBe(0);
    expect(held.signal.aborted).toBe(true);
    expect(held.reason()).toBeNull();
  });

  it('is lost where the renewal says so, and a request that waits for a slot is aborted', async () => {
    const { held, clock, renewals, told } = holding();
    const { signal } = held;
    told.answer = false;
    await clock.advance(2500);
    expect(held.reason()).toBe('lapsed');
    expect(signal.aborted).toBe(true);
    await clock.advance(60 * SECOND);
    expect(renewals).toEqual([2500]);
  });

  it('ends with the worker', () => {
    const { held, stopping } = holding();
    const { signal } = held;
    stopping.abort();
    expect(held.reason()).toBe('signal');
    expect(signal.aborted).toBe(true);
  });

  it('that is lost is said to be lost, even where the worker stops as well', async () => {
    const { held, clock, told, stopping } = holding();
    told.answer = false;
    await clock.advance(2500);
    stopping.abort();
    expect(held.reason()).toBe('lapsed');
  });
});

describe('while the database is away', () => {
  it('the claim counts for as long as it was last granted', async () => {
    const { held, clock, told } = holding();
    await clock.advance(2500);
    told.answer = 'away';
    await clock.advance(9 * SECOND);
    expect(held.reason()).toBeNull();
    // Granted for ten seconds at 2.5 s, and asked for again at 12.5 s.
    await clock.advance(1 * SECOND);
    expect(held.reason()).toBe('lapsed');
  });

  it('the claim is kept where the database comes back in time', async () => {
    const { held, clock, told } = holding();
    told.answer = 'away';
    await clock.advance(9 * SECOND);
    told.answer = true;
    await clock.advance(60 * SECOND);
    expect(held.reason()).toBeNull();
  });
});

describe('just before a request leaves', () => {
  it('a claim that was renewed lately is believed', async () => {
    const { held, renewals } = holding();
    await held.confirm();
    expect(renewals).toEqual([]);
  });

  it.each([
    // The claim is renewed by itself only after 2.5 s; a short one is half over sooner.
    [4999, []],
    [5000, [5000]],
  ])('a claim of ten seconds that is %i ms old is asked for again: %j', async (age, expected) => {
    const { held, clock, renewals } = asleep(age);
    await held.confirm();
    expect(renewals).toEqual(expected);
    expect(clock.now()).toBe(age);
  });

  it('nothing is sent where the process slept for longer than the claim', async () => {
    const { held, told } = asleep(30 * SECOND);
    told.answer = false;
    await expect(held.confirm()).rejects.toMatchObject({
      name: 'AbortError',
      message: 'The batch is another worker’s by now',
    });
    expect(held.reason()).toBe('lapsed');
  });

  it('nothing is sent either where the queue does not answer', async () => {
    const { held, told } = asleep(10 * SECOND);
    told.answer = 'away';
    await expect(held.confirm()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('several requests ask once', async () => {
    const { held, renewals } = asleep(6 * SECOND);
    await Promise.all([held.confirm(), held.confirm(), held.confirm()]);
    expect(renewals).toEqual([6000]);
  });

  it('a renewal that came in between is enough', async () => {
    const { held, renewals, clock } = asleep(6 * SECOND);
    await held.confirm();
    clock.at = 10 * SECOND;
    await held.confirm();
    clock.at = 11 * SECOND;
    await held.confirm();
    expect(renewals).toEqual([6000, 11_000]);
  });
});

/** The process was stopped just after the claim and continues at `ms`: its timers have not fired yet. */
function asleep(ms: number) {
  const renewals: number[] = [];
  const told = { answer: true as boolean | 'away' };
  const clock = { at: 0, now: () => clock.at, sleep: () => new Promise<void>(() => undefined) };
  const claim: HeldBatch = {
    batch: { runId: 'r', fence: { name: 'nightly', token: 1 }, after: 0, upTo: 10, maxRequests: null, deployment: {} },
    renew: async () => {
      renewals.push(clock.at);
      if (told.answer === 'away') throw new Error('no connection');
      return told.answer;
    },
    done: async () => undefined,
    giveBack: async () => undefined,
  };
  const held = holdBatch(claim, { claimMs: 10 * SECOND, clock, signal: new AbortController().signal });
  clock.at = ms;
  return { held, clock, renewals, told };
}

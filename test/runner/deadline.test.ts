import { describe, expect, it } from 'vitest';
import { startDeadline } from '../../src/runner/deadline.ts';
import { FakeClock } from '../support/fake-clock.ts';

const open = { maxDurationMs: null };

describe('a run takes no more work', () => {
  it('after its duration, every waiter is aborted', async () => {
    const clock = new FakeClock();
    using deadline = startDeadline({ ...open, clock: clock.monotonic, maxDurationMs: 6 * 3_600_000 });
    await clock.advance(6 * 3_600_000 - 1);
    expect(deadline.reason()).toBeNull();
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
    expect(deadline.signal.reason).toMatchObject({
      name: 'AbortError',
      message: 'The run takes no more work: max-duration',
    });
    expect(deadline.reason()).toBe('max-duration');
  });

  it('after its duration even where its timer is late', () => {
    let now = 0;
    const clock = { now: () => now, sleep: () => new Promise<void>(() => undefined) };
    using deadline = startDeadline({ ...open, clock, maxDurationMs: 1_000 });
    now = 1_000;
    expect(deadline.reason()).toBe('max-duration');
  });

  it('on a signal, before or after the start', () => {
    const stop = new AbortController();
    const clock = new FakeClock().monotonic;
    using running = startDeadline({ ...open, clock, signal: stop.signal });
    expect(running.reason()).toBeNull();
    stop.abort();
    expect(running.reason()).toBe('signal');
    using late = startDeadline({ ...open, clock, signal: stop.signal });
    expect(late.reason()).toBe('signal');
  });

  it('for the first reason only', async () => {
    const stop = new AbortController();
    const clock = new FakeClock();
    using deadline = startDeadline({ clock: clock.monotonic, maxDurationMs: 10, signal: stop.signal });
    stop.abort();
    await clock.advance(10);
    expect(deadline.reason()).toBe('signal');
  });

  it('at once where it has no time at all', () => {
    using deadline = startDeadline({ clock: new FakeClock().monotonic, maxDurationMs: 0 });
    expect(deadline.reason()).toBe('max-duration');
  });
});

it('a run that is over leaves no timer and no listener', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const deadline = startDeadline({ ...open, clock: clock.monotonic, maxDurationMs: 1_000, signal: stop.signal });
  deadline[Symbol.dispose]();
  await clock.advance(0);
  expect(clock.sleeping).toBe(0);
  stop.abort();
  expect(deadline.signal.aborted).toBe(false);
});

import { expect, it } from 'vitest';
import { FakeClock } from './fake-clock.ts';

it('fires timers in the order of their times, then of their calls', async () => {
  const clock = new FakeClock();
  const woken: string[] = [];
  const sleep = (name: string, ms: number) => void clock.monotonic.sleep(ms).then(() => woken.push(name));
  sleep('late', 30);
  sleep('early', 10);
  sleep('also early', 10);
  await clock.advance(20);
  expect(woken).toEqual(['early', 'also early']);
  await clock.advance(10);
  expect(woken).toEqual(['early', 'also early', 'late']);
});

it('runs timers that a fired timer starts at their own times', async () => {
  const clock = new FakeClock();
  const at: number[] = [];
  void (async () => {
    for (let round = 0; round < 3; round++) {
      await clock.wall.sleep(10);
      at.push(clock.elapsed);
    }
  })();
  await clock.advance(100);
  expect(at).toEqual([10, 20, 30]);
  expect(clock.elapsed).toBe(100);
});

it('moves both clocks, and the wall clock alone when it is set', async () => {
  const clock = new FakeClock({ wall: 1_000_000, monotonic: 500 });
  await clock.advance(250);
  clock.jumpWall(-3_600_000);
  expect(clock.wall.now()).toBe(1_000_250 - 3_600_000);
  expect(clock.monotonic.now()).toBe(750);
});

it('runs work for as long as it sleeps, and says when it waits for something else', async () => {
  const clock = new FakeClock();
  expect(await clock.run(clock.wall.sleep(5_000).then(() => 'done'))).toBe('done');
  expect(clock.elapsed).toBe(5_000);
  await expect(clock.run(new Promise(() => undefined))).rejects.toThrow('nobody sleeps');
});

it('ends an aborted sleep with an AbortError', async () => {
  const clock = new FakeClock();
  const waking = new AbortController();
  const sleeping = clock.wall.sleep(10, waking.signal);
  waking.abort();
  await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' });
  expect(clock.sleeping).toBe(0);
});

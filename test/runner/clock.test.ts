import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSystemClock, readOrNull } from '../../src/runner/clock.ts';

const CLOCK = join(import.meta.dirname, '../../src/runner/clock.ts');

describe('the monotonic clock', () => {
  it('is one clock for all processes of a boot', () => {
    const { monotonic } = createSystemClock();
    const script = `const { createSystemClock } = await import(${JSON.stringify(CLOCK)});
      const { monotonic } = createSystemClock();
      console.log(JSON.stringify({ domain: monotonic.domain, now: monotonic.now() }));`;
    const before = monotonic.now();
    const child = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
    );
    const after = monotonic.now();
    if (process.platform === 'linux' || process.platform === 'darwin') {
      expect(child.domain).toBe(monotonic.domain);
      expect(child.now).toBeGreaterThan(before);
      expect(child.now).toBeLessThan(after);
    } else {
      expect(child.domain).not.toBe(monotonic.domain);
    }
  });

  it('measures milliseconds', async () => {
    const { monotonic } = createSystemClock();
    const before = monotonic.now();
    await monotonic.sleep(30);
    const slept = monotonic.now() - before;
    // Timers may fire a fraction early, and late on a busy machine.
    expect(slept).toBeGreaterThan(28);
    expect(slept).toBeLessThan(20_000);
  });
});

it('a text of the system that is blank, or cannot be read, is unknown', () => {
  expect(readOrNull(() => ' abc\n')).toBe('abc');
  expect(readOrNull(() => '\n')).toBeNull();
  const unreadable = () => {
    throw new Error('EACCES');
  };
  expect(readOrNull(unreadable)).toBeNull();
});

describe('a sleep', () => {
  it('ends with an AbortError when it is aborted', async () => {
    const { wall } = createSystemClock();
    const waking = new AbortController();
    const sleeping = wall.sleep(60_000, waking.signal);
    waking.abort();
    await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('may be longer than a timer can be', async () => {
    const { wall } = createSystemClock();
    const waking = new AbortController();
    let woke = false;
    const sleeping = wall.sleep(60 * 24 * 3_600_000, waking.signal).then(
      () => {
        woke = true;
      },
      () => undefined,
    );
    // Node makes a millisecond of a timeout beyond 2^31 - 1.
    await wall.sleep(20);
    expect(woke).toBe(false);
    waking.abort();
    await sleeping;
  });
});

/**
 * The real clocks, the only place that reads them. The wall clock gives the time of day and may jump; the monotonic
 * clock measures durations, and is the same for all processes of one boot.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Instant } from '../domain/record.ts';
import type { MonotonicClock } from '../ports/pacing.ts';

/** Instants for people and files; what is paced goes by the monotonic one. */
export interface WallClock {
  now(): Instant;
  /** @throws an AbortError when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface SystemClock {
  wall: WallClock;
  monotonic: MonotonicClock;
}

/** Node turns a longer timeout into one of a millisecond. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  let left = Math.max(0, ms);
  for (; left > LONGEST_TIMEOUT_MS; left -= LONGEST_TIMEOUT_MS) await delay(LONGEST_TIMEOUT_MS, undefined, options);
  await delay(left, undefined, options);
}

/** A text of the operating system; null where it is empty, missing or not readable, as on systems without /proc. */
export function readOrNull(read: () => string): string | null {
  try {
    const text = read().trim();
    return text === '' ? null : text;
  } catch {
    return null;
  }
}

/**
 * Names the boot that monotonic readings count from. Linux: the boot id, with the time namespace where there is one
 * (a container may shift the clock). macOS: the boot session. Elsewhere readings of two processes are not known to be
 * comparable, so each process is a domain of its own: bookings of others then count as made just now, and the limiter
 * waits for the windows to drain: slower, but safe.
 */
function bootDomain(): string {
  if (process.platform === 'linux') {
    const boot = readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
    if (boot !== null) return `boot ${boot} ${readOrNull(() => readlinkSync('/proc/self/ns/time')) ?? 'time:[one]'}`;
  }
  if (process.platform === 'darwin') {
    const boot = readOrNull(() =>
      execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }),
    );
    if (boot !== null) return `boot ${boot}`;
  }
  return `process ${randomUUID()}`;
}

/**
 * The clocks of this machine. `monotonic` counts milliseconds, with fractions, since boot (CLOCK_MONOTONIC on Linux,
 * which stands still while the machine sleeps: that only makes waits longer).
 */
export function createSystemClock(): SystemClock {
  return {
    wall: { now: () => Date.now(), sleep },
    monotonic: {
      domain: bootDomain(),
      now: () => Number(process.hrtime.bigint()) / 1e6,
      sleep,
    },
  };
}

/**
 * One run at a time per job and database: a lease with heartbeat and a fencing token. The token, checked in every
 * write, is what makes it safe; the heartbeat only makes it quick.
 */
import { EXIT, TieoutError } from '../domain/errors.ts';
import type { Instant } from '../domain/record.ts';
import type { Fence, LeaseStore } from '../ports/store/store.ts';

/** Thrown where another run holds the lock. Exit code 5. */
export class LockHeldError extends TieoutError {
  override readonly name = 'LockHeldError';
  override readonly exitCode = EXIT.locked;
  constructor(name: string, holder: string, until: Instant) {
    super(
      `Another run holds the lock "${name}": ${holder}, until ${new Date(until).toISOString()} unless it renews it. Wait for it to end, or stop that process.`,
    );
  }
}

export interface LeaseOptions {
  leases: LeaseStore;
  name: string;
  /** Who we are, for the message that somebody else gets. */
  holder: string;
  /** Whether a holder named so is certainly dead: then its lease need not be waited for. */
  isDead: (holder: string) => boolean;
  now: () => Instant;
  ttlMs: number;
}

export interface HeldLease extends AsyncDisposable {
  readonly fence: Fence;
  /** @throws the heartbeat's error, once the lease is known to be lost. */
  check(): void;
}

/** @throws LockHeldError */
export async function holdLease(options: LeaseOptions): Promise<HeldLease> {
  const { leases, name, holder, now, ttlMs } = options;
  let answer = await leases.acquire(name, holder, now(), ttlMs);
  if (!('fence' in answer) && options.isDead(answer.heldBy)) {
    await leases.evict(name, answer.heldBy);
    answer = await leases.acquire(name, holder, now(), ttlMs);
  }
  if (!('fence' in answer)) throw new LockHeldError(name, answer.heldBy, answer.until);
  const { fence } = answer;
  let lost: unknown = null;
  const timer = setInterval(() => {
    leases.heartbeat(fence, now(), ttlMs).catch((error: unknown) => {
      lost ??= error;
    });
  }, ttlMs / 4);
  timer.unref();
  return {
    fence,
    check: () => {
      if (lost !== null) throw lost;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      // A lease that was lost is somebody else's by now; there is nothing of ours to release.
      if (lost !== null) return;
      try {
        await leases.release(fence);
      } catch {
        // It runs out by itself, and is taken from a process that is gone. Thrown from here, this would stand in the way of
        // what the work has to say, which mostly is that the database is away.
      }
    },
  };
}

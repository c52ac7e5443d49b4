/**
 * One run at a time per job and database: a lease with a heartbeat and a fencing token. Safety rests on the token, which every
 * write checks; the heartbeat only detects a lost lease early.
 */
import { EXIT, TieoutError } from '../domain/errors.ts';
import type { Instant } from '../domain/record.ts';
import type { Fence, LeaseStore } from '../ports/store/store.ts';

/** Thrown where another run holds the lock. Exit code 5. */
export class LockHeldError extends TieoutError {
  override readonly exitCode = EXIT.locked;
  constructor(name: string, holder: string, until: Instant) {
    super(
      `Another run holds the lock "${name}": ${holder}, until ${new Date(until).toISOString()} unless it renews it`,
      { remedy: 'wait for it to end, or stop that process' },
    );
  }
}

/** What a lease is held with. */
export interface Leasing {
  leases: LeaseStore;
  /** The name of this process in messages of other processes. */
  holder: string;
  /** Whether the process of a holder has certainly ended: its lease is then evicted. */
  isDead: (holder: string) => boolean;
  now: () => Instant;
}

interface HeldLease extends AsyncDisposable {
  readonly fence: Fence;
  /** @throws the heartbeat's error, once the lease is known to be lost. */
  check(): void;
}

/** @throws LockHeldError */
export async function holdLease(options: Leasing & { name: string; ttlMs: number }): Promise<HeldLease> {
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
      // A lost lease is held by another process: there is nothing to release.
      if (lost !== null) return;
      try {
        await leases.release(fence);
      } catch {
        // The lease expires anyway, and this error would hide that of the work (mostly the same unavailable
        // database).
      }
    },
  };
}

/**
 * Renews the claim on a batch while the work goes on, and stops the work once the claim has lapsed. See
 * docs/decisions/0010-many-machines.md.
 */
import type { HeldBatch } from '../ports/queue.ts';
import { type Clock, pause } from './pause.ts';

interface HolderEdges {
  /** How long a claim lasts that is not renewed, ms. */
  claimMs: number;
  /** Monotonic, ms; goes on while this process is stopped. */
  clock: Clock;
  /** Asks the worker to stop. */
  signal: AbortSignal;
}

/** Longest time between two renewals. */
const RENEW_MS = 2_500;

/**
 * A process that was suspended must not send requests for a batch that another worker has claimed since. `letGo` must be
 * called at the end.
 */
export function holdBatch(claim: HeldBatch, { claimMs, clock, signal }: HolderEdges) {
  const over = new AbortController();
  let lapsed = false;
  let renewedAt = clock.now();
  let renewing: Promise<void> | null = null;
  const ask = async (): Promise<void> => {
    const at = clock.now();
    try {
      if (await claim.renew()) {
        renewedAt = at;
        return;
      }
    } catch {
      // The database is away: the claim lasts until the end of its last renewal.
      if (at - renewedAt < claimMs) return;
    }
    lapsed = true;
    over.abort();
  };
  const renew = (): Promise<void> => {
    renewing ??= ask().finally(() => {
      renewing = null;
    });
    return renewing;
  };
  const keep = async (): Promise<void> => {
    for (;;) {
      await pause(clock, Math.min(RENEW_MS, claimMs / 4), over.signal);
      // The claim was let go, or has lapsed.
      if (over.signal.aborted) return;
      await renew();
    }
  };
  void keep();
  return {
    signal: AbortSignal.any([signal, over.signal]),
    reason: () => (lapsed ? 'lapsed' : signal.aborted ? 'signal' : null),
    /**
     * To be called just before each request, after the wait for its slot: this process may have been suspended for longer than a
     * claim lasts.
     * @throws an AbortError where the claim has lapsed.
     */
    async confirm(): Promise<void> {
      if (clock.now() - renewedAt >= claimMs / 2) await renew();
      if (lapsed) throw new DOMException('The batch is another worker’s by now', 'AbortError');
    },
    letGo: () => over.abort(),
  };
}

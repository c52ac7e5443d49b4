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
export class BatchHold {
  private readonly claim: HeldBatch;
  private readonly edges: HolderEdges;
  private readonly over = new AbortController();
  private lapsed = false;
  private renewedAt: number;
  private renewing: Promise<void> | null = null;

  constructor(claim: HeldBatch, edges: HolderEdges) {
    this.claim = claim;
    this.edges = edges;
    this.renewedAt = edges.clock.now();
    void this.keep();
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.edges.signal, this.over.signal]);
  }

  reason(): 'signal' | 'lapsed' | null {
    if (this.lapsed) return 'lapsed';
    return this.edges.signal.aborted ? 'signal' : null;
  }

  /**
   * To be called just before each request, after the wait for its slot: this process may have been suspended for longer than a
   * claim lasts.
   * @throws an AbortError where the claim has lapsed.
   */
  async confirm(): Promise<void> {
    if (this.edges.clock.now() - this.renewedAt >= this.edges.claimMs / 2) await this.renew();
    if (this.lapsed) throw new DOMException('The batch is another worker’s by now', 'AbortError');
  }

  letGo(): void {
    this.over.abort();
  }

  private async keep(): Promise<void> {
    const { clock, claimMs } = this.edges;
    for (;;) {
      await pause(clock, Math.min(RENEW_MS, claimMs / 4), this.over.signal);
      // The claim was let go, or has lapsed.
      if (this.over.signal.aborted) return;
      await this.renew();
    }
  }

  private renew(): Promise<void> {
    this.renewing ??= this.ask().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async ask(): Promise<void> {
    const at = this.edges.clock.now();
    try {
      if (await this.claim.renew()) {
        this.renewedAt = at;
        return;
      }
    } catch {
      // The database is away: the claim lasts until the end of its last renewal.
      if (at - this.renewedAt < this.edges.claimMs) return;
    }
    this.lapsed = true;
    this.over.abort();
  }
}

/**
 * Stop conditions of a run: its time limit, or a signal. The limiter counts its requests, because only the limiter
 * knows that a request is sent.
 */

type StopReason = 'max-duration' | 'signal';

interface DeadlineOptions {
  /** Measures the duration; a monotonic clock, so that a jump of the wall clock neither ends nor prolongs a run. */
  clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** From now; null for no end. */
  maxDurationMs: number | null;
  /** Asks the run to stop, for example on SIGTERM. */
  signal?: AbortSignal | undefined;
}

interface Deadline extends Disposable {
  /** The reason to start no more work, or null to continue. The first reason stays. */
  reason(): StopReason | null;
  /** Aborts waits, with the reason. The caller finishes the requests in flight. */
  readonly signal: AbortSignal;
}

/** Starts counting now. Dispose of it when the run is over: it holds a timer. */
export function startDeadline(options: DeadlineOptions): Deadline {
  const { clock, maxDurationMs, signal } = options;
  const stopping = new AbortController();
  const timer = new AbortController();
  const endsAt = maxDurationMs === null ? null : clock.now() + maxDurationMs;
  let reason: StopReason | null = null;

  const stop = (why: StopReason) => {
    if (reason !== null) return;
    reason = why;
    stopping.abort(new DOMException(`The run takes no more work: ${why}`, 'AbortError'));
  };
  const onSignal = () => stop('signal');
  const look = () => {
    // Checked here, too: a busy event loop may delay the timer.
    if (endsAt !== null && clock.now() >= endsAt) stop('max-duration');
    return reason;
  };

  if (signal?.aborted) stop('signal');
  signal?.addEventListener('abort', onSignal, { once: true });
  if (maxDurationMs !== null) {
    // Not `look`: a timer may fire a fraction of a millisecond early, and only once.
    clock.sleep(maxDurationMs, timer.signal).then(
      () => stop('max-duration'),
      (error: unknown) => {
        if (!timer.signal.aborted) throw error;
      },
    );
  }
  look();
  return {
    reason: look,
    signal: stopping.signal,
    [Symbol.dispose]: () => {
      timer.abort();
      signal?.removeEventListener('abort', onSignal);
    },
  };
}

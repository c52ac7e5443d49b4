/** Coalesces requests for work: any number of requests during one execution cause a single further one. */

/** Work that many ask for, and that is done once for all of them. */
export type CoalescedWork = ReturnType<typeof coalesce>;

interface CoalesceOptions {
  /** Resolves with milliseconds after which to repeat it without a request, or null where nothing is left to do. */
  work: () => Promise<number | null>;
  /** Between two executions: requests without end must leave time for other work of the process. */
  restMs: number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
}

export function coalesce({ work, restMs, sleep, onError }: CoalesceOptions) {
  const stopping = new AbortController();
  let asked = false;
  let running: Promise<void> | null = null;

  const runAll = async (): Promise<void> => {
    while (asked && !stopping.signal.aborted) {
      asked = false;
      const again = await work().catch((error: unknown) => {
        onError(error);
        return null;
      });
      asked ||= again !== null;
      // The sleep fails only by the stop's signal.
      if (asked) await sleep(again ?? restMs, stopping.signal).catch(() => undefined);
    }
    running = null;
  };

  return {
    /** Requests an execution of the work that begins after this call. */
    ask: () => {
      asked = true;
      running ??= runAll();
    },
    /** Resolves when nothing is under way; later requests have no effect. */
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Waiting for a signal: what `serve`, `schedule` and `sandbox` do once everything is started. */

/** Resolves when the signal is given, and keeps the process alive until then: timers of libraries may be unreferenced. */
export async function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    clearInterval(alive);
  }
}

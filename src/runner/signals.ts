/** SIGTERM, SIGINT and the end of the terminal: the first asks the work to save and stop, a second one ends the process. */

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/**
 * A terminal sends Ctrl-C to every process of its group, and npm and the launcher for an older Node send it on: what comes
 * within this time is the same request, ms.
 */
const ONE_REQUEST_MS = 1_000;
export type StopSignal = keyof typeof EXIT_CODES;

/** The part of `process` that is used, so that a test can stand in for it. */
export interface SignalSource {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  exit(code: number): unknown;
}

/** Whether a signal asked the work to stop, and the exit code for it. */
export interface StopListener {
  /** Aborts on the first signal. */
  readonly signal: AbortSignal;
  /** The exit code after the work has stopped: 129, 130 or 143; null without a signal. */
  exitCode(): number | null;
  /** Stops listening: from then on a signal ends the process as it does by default. */
  release(): void;
}

/** Listens on `source`, which is `process` outside of tests. */
export function listenForStop(source: SignalSource): StopListener {
  const stopping = new AbortController();
  let code: number | null = null;
  let firstAt = 0;
  const onSignal = (signal: StopSignal) => {
    // A second signal ends the process at once; a resumed run starts from the saved progress.
    if (code !== null) {
      if (performance.now() - firstAt >= ONE_REQUEST_MS) source.exit(EXIT_CODES[signal]);
      return;
    }
    code = EXIT_CODES[signal];
    firstAt = performance.now();
    stopping.abort(new DOMException(`Stopped by ${signal}`, 'AbortError'));
  };
  for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) source.on(signal, onSignal);
  return {
    signal: stopping.signal,
    exitCode: () => code,
    release: () => {
      for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) source.off(signal, onSignal);
    },
  };
}

/** Opens the application for a call of the library. */
import type { LoadedSettings } from '../../../config/load.ts';
import { createSystemClock } from '../../runner/clock.ts';
import { Releasers } from '../../runner/releasers.ts';
import { type App, openApp } from '../app.ts';
import type { AppOptions } from '../wiring.ts';

/** @throws as `openApp` does, after everything that was opened is closed */
export async function openFor(
  loaded: LoadedSettings,
  options: Partial<AppOptions> = {},
): Promise<{ app: App; close: (cause?: unknown) => Promise<void> }> {
  const releasers = new Releasers();
  try {
    const app = await openApp({
      signal: new AbortController().signal,
      ...options,
      loaded,
      releasers,
      clock: createSystemClock(),
      random: Math.random,
    });
    return { app, close: (cause) => releasers.release(cause) };
  } catch (error) {
    await releasers.release(error);
    throw error;
  }
}

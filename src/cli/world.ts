/** The interface of commands to the process: streams, environment, clock, files, signals. Tests pass their own. */
import type { Readable, Writable } from 'node:stream';
import { codeVersion } from '../app/version.ts';
import { createSystemClock, type SystemClock } from '../runner/clock.ts';
import type { SignalSource } from '../runner/signals.ts';
import { readText } from '../text/unreadable.ts';

export interface World {
  stdin: Readable;
  stdout: Terminal;
  stderr: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  clock: SystemClock;
  /** @throws as node:fs does */
  readFile: (path: string) => string;
  /** Of this Tieout, with its build. */
  readonly version: string;
  /** Where SIGINT, SIGTERM and SIGHUP come from; its `exit` ends the process at once. */
  signals: SignalSource;
  /** Calls the handler for an error that no promise caught, instead of printing Node's stack trace: until the process ends, because it may come after the command. */
  onCrash: (handler: (error: unknown) => void) => void;
}

export type Terminal = Writable & { isTTY?: boolean; columns?: number };

export function processWorld(): World {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    clock: createSystemClock(),
    readFile: readText,
    get version() {
      return codeVersion();
    },
    signals: process,
    onCrash: (handler) => process.on('uncaughtException', handler),
  };
}

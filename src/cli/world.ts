/** The interface of commands to the process: streams, environment, files, signals. Tests pass their own. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import type { SignalSource } from '../runner/signals.ts';

export interface World {
  stdin: Readable;
  stdout: Terminal;
  stderr: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  /** @throws as node:fs does */
  readFile: (path: string) => string;
  /** Of this Tieout, from package.json. */
  version: string;
  /** Where SIGINT and SIGTERM come from; its `exit` ends the process at once. */
  signals: SignalSource;
  /** Calls the handler for an error that no promise caught, instead of printing Node's stack trace. Returns the function that removes it. */
  onCrash: (handler: (error: unknown) => void) => () => void;
}

export type Terminal = Writable & { isTTY?: boolean; columns?: number };

export function processWorld(): World {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    readFile: (path) => readFileSync(path, 'utf8'),
    version: ownVersion(),
    signals: process,
    onCrash: (handler) => {
      process.on('uncaughtException', handler);
      return () => process.off('uncaughtException', handler);
    },
  };
}

/** Sources and build lie at different depths below it. */
function ownVersion(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) return 'unknown';
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { version?: unknown };
  return typeof manifest.version === 'string' ? manifest.version : 'unknown';
}

/** A folder of its own with settings, ids and the real command line in it: what an engineer on call has. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runEnvironment } from '../../support/run-folder.ts';
import { type Csv, readCsv } from './csv.ts';

const LAUNCHER = fileURLToPath(new URL('../../../src/cli/tieout.js', import.meta.url));

export interface Finished {
  code: number | null;
  out: string;
  err: string;
}

export interface CallOptions {
  stdin?: string;
  env?: Record<string, string>;
}

export interface Running {
  child: ChildProcess;
  done: Promise<Finished>;
}

export interface Workspace {
  folder: string;
  path(...names: string[]): string;
  write(name: string, text: string | Buffer): void;
  read(name: string): string;
  /** Runs `tieout …` to its end; standard input is empty unless given. */
  tieout(args: readonly string[], options?: CallOptions): Promise<Finished>;
  /** Starts it and answers at once, for signals. */
  start(args: readonly string[], options?: CallOptions): Running;
  /** A published CSV file of a set: `csv('2026-11-20/nightly-r1', 'records')`. */
  csv(set: string, name: string): Csv;
  manifest(set: string): Record<string, unknown>;
  remove(): void;
}

export interface WorkspaceOptions {
  /** Further lines below `service:`, each with two spaces before it. */
  service?: string;
  /** Further top-level YAML. */
  settings?: string;
  /** Of one exchange; generous, as machines are slow at times. */
  timeout?: string;
}

/** Nothing waits on purpose: no limits, no guard, one retry. */
export function openWorkspace(
  serviceUrl: string | null,
  { service = '', settings = '', timeout = '20s' }: WorkspaceOptions = {},
): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-e2e-'));
  const url = serviceUrl === null ? '' : `  url: ${serviceUrl}\n`;
  const quick = `service:\n  rateLimits: off\n  retries: 1\n  guard: 0s\n  timeout: ${timeout}\n`;
  writeFileSync(join(folder, 'tieout.yaml'), `${quick}${url}${service}${settings}`);
  const path = (...names: string[]) => join(folder, ...names);
  const running = new Set<ChildProcess>();
  const start = (args: readonly string[], { stdin = '', env = {} }: CallOptions = {}): Running => {
    // Nothing of this environment but the PATH: a developer's own settings must not matter.
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', CI: '1', ...runEnvironment(), ...env },
    });
    running.add(child);
    child.on('exit', () => running.delete(child));
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    return { child, done: new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err }))) };
  };
  return {
    folder,
    path,
    write: (name, text) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    tieout: (args, options) => start(args, options).done,
    start,
    csv: (set, name) => readCsv(readFileSync(path('out', set, `${name}.csv`), 'utf8')),
    manifest: (set) => JSON.parse(readFileSync(path('out', set, 'manifest.json'), 'utf8')) as Record<string, unknown>,
    remove: () => {
      // Left by a test that failed or was stopped: it would outlive the run, and make its folders anew.
      for (const child of running) child.kill('SIGKILL');
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Processes start slowly where many run at once; what takes longer than this hangs. */
export const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000 };

/** Waits until something is true, looking every few milliseconds; fails the test after a minute, or what a long way takes. */
export async function until(what: string, isTrue: () => boolean, patienceMs = 60_000): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const FROZEN_CLOCK = new URL('../../faults/children/frozen-clock.ts', import.meta.url).href;

/** For the environment of a command: its wall clock stands at an instant, as a person's would have on that day. */
export function clockAt(iso: string): Record<string, string> {
  return { NODE_OPTIONS: `--import ${FROZEN_CLOCK}`, TIEOUT_FAULTS_NOW: String(Date.parse(iso)) };
}

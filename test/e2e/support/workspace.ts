/**
 * A folder of its own with settings, ids and the real command line in it: what an engineer on call has. Commands run in this process;
 * those that are about a process (its signals, locks, crashes, start) have one of their own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { commandIn } from '../../support/command-in.ts';
import { runEnvironment } from '../../support/run-folder.ts';
import { type Csv, readCsv } from './csv.ts';

const LAUNCHER = fileURLToPath(new URL('../../../src/cli/tieout.js', import.meta.url));

export interface Finished {
  /** Null where a signal ended it. */
  code: number | null;
  out: string;
  err: string;
}

/** What a process prints until it has ended, or until its reader has gone. */
export function outputOf(child: ChildProcess): Promise<Finished> {
  const printed = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    printed.out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    printed.err += chunk.toString();
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...printed })));
}

export interface CallOptions {
  stdin?: string;
  env?: Record<string, string>;
  /** ISO; the wall clock of the command stands there, as a person's would have on that day. */
  now?: string;
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
  /** The same, and it must end with that exit code. */
  ends(code: number, args: readonly string[], options?: CallOptions): Promise<Finished>;
  /** The same in a process of its own, which costs half a second of processor time. */
  process(args: readonly string[], options?: CallOptions): Promise<Finished>;
  /** Starts a process and answers at once, for signals. */
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

/** The histories of the demo end today: those of one day are the same on every day. `test/simulation` has other ones. */
export const DEMO_DAY = '2026-11-20T12:00:00Z';

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
  // Nothing of this environment but the PATH: a developer's own settings must not matter.
  const base = { PATH: process.env.PATH ?? '', CI: '1', ...runEnvironment() };
  const start = (args: readonly string[], { stdin = '', env = {}, now }: CallOptions = {}): Running => {
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      cwd: folder,
      env: { ...base, ...(now === undefined ? {} : clockAt(now)), ...env },
    });
    running.add(child);
    child.on('exit', () => running.delete(child));
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    return { child, done: outputOf(child) };
  };
  const tieout: Workspace['tieout'] = (args, { env, ...options } = {}) =>
    commandIn(folder, args, { ...options, env: { ...base, ...env } });
  return {
    folder,
    path,
    write: (name, text) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    tieout,
    ends: async (code, args, options) => {
      const done = await tieout(args, options);
      expect(done.code, done.err || done.out).toBe(code);
      return done;
    },
    process: (args, options) => start(args, options).done,
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

/** Waits until something is true, looking every few milliseconds; fails the test after three minutes, or what a long way takes. */
export async function until(what: string, isTrue: () => boolean, patienceMs = 180_000): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const FROZEN_CLOCK = new URL('../../faults/children/frozen-clock.ts', import.meta.url).href;

function clockAt(iso: string): Record<string, string> {
  return { NODE_OPTIONS: `--import ${FROZEN_CLOCK}`, TIEOUT_FAULTS_NOW: String(Date.parse(iso)) };
}

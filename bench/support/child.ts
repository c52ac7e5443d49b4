/** Runs a measured process of its own, so that neither the benchmark's memory nor its peers' count. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPart, type Part } from './cores.ts';

/** Of a whole process, its start included. */
export interface Usage {
  /** Largest resident set, in MiB. */
  peakMb: number;
  /** User and system time of all its threads. */
  cpuSeconds: number;
}

export interface Measured extends Usage {
  seconds: number;
  stdout: string;
  exitCode: number;
}

/** The installed command. */
export const TIEOUT = fileURLToPath(new URL('../../src/cli/tieout.js', import.meta.url));
const HOOK = new URL('./usage-at-exit.ts', import.meta.url).href;

// The environment goes before the settings file: a database or key that the shell names would be measured in place of the benchmark's.
for (const name of Object.keys(process.env)) {
  if (/^TIEOUT_(?!BENCH_|CHROMIUM|TEST_)/.test(name)) delete process.env[name];
}

/** Environment that makes a Node process write its `Usage` to a file when it ends. */
export function usageTo(file: string): Record<string, string> {
  return { NODE_OPTIONS: `--import ${HOOK}`, TIEOUT_BENCH_USAGE: file };
}

export interface ChildOptions {
  /** Exit codes that count as success; 0 by default. */
  expect?: readonly number[];
  /** Flags of Node itself, such as `--cpu-prof`. */
  nodeFlags?: readonly string[];
  /** All cores by default. */
  part?: Part | null;
  /** Set for the child alone. */
  env?: Record<string, string>;
}

/** Runs `node …args` to its end. @throws Error with its messages where it ends in another way than expected. */
export async function measure(args: readonly string[], options: ChildOptions = {}): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'));
  const usageFile = join(folder, 'usage.json');
  try {
    const started = process.hrtime.bigint();
    const node = [process.execPath, ...(options.nodeFlags ?? []), '--import', HOOK, ...args];
    const [command, ...words] = onPart(options.part ?? null, node);
    const child = spawn(command, words, {
      env: { ...process.env, ...options.env, TIEOUT_BENCH_USAGE: usageFile },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? -1));
    });
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    if (!(options.expect ?? [0]).includes(exitCode)) {
      throw new Error(`node ${args.join(' ')} ended with ${exitCode}:\n${stderr || stdout}`);
    }
    const usage = JSON.parse(readFileSync(usageFile, 'utf8')) as Usage;
    return { ...usage, seconds, stdout, exitCode };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

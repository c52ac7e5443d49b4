/** Faults in single system calls of a real process, by strace's injection. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Finished, outputOf } from '../../e2e/support/workspace.ts';

export interface Traced extends Finished {
  /** strace's lines, without the process id. */
  lines: readonly string[];
}

export interface Tracing {
  /** `fsync:error=EIO:when=3`; counted for each system call by itself, over the calls on `paths` alone. */
  inject?: string;
  /** Calls on these paths only, and on descriptors of them. */
  paths?: readonly string[];
  /** `-y`: descriptors are printed with their paths. */
  showPaths?: boolean;
  cwd?: string;
}

/** Whether strace is there and may trace: it may not in every container. */
export function canTrace(): boolean {
  return process.platform === 'linux' && spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
}

/** Runs a command of Node's under strace to its end. The test goes on meanwhile: it may be the one that must answer. */
export async function traceNode(args: readonly string[], options: Tracing = {}): Promise<Traced> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-trace-'));
  const output = join(folder, 'trace');
  const words = ['-f', '-s', '0', '-o', output];
  if (options.showPaths) words.push('-y');
  for (const path of options.paths ?? []) words.push('-P', path);
  if (options.inject !== undefined) {
    // Without --seccomp-bpf, although it is faster: together with path filters it does not deliver the injected signal.
    const names = options.inject.split(':', 1)[0] ?? '';
    words.push('-e', `trace=${names}`, '-e', `inject=${options.inject}`);
  }
  try {
    const child = spawn('strace', [...words, process.execPath, ...args], {
      cwd: options.cwd,
      env: { PATH: process.env.PATH ?? '', CI: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = await outputOf(child);
    const lines = readFileSync(output, 'utf8').split('\n');
    return { ...printed, lines: lines.map((line) => line.replace(/^\d+\s+/, '')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How often each system call was made: `fsync → 12`. */
export function countCalls(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    // `<... fsync resumed>` is the second half of a call that was counted already.
    const name = /^([a-z0-9_]+)\(/.exec(line)?.[1];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

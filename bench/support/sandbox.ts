/** The sandbox in a process of its own: the Service is never measured with its client. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SandboxStats } from '../../src/sandbox/contract.ts';
import { TIEOUT } from './child.ts';
import { onPart, type Part } from './cores.ts';

export interface RunningSandbox {
  /** What `service.url` wants. */
  url: string;
  /** Downloads `/sandbox/<name>` into a file. */
  save(name: 'tracked' | 'quotes', file: string): Promise<void>;
  /** What the Service itself counted. */
  stats(): Promise<SandboxStats>;
  /** Seconds of processor time so far; null where the system does not report it. */
  stop(): Promise<void>;
}

/** @param args of `node`, up to and including what prints `{"url": …}` as its first line. */
export async function startSandbox(args: readonly string[], part: Part | null = null): Promise<RunningSandbox> {
  const [command, ...words] = onPart(part, [process.execPath, ...args]);
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await firstUrl(child);
  const { origin } = new URL(url);
  return {
    url,
    async save(name, file) {
      const response = await fetch(`${origin}/sandbox/${name}`);
      if (!response.ok || response.body === null)
        throw new Error(`the sandbox answered ${response.status} for ${name}`);
      await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
    },
    stats: async () => (await (await fetch(`${origin}/sandbox/stats`)).json()) as SandboxStats,
    stop: () => stopped(child),
  };
}

/** `tieout sandbox` without limits. */
export function unlimitedSandbox(records: number, part: Part | null = null): Promise<RunningSandbox> {
  const flags = ['--port', '0', '--records', String(records), '--defects', '0.03', '--rate-limit', 'off', '--json'];
  return startSandbox([TIEOUT, 'sandbox', ...flags], part);
}

function firstUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const url = /"url":\s*"([^"]+)"/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.on('exit', (code) => reject(new Error(`the sandbox ended with ${code} before it listened`)));
  });
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

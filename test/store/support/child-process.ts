/** Starts one of the small programs under `processes/` in a Node of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export interface Child {
  process: ChildProcess;
  /** What it printed, once it has ended well. Rejects with what it complained of. */
  output: Promise<string>;
}

export function start(program: string, ...args: string[]): Child {
  const path = join(import.meta.dirname, '..', 'processes', program);
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let complaints = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const output = new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(printed.trim());
      else reject(new Error(`${program} ended with ${code}: ${complaints}`));
    });
  });
  return { process: child, output };
}

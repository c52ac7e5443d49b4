import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { listenForStop, type SignalSource, type StopSignal } from '../../src/runner/signals.ts';

/** Replaces `process`: keeps listeners, and records the exit code. */
class FakeProcess implements SignalSource {
  readonly exits: number[] = [];
  readonly #listeners = new Map<string, (signal: StopSignal) => void>();

  on(signal: StopSignal, listener: (signal: StopSignal) => void): void {
    this.#listeners.set(signal, listener);
  }

  off(signal: StopSignal): void {
    this.#listeners.delete(signal);
  }

  exit(code: number): void {
    this.exits.push(code);
  }

  receive(signal: StopSignal): void {
    this.#listeners.get(signal)?.(signal);
  }

  get listening(): number {
    return this.#listeners.size;
  }
}

afterEach(() => void vi.useRealTimers());

it.each([
  { signal: 'SIGHUP', code: 129 },
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
] as const)('the first $signal asks to stop; the work then exits with $code', ({ signal, code }) => {
  const source = new FakeProcess();
  const stop = listenForStop(source);
  expect(stop.exitCode()).toBeNull();
  source.receive(signal);
  expect(stop.signal.aborted).toBe(true);
  expect(stop.exitCode()).toBe(code);
  expect(source.exits).toEqual([]);
});

it('a terminal, npm and the launcher each send the same Ctrl-C: together they ask once', () => {
  vi.useFakeTimers();
  const source = new FakeProcess();
  const stop = listenForStop(source);
  source.receive('SIGINT');
  vi.advanceTimersByTime(999);
  source.receive('SIGINT');
  source.receive('SIGTERM');
  expect(source.exits).toEqual([]);
  expect(stop.exitCode()).toBe(130);
});

it('the second signal exits at once', () => {
  vi.useFakeTimers();
  const source = new FakeProcess();
  const stop = listenForStop(source);
  source.receive('SIGTERM');
  vi.advanceTimersByTime(1_000);
  source.receive('SIGINT');
  expect(source.exits).toEqual([130]);
  expect(stop.exitCode()).toBe(143);
});

it('after its release no listener is left', () => {
  const source = new FakeProcess();
  const stop = listenForStop(source);
  expect(source.listening).toBe(3);
  stop.release();
  expect(source.listening).toBe(0);
});

it('works with the real process', async () => {
  const signals = join(import.meta.dirname, '../../src/runner/signals.ts');
  const script = `const { listenForStop } = await import(${JSON.stringify(signals)});
    const stop = listenForStop(process);
    const alive = setInterval(() => {}, 1000);
    stop.signal.addEventListener('abort', () => { clearInterval(alive); stop.release(); process.exitCode = stop.exitCode(); });
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(143);
});

/** A process that is not one: streams that are kept, an environment of its own, signals on demand. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { runCli } from '../../src/cli/main.ts';
import type { OpenApp } from '../../src/cli/session.ts';
import type { Terminal, World } from '../../src/cli/world.ts';
import { createSystemClock } from '../../src/runner/clock.ts';
import type { StopSignal } from '../../src/runner/signals.ts';

export interface FakeWorld extends World {
  /** The output so far. */
  out: () => string;
  err: () => string;
  send: (signal: StopSignal) => void;
  /** Codes that the process was ended with at once. */
  exits: number[];
}

export interface WorldOptions {
  env?: Record<string, string>;
  stdin?: string;
  tty?: boolean;
  /** ISO; the wall clock stands there. Without it, it is the machine's. */
  now?: string;
}

function terminal(tty: boolean): { stream: Terminal; text: () => string } {
  const chunks: Buffer[] = [];
  const stream: Terminal = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  if (tty) Object.assign(stream, { isTTY: true, columns: 100 });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

function clockAt(now: string | undefined): World['clock'] {
  const clock = createSystemClock();
  return now === undefined ? clock : { ...clock, wall: { ...clock.wall, now: () => Date.parse(now) } };
}

export function aWorld({ env = {}, stdin = '', tty = false, now }: WorldOptions = {}): FakeWorld {
  const stdout = terminal(tty);
  const stderr = terminal(tty);
  const emitter = new EventEmitter();
  const exits: number[] = [];
  return {
    stdin: Object.assign(Readable.from([Buffer.from(stdin)]), tty ? { isTTY: true } : {}),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env,
    clock: clockAt(now),
    readFile: (path) => readFileSync(path, 'utf8'),
    version: '1.2.3',
    signals: {
      on: (signal, listener) => emitter.on(signal, listener),
      off: (signal, listener) => emitter.off(signal, listener),
      exit: (code) => exits.push(code),
    },
    onCrash: () => undefined,
    out: stdout.text,
    err: stderr.text,
    send: (signal) => void emitter.emit(signal, signal),
    exits,
  };
}

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

const none: OpenApp = () => Promise.reject(new Error('this command should not open the application'));

/** Runs one command line. @param line words with blanks between them, or a list where a word has one, as a path may. */
export async function tieout(
  line: string | readonly string[],
  options: WorldOptions & { openApp?: OpenApp } = {},
): Promise<Outcome> {
  const world = aWorld(options);
  const argv = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
  const code = await runCli(argv, world, options.openApp ?? none);
  return { code, out: world.out(), err: world.err() };
}

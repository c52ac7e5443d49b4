/** A process that is not one: streams that are kept, an environment of its own, signals on demand. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { runCli } from '../../src/cli/main.ts';
import type { OpenApp } from '../../src/cli/session.ts';
import type { Terminal, World } from '../../src/cli/world.ts';

export interface FakeWorld extends World {
  /** The output so far. */
  out: () => string;
  err: () => string;
  send: (signal: 'SIGINT' | 'SIGTERM') => void;
  /** Codes that the process was ended with at once. */
  exits: number[];
}

export interface WorldOptions {
  env?: Record<string, string>;
  stdin?: string;
  tty?: boolean;
}

function terminal(tty: boolean): { stream: Terminal; text: () => string } {
  const chunks: string[] = [];
  const stream: Terminal = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  if (tty) Object.assign(stream, { isTTY: true, columns: 100 });
  return { stream, text: () => chunks.join('') };
}

export function aWorld({ env = {}, stdin = '', tty = false }: WorldOptions = {}): FakeWorld {
  const stdout = terminal(tty);
  const stderr = terminal(tty);
  const emitter = new EventEmitter();
  const exits: number[] = [];
  return {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env,
    readFile: (path) => readFileSync(path, 'utf8'),
    version: '1.2.3',
    signals: {
      on: (signal, listener) => emitter.on(signal, listener),
      off: (signal, listener) => emitter.off(signal, listener),
      exit: (code) => exits.push(code),
    },
    onCrash: () => () => undefined,
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
  // Streams pass on written text in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  return { code, out: world.out(), err: world.err() };
}

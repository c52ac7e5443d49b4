/** Runs one command line: parses it, runs the command, turns whatever happens into one exit code. */
import { CommanderError } from 'commander';
import { VARIABLES } from '../../config/environment.ts';
import { EXIT, exitCodeOf, isAbort, TieoutError } from '../domain/errors.ts';
import { listenForStop, type StopListener } from '../runner/signals.ts';
import { CliContext } from './context.ts';
import { printable } from './output.ts';
import { createProgram } from './program.ts';
import { Scrubber } from './scrub.ts';
import type { OpenApp } from './session.ts';
import { processWorld, type World } from './world.ts';

/** The entry point of the launcher. Sets the exit code and lets the process end by itself, so that output is flushed. */
export async function main(argv: readonly string[]): Promise<void> {
  process.exitCode = await runCli(argv, processWorld());
}

/** Never throws: every outcome is an exit code, and every error has been told on standard error. */
export async function runCli(argv: readonly string[], world: World, openApp: OpenApp = realApp): Promise<number> {
  const scrubber = new Scrubber();
  scrubber.add(environmentSecrets(world.env));
  quietPipe(world);
  const stop = listenForStop(world.signals);
  const grace = endAfterGrace(stop, world);
  const context = new CliContext({ world, openApp, scrubber, signal: stop.signal });
  const tell = (error: unknown) => {
    const verbose = context.verbose || argv.includes('-v') || argv.includes('--verbose');
    world.stderr.write(reportError(error, { verbose, scrub: (text) => scrubber.scrub(text) }));
  };
  // What is stored is only ever what was committed, so ending at once loses nothing; going on after this might.
  const forgetCrash = world.onCrash((error) => {
    tell(error);
    world.signals.exit(exitCodeOf(error));
  });
  try {
    await createProgram(context, world).parseAsync([...argv], { from: 'user' });
    return stop.exitCode() ?? context.exitCode;
  } catch (error) {
    if (isHelp(error)) return EXIT.clean;
    // The work was told to stop, and stopping is what it reports.
    if (stop.exitCode() !== null && isAbort(error)) world.stderr.write('tieout: stopped; what was saved stays\n');
    else if (!isMissingCommand(error)) tell(error);
    return stop.exitCode() ?? (error instanceof CommanderError ? EXIT.usage : exitCodeOf(error));
  } finally {
    grace.end();
    forgetCrash();
    stop.release();
  }
}

/** Loaded when a command needs it: `tieout --help` opens no database driver. */
const realApp: OpenApp = async (options) => (await import('../app/app.ts')).openApp(options);

/** A stopped command has thirty seconds to save what it has; what hangs longer is ended. */
const GRACE = 29_000;

function endAfterGrace(stop: StopListener, world: World): { end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  stop.signal.addEventListener('abort', () => {
    timer = setTimeout(() => world.signals.exit(stop.exitCode() ?? EXIT.terminated), GRACE);
    timer.unref();
  });
  return { end: () => clearTimeout(timer) };
}

/** Help and version that were asked for; help that is shown because a command is missing is a usage error. */
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

/** `tieout breaks` alone: commander has printed the group's help, which says it all. */
function isMissingCommand(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.help';
}

/** A reader that has gone (`| head`) must not end the process with a stack trace; output.ts stops writing by itself. */
function quietPipe({ stdout, stderr }: World): void {
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Known before any settings are, for the messages about the settings themselves. */
function environmentSecrets(env: World['env']): string[] {
  const names = VARIABLES.filter(({ file, path }) => file && path?.at(-1) !== 'publicKeys').map(({ name }) => name);
  return names.map((name) => env[name] ?? '').filter((value) => !value.startsWith('sqlite:'));
}

const MAX_CAUSES = 10;

export interface ErrorReport {
  verbose: boolean;
  scrub: (text: string) => string;
}

/** The text for standard error, with its newline. */
export function reportError(error: unknown, { verbose, scrub }: ErrorReport): string {
  return `${printable(scrub(linesOf(error, verbose).join('\n')))}\n`;
}

function linesOf(error: unknown, verbose: boolean): string[] {
  if (error instanceof CommanderError) {
    return [`tieout: ${error.message.replace(/^error: /, '')}`, 'Run the command with --help to see how it is called.'];
  }
  if (!(error instanceof Error)) return [`tieout: unexpected error: ${String(error)}`, hint(verbose)];
  const known = error instanceof TieoutError;
  const first = known ? `tieout: ${error.message}` : `tieout: unexpected error: ${error.name}: ${error.message}`;
  const lines = [first];
  if (verbose) lines.push(...causesOf(error));
  // Where it happened helps only those who can change it, and only where nobody foresaw it.
  if (verbose && !known && error.stack !== undefined) lines.push(...framesOf(error.stack));
  if (!known) lines.push(hint(verbose));
  return lines;
}

function causesOf(error: Error): string[] {
  const lines: string[] = [];
  let cause = error.cause;
  while (cause !== undefined && cause !== null && lines.length < MAX_CAUSES) {
    lines.push(`  because: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return lines;
}

function framesOf(stack: string): string[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 10);
}

function hint(verbose: boolean): string {
  return verbose
    ? 'This is a defect in Tieout; please report it with the lines above.'
    : 'Run again with -v to see the cause.';
}

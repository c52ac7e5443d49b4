/** Runs one command line: parses it, runs the command, turns every outcome into one exit code. */
import { CommanderError } from 'commander';
import { EXIT, exitCodeOf, isAbort, systemFault, TieoutError } from '../domain/errors.ts';
import { listenForStop } from '../runner/signals.ts';
import { CliContext } from './context.ts';
import { createProgram } from './program.ts';
import { Scrubber } from './scrub.ts';
import type { OpenApp } from './session.ts';
import { printable } from './table.ts';
import { processWorld, type World } from './world.ts';

/** The entry point of the launcher. Sets the exit code and lets the process end by itself, so that output is flushed. */
export async function main(argv: readonly string[]): Promise<void> {
  process.on('exit', cutOff);
  process.exitCode = await runCli(argv, processWorld());
  process.off('exit', cutOff);
}

/** A plugin that calls `process.exit` would let a night that judged nothing look clean, or like one with breaks. */
function cutOff(code: number): void {
  if (code !== EXIT.clean && code !== EXIT.breaks) return;
  process.stderr.write('tieout: a plugin ended the process before the command was done\n');
  process.exitCode = EXIT.unavailable;
}

/** Never throws: every outcome is an exit code, and every error is printed on standard error. */
export async function runCli(argv: readonly string[], world: World, openApp: OpenApp = realApp): Promise<number> {
  const scrubber = new Scrubber();
  const stop = listenForStop(world.signals);
  let grace: NodeJS.Timeout | undefined;
  stop.signal.addEventListener('abort', () => {
    grace = setTimeout(() => world.signals.exit(stop.exitCode() ?? EXIT.terminated), GRACE).unref();
  });
  const context = new CliContext({ world, openApp, scrubber, signal: stop.signal });
  const tell = (error: unknown) => {
    const { jsonLog } = context;
    const isMistake = error instanceof CommanderError || exitCodeOf(error) === EXIT.usage;
    // A mistake in the call or the settings is read by the person who has just made it.
    if (jsonLog?.isLevelEnabled('fatal') === true && error instanceof Error && !isMistake) {
      // The message says what the error says; what follows is only what it came from.
      jsonLog.fatal({ exitCode: exitCodeOf(error), error: error.cause ?? error.name }, messageOf(error));
      return;
    }
    const verbose = context.verbose || argv.includes('-v') || argv.includes('--verbose');
    world.stderr.write(reportError(error, { verbose, scrub: (text) => scrubber.scrub(text) }));
  };
  // The database holds only committed data, so ending at once loses nothing; continuing in an unknown state could.
  const crash = (error: unknown) => {
    tell(error);
    world.signals.exit(exitCodeOf(error));
  };
  world.onCrash(crash);
  for (const stream of [world.stdout, world.stderr]) {
    // A closed pipe (`| head`) or terminal is no error; output.ts stops writing. A full disk may be told after the command has ended.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const isGone = error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY === true);
      if (!isGone) crash(error);
    });
  }
  try {
    const program = await createProgram(context, world, argv);
    await program.parseAsync([...argv], { from: 'user' });
    return stop.exitCode() ?? context.exitCode;
  } catch (error) {
    // Requested help and version are clean; help shown because a command is missing is a usage error.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.clean;
    // The signal aborted the work; its error only reports that.
    if (stop.exitCode() !== null && isAbort(error)) world.stderr.write('tieout: stopped; saved progress stays\n');
    // `tieout breaks` alone: commander has printed the group's help already.
    else if (!(error instanceof CommanderError && error.code === 'commander.help')) tell(error);
    return stop.exitCode() ?? (error instanceof CommanderError ? EXIT.usage : exitCodeOf(error));
  } finally {
    clearTimeout(grace);
    stop.release();
  }
}

/** Loaded when a command needs it: `tieout --help` opens no database driver. */
const realApp: OpenApp = async (options) => (await import('../app/app.ts')).openApp(options);

/** A stopped command has thirty seconds to save; then the process is ended. */
const GRACE = 29_000;

const MAX_CAUSES = 10;

/** The text for standard error, with its newline. */
export function reportError(
  error: unknown,
  { verbose, scrub }: { verbose: boolean; scrub: (text: string) => string },
): string {
  const lines = [
    `tieout: ${error instanceof CommanderError ? error.message.replace(/^error: /, '') : messageOf(error)}`,
  ];
  if (error instanceof CommanderError)
    lines.push(
      error.code === 'commander.unknownCommand'
        ? '`tieout --help` lists the commands.'
        : 'Run the command with --help to see how it is called.',
    );
  else {
    const known = error instanceof TieoutError || systemFault(error) !== null;
    if (verbose && error instanceof Error) lines.push(...causesOf(error));
    // A stack trace helps only with an unexpected error, and only a developer.
    if (verbose && !known && error instanceof Error) {
      const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
      lines.push(...frames.slice(0, 10));
    }
    if (!known && verbose) lines.push('This is a defect in Tieout; please report it with the lines above.');
    else if (!known) lines.push('Run again with -v to see the cause.');
  }
  return `${printable(scrub(lines.join('\n')))}\n`;
}

function messageOf(error: unknown): string {
  if (error instanceof TieoutError) return error.message;
  const fault = systemFault(error);
  if (fault !== null) return fault;
  return `unexpected error: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
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

/** The whole command line: name, common flags, every command. */
import { Command } from 'commander';
import { COMMANDS } from './commands/index.ts';
import { addCommonFlags } from './common-flags.ts';
import type { CliContext } from './context.ts';
import type { World } from './world.ts';

const DESCRIPTION =
  'Reconciles crypto purchases and sales with the quotes that users were shown, and publishes reports that finance can ' +
  'open. Data goes to standard output; logs and progress go to standard error.';

const AFTER = `
Exit codes:
  0  clean                        4  the Service or the database is unavailable
  1  breaks (see --fail-on)       5  another run holds the lock
  2  usage or settings            130, 143  stopped by a signal, state saved
  3  incomplete: something due was not verified

Start with:
  tieout demo                      everything on this machine, with a Service of its own
  tieout config check              every setting and where it comes from
  tieout import ids.csv            store ids and their tokens
  tieout run                       tonight's work, now`;

export function createProgram(context: CliContext, world: World): Command {
  const program = new Command('tieout')
    .description(DESCRIPTION)
    .version(world.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    // Errors are told in one place, main.ts; commander only throws them.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => void world.stderr.write(text),
      outputError: () => undefined,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => world.stdout.columns ?? 100,
      getErrHelpWidth: () => world.stderr.columns ?? 100,
    })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', AFTER);
  addCommonFlags(program);
  for (const register of COMMANDS) register(program, context);
  return program;
}

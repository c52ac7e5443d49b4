/** The whole command line: name, common flags, every command. */
import { type Command, Help } from 'commander';
import { CliCommand, type CliContext, groupOf, type Register } from './context.ts';
import { addCommonFlags } from './flags.ts';
import type { World } from './world.ts';

const DESCRIPTION =
  'Reconciles crypto purchases and sales with the quotes that users were shown, and publishes reports that finance can ' +
  'open. Data goes to standard output; logs and progress go to standard error.';

const AFTER = `
Exit codes:
  0  clean                        4  the Service or the database is unavailable
  1  breaks, or a failed check    5  another run holds the lock
  2  usage or settings            129, 130, 143  stopped by a signal, state saved
  3  incomplete: something due was not verified

Start with:
  tieout demo                      everything on this machine, with an embedded Service
  tieout init                      settings for your app, each answer tried
  tieout config check              every setting and where it comes from
  tieout import ids.csv            store ids and their tokens
  tieout run                       run the nightly job now`;

/** First word of a command, and its module; in the order of the help. */
const COMMANDS: readonly (readonly [string, () => Promise<Register>])[] = [
  ['demo', async () => (await import('./demo/demo.ts')).register],
  ['init', async () => (await import('./config/init.ts')).register],
  ['import', async () => (await import('./intake/import.ts')).register],
  ['tracked', async () => (await import('./tracked/tracked.ts')).register],
  ['quotes', async () => (await import('./quotes/import.ts')).register],
  ['quotes', async () => (await import('./quotes/capture.ts')).register],
  ['run', async () => (await import('./runs/run.ts')).register],
  ['audit', async () => (await import('./runs/audit.ts')).register],
  ['plan', async () => (await import('./runs/plan.ts')).register],
  ['replay', async () => (await import('./publish/replay.ts')).register],
  ['drill', async () => (await import('./publish/drill.ts')).register],
  ['report', async () => (await import('./publish/report.ts')).register],
  ['verify', async () => (await import('./publish/verify.ts')).register],
  ['deliver', async () => (await import('./publish/deliver.ts')).register],
  ['breaks', async () => (await import('./breaks/list.ts')).register],
  ['breaks', async () => (await import('./breaks/show.ts')).register],
  ['evidence', async () => (await import('./evidence/evidence.ts')).register],
  ['breaks', async () => (await import('./breaks/decide.ts')).register],
  ['breaks', async () => (await import('./breaks/spreadsheet.ts')).register],
  ['claims', async () => (await import('./claims/claims.ts')).register],
  ['orphans', async () => (await import('./books/orphans.ts')).register],
  ['revenue', async () => (await import('./books/revenue-accrual.ts')).register],
  ['journal', async () => (await import('./books/journal.ts')).register],
  ['payouts', async () => (await import('./evidence/payouts-import.ts')).payoutsImport],
  ['payouts', async () => (await import('./evidence/payouts.ts')).payoutsMatch],
  ['payouts', async () => (await import('./evidence/payouts.ts')).payoutsList],
  ['prices', async () => (await import('./prices/prices.ts')).pricesCheck],
  ['prices', async () => (await import('./prices/prices.ts')).pricesSimulate],
  ['period', async () => (await import('./periods/periods.ts')).register],
  ['keys', async () => (await import('./publish/keys.ts')).register],
  ['runs', async () => (await import('./runs/runs.ts')).register],
  ['access', async () => (await import('./access/access.ts')).register],
  ['schedule', async () => (await import('./serve/schedule.ts')).register],
  ['worker', async () => (await import('./serve/worker.ts')).register],
  ['serve', async () => (await import('./serve/serve.ts')).register],
  ['sandbox', async () => (await import('./sandbox/sandbox.ts')).register],
  ['openapi', async () => (await import('./openapi/openapi.ts')).register],
  ['service', async () => (await import('./service/service.ts')).register],
  ['widget', async () => (await import('./widget/widget.ts')).register],
  ['db', async () => (await import('./db/upkeep.ts')).register],
  ['db', async () => (await import('./db/copy.ts')).register],
  ['db', async () => (await import('./db/retention.ts')).register],
  ['db', async () => (await import('./db/repair.ts')).register],
  ['config', async () => (await import('./config/check.ts')).register],
  ['doctor', async () => (await import('./config/doctor.ts')).register],
];

/** The modules of the commands that an argument could name; the others get only their line in the help. */
export function commandsFor(argv: readonly string[]): Promise<readonly Register[]> {
  // Any argument counts, because a flag's value may precede the command; loading one too many only costs time.
  return Promise.all(
    COMMANDS.map(([word, load]) =>
      argv.includes(word) ? load() : (program: CliCommand) => void groupOf(program, word),
    ),
  );
}

/** Asked for: the build of an installed package is the hash of its files, which other commands need not wait for. */
const isVersion = (word: string) => word === '-V' || word === '--version';

export async function createProgram(context: CliContext, world: World, argv: readonly string[]): Promise<CliCommand> {
  const program = new CliCommand('tieout', context)
    .description(DESCRIPTION)
    .version(argv.some(isVersion) ? world.version : '', '-V, --version', 'print the version and the build')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    // Errors are reported in one place, main.ts; commander only throws them.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => void world.stderr.write(text),
      outputError: () => undefined,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => world.stdout.columns || 100,
      getErrHelpWidth: () => world.stderr.columns || 100,
    })
    .configureHelp({
      optionDescription: (option) => {
        const text = Help.prototype.optionDescription(option);
        return option.mandatory ? `${text} (required)` : text;
      },
    })
    .addHelpText('after', AFTER);
  addCommonFlags(program);
  for (const register of await commandsFor(argv)) register(program, context);
  // `tieout help options`; each command's own help has its own options alone.
  program
    .command('options', { hidden: true })
    .description('Options that every command takes, before or after its name.')
    .configureHelp({ showGlobalOptions: true })
    .action((_flags: unknown, self: Command) => self.help());
  return program;
}

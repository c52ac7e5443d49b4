/** The context of a command file: runs its work in a session, and formats its help. */
import { type Argument, Command, type HelpContext, Option } from 'commander';
import type { App } from '../app/app.ts';
import { EXIT, type ExitCode } from '../domain/errors.ts';
import { withReleasers } from '../runner/releasers.ts';
import type { Logger } from './logger.ts';
import { openSession, type Session, type SessionInput } from './session.ts';

/** Registers one command. Each file of a command exports one of these. */
export type Register = (program: CliCommand, context: CliContext) => void;

export class CliContext {
  /** Of the command that ran. */
  exitCode: ExitCode = EXIT.clean;
  /** For the report of an error; known once the command has started. */
  verbose = false;
  private readonly input: SessionInput;
  private session: Session | null = null;

  constructor(input: SessionInput) {
    this.input = input;
  }

  /** The log for the final error of a process that logs JSON; null where a person reads it. */
  get jsonLog(): Logger | null {
    return this.session?.jsonLog() ?? null;
  }

  /**
   * Runs the work of a command; without an exit code, it is clean. Opened resources are closed also after an error.
   */
  async run(command: Command, work: Work<[Session]>): Promise<void> {
    await withReleasers(async (releasers) => {
      const session = openSession(this.input, releasers, command);
      this.session = session;
      this.verbose = session.flags.verbose;
      this.exitCode = (await work(session)) ?? EXIT.clean;
    });
  }
}

type Work<Given extends unknown[]> = (...given: Given) => Promise<ExitCode | undefined> | Promise<void>;

/** A command whose work gets a session, before its arguments and flags. */
export class CliCommand extends Command {
  private readonly context: CliContext;

  constructor(name: string | undefined, context: CliContext) {
    super(name);
    this.context = context;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name, this.context);
  }

  /** Of `help nope` and `nope --help` commander shows the help of the level above. @throws CommanderError naming the word */
  override helpInformation(context?: HelpContext): string {
    if (this.args[0] === 'help') this.args = this.args.slice(1);
    const word = this.registeredArguments.length === 0 ? (this.args[0] ?? '-') : '-';
    const isKnown = word === 'help' || word.startsWith('-') || this.commands.some((known) => known.name() === word);
    if (this.commands.length > 0 && !isKnown) (this as unknown as { unknownCommand: () => never }).unknownCommand();
    return super.helpInformation(context);
  }

  choice(flags: string, description: string, choices: readonly string[], fallback?: string): this {
    return this.addOption(new Option(flags, description).choices(choices).default(fallback));
  }

  /** Commander gives the arguments, the flags, and the command itself. */
  runs(work: Work<[Session, ...unknown[]]>): this {
    return this.action((...given) => this.context.run(this, (session) => work(session, ...given.slice(0, -1))));
  }

  runsOnApp(work: Work<[App, Session, ...unknown[]]>): this {
    return this.runs(async (session, ...given) => (await work(await session.app(), session, ...given)) ?? undefined);
  }
}

/** As commander names the value of an option: that of `--max-duration <time>` is maxDuration. */
type NameOf<Flag extends string> = Flag extends `--${infer Name} <${string}`
  ? Camel<Name>
  : Flag extends `--${infer Name}`
    ? Camel<Name>
    : never;
type Camel<Name extends string> = Name extends `${infer Word}-${infer More}`
  ? `${Word}${Capitalize<Camel<More>>}`
  : Name;
type ValueOf<Flag extends string> = Flag extends `${string}...>` ? string[] : Flag extends `${string}>` ? string : true;
type Field<Flag extends string, Value, Fallback> = undefined extends Fallback
  ? { [Name in NameOf<Flag>]?: Value }
  : { [Name in NameOf<Flag>]: Value };
type ArgumentOf<Name extends string> = Name extends `${string}...${string}`
  ? string[]
  : Name extends `<${string}`
    ? string
    : string | undefined;

/** A command as it is declared: each argument and each option adds its value to what the work is given. */
export interface Declared<Given extends unknown[], Flags> {
  argument<N extends string>(name: N, description: string): Declared<[...Given, ArgumentOf<N>], Flags>;
  argument(name: string, description: string, fallback: string): Declared<[...Given, string], Flags>;
  option<F extends string, V = ValueOf<F>, D extends V | undefined = undefined>(
    flag: F,
    description: string,
    read?: (text: string, before?: V) => V,
    fallback?: D,
  ): Declared<Given, Flags & Field<F, V, D>>;
  requiredOption<F extends string>(flag: F, description: string): Declared<Given, Flags & Field<F, string, string>>;
  choice<F extends string, V extends string, D extends V | undefined = undefined>(
    flag: F,
    description: string,
    choices: readonly V[],
    fallback?: D,
  ): Declared<Given, Flags & Field<F, V, D>>;
  addOption<More extends object>(option: Option): Declared<Given, Flags & More>;
  addArgument<Value>(argument: Argument): Declared<[...Given, Value], Flags>;
  runs(work: Work<[Session, ...Given, Flags]>): void;
  /** Opens the application first. */
  runsOnApp(work: Work<[App, Session, ...Given, Flags]>): void;
}

export interface CommandText {
  /** One line, for the list of a group's commands; that of a command of one word is in SUMMARIES. */
  summary?: string;
  /** For the command's own help, where one line is not enough. */
  details?: string;
  /** Whole command lines, `tieout breaks list --rule STATUS_STUCK`. */
  examples: readonly string[];
  /** Runs if its group is called without a subcommand. */
  isDefault?: boolean;
}

/** A command with its texts. `path` is one word, or group and word: `breaks list`. */
export function command(program: CliCommand, path: string, text: CommandText): Declared<[], object> {
  const [first = '', second] = path.split(' ');
  const parent = second === undefined ? program : groupOf(program, first);
  const summary = text.summary ?? summaryOf(first);
  const made = parent.command(second ?? first, { isDefault: text.isDefault === true });
  made
    .summary(summary)
    .description(text.details === undefined ? summary : `${summary}.\n\n${flowing(text.details)}`)
    .addHelpText(
      'after',
      `\nExamples:\n${text.examples.map((example) => `  ${example}`).join('\n')}\n\nOptions of every command: tieout help options`,
    );
  return made as unknown as Declared<[], object>;
}

/**
 * Joins the lines of a paragraph, because commander wraps them to the terminal; indented lines are lists, and stay.
 */
function flowing(details: string): string {
  const isIndented = (line: string | undefined) => line === undefined || !/^\S/.test(line);
  return details
    .split('\n')
    .reduce((text, line, i, lines) => text + (isIndented(lines[i - 1]) || isIndented(line) ? '\n' : ' ') + line);
}

/**
 * First word of a command, with its line in the list of commands. It is here because help is shown without loading
 * the commands.
 */
const SUMMARIES: Readonly<Record<string, string>> = {
  demo: 'Try Tieout on this machine: a Service with known defects, two nights, the reports',
  init: 'Write the first settings of a deployment, and try each of them',
  import: 'Store the ids and view tokens of purchases and sales',
  tracked: 'List, show and correct tracked ids',
  quotes: 'Import or capture the quotes that users were shown',
  run: 'Run a job now; without a name, the job nightly',
  audit: 'Fetch chosen records of any age again, and report on them',
  plan: 'Print what a run would fetch, how long it would take, and what a budget would defer; sends nothing',
  replay: 'Judge a stored run again, offline, and compare with the published set',
  drill: 'Plant known changes in copies of a stored night, and print which would be found',
  report: 'Render a stored run or a closed month again: as a workbook, a page, or for another spreadsheet program',
  verify: 'Check published sets: signatures, hashes, rows, totals, footing and the chain of manifests',
  deliver: 'Deliver the published set of a run to the targets in the settings',
  breaks: 'Work on breaks: list, explain, decide, export',
  evidence: 'List the bodies received for a record, or print one',
  claims: 'Claim the money at stake of breaks from the Service',
  orphans: "Check a partner dashboard's or the app's own list against the tracked records",
  revenue: 'Print the accrued revenue of the host',
  journal: 'Write the balanced journal of a closed month, for an accounting program',
  payouts: 'Import payments of the host share, and match them with the revenue',
  prices: "Check the contract's price list, or try another one",
  period: 'Close the books of a month',
  keys: 'Make keys for signing published sets',
  runs: 'List and show runs',
  access: 'Sign people in to the pages, or out',
  schedule: 'Run every job at its time in the settings, and catch up with missed nights',
  worker: 'Fetch records for runs of another machine, from another address (PostgreSQL only)',
  serve: 'Receive webhooks, SDK events and quotes over HTTP; serves health, metrics and pages',
  sandbox: 'Run the Service on this machine, with a seeded population of purchases and sales',
  openapi: 'Print the OpenAPI 3.1 document of the Service (the sandbox), or of tieout serve',
  service: 'Call one endpoint of the Service and print its JSON',
  widget: 'Build, check or migrate the configuration of the widget',
  db: 'Migrate, check, back up, copy and prune the database',
  config: 'Check and print the settings',
  doctor: 'Check settings, database, key, out folder and the Service, and say what to fix',
};

function summaryOf(word: string): string {
  const summary = SUMMARIES[word];
  if (summary === undefined) throw new RangeError(`the command ${word} has no summary`);
  return summary;
}

/** Commands of one group are in several files; the first registered one makes the group. */
export function groupOf(program: CliCommand, word: string): CliCommand {
  const existing = program.commands.find((candidate) => candidate.name() === word);
  const summary = summaryOf(word);
  return (existing ?? program.command(word).summary(summary).description(summary)) as CliCommand;
}

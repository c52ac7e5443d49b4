/** What a command file is given: a way to run its work in a session, and the pattern for its help. */
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../domain/errors.ts';
import { withReleasers } from '../runner/releasers.ts';
import type { Logger } from './logger.ts';
import { Session, type SessionInput } from './session.ts';

/** Registers one command. Each file under `commands/` exports one of these. */
export type Register = (program: Command, context: CliContext) => void;

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

  /** Where the last words of a process belong that writes its log as JSON; null where a person reads them. */
  get jsonLog(): Logger | null {
    return this.session?.jsonLog ?? null;
  }

  /** Runs the work of a command. What it opened is closed when this resolves, also after an error. */
  async run(command: Command, work: (session: Session) => Promise<ExitCode>): Promise<void> {
    await withReleasers(async (releasers) => {
      const session = new Session(this.input, releasers, command);
      this.session = session;
      this.verbose = session.flags.verbose;
      this.exitCode = await work(session);
    });
  }
}

interface CommandText {
  /** One line, for the list of commands. */
  summary: string;
  /** For the command's own help, where one line is not enough. */
  details?: string;
  /** Whole command lines, `tieout breaks list --rule STATUS_STUCK`. */
  examples: readonly string[];
  /** Runs where its group is called without a subcommand. */
  isDefault?: boolean;
}

/** A command with its texts. `path` is one word, or group and word: `breaks list`. */
export function command(program: Command, path: string, text: CommandText): Command {
  const [first = '', second] = path.split(' ');
  const parent = second === undefined ? program : groupOf(program, first);
  return parent
    .command(second ?? first, { isDefault: text.isDefault === true })
    .summary(text.summary)
    .description(text.details === undefined ? text.summary : `${text.summary}.\n\n${flowing(text.details)}`)
    .addHelpText('after', `\nExamples:\n${text.examples.map((example) => `  ${example}`).join('\n')}`);
}

/** Lines of a sentence become one, for the terminal's width to break; lines that are indented are lists, and stay. */
function flowing(details: string): string {
  const isIndented = (line: string | undefined) => line === undefined || !/^\S/.test(line);
  return details
    .split('\n')
    .reduce((text, line, i, lines) => text + (isIndented(lines[i - 1]) || isIndented(line) ? '\n' : ' ') + line);
}

const GROUPS: Readonly<Record<string, string>> = {
  access: 'Who may use the pages',
  quotes: 'Bring in the quotes that users were shown',
  claims: 'Breaks that are raised with the support of the Service',
  tracked: 'One tracked id: what is known of it, and decisions about it',
  breaks: 'The work list: what differs, and what was decided about it',
  runs: 'The ledger of runs',
  db: 'The upkeep of the database',
  config: 'The settings in force',
  revenue: 'What the host earns',
  payouts: 'What the host was paid',
  prices: "The contract's price list",
  widget: 'The configuration of the widget',
  period: 'Closing the books of a month',
  keys: 'Keys that published sets are signed with',
};

/** Commands of one group stand in several files; the first one that is registered makes the group. */
function groupOf(program: Command, name: string): Command {
  const existing = program.commands.find((candidate) => candidate.name() === name);
  if (existing !== undefined) return existing;
  const summary = GROUPS[name];
  if (summary === undefined) throw new RangeError(`the command group ${name} has no summary`);
  return program.command(name).summary(summary).description(summary);
}

/** What a command file is given: a way to run its work in a session, and the pattern for its help. */
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../domain/errors.ts';
import { withReleasers } from '../runner/releasers.ts';
import type { Logger } from './logger.ts';
import { Session, type SessionInput } from './session.ts';

/** Registers one command. Each file of a command exports one of these. */
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

  /** Runs the work of a command, which is clean where it names no exit code. What it opened is closed also after an error. */
  async run(command: Command, work: (session: Session) => Promise<ExitCode> | Promise<void>): Promise<void> {
    await withReleasers(async (releasers) => {
      const session = new Session(this.input, releasers, command);
      this.session = session;
      this.verbose = session.flags.verbose;
      this.exitCode = (await work(session)) ?? EXIT.clean;
    });
  }
}

interface CommandText {
  /** One line, for the list of a group's commands; that of a command of one word is in SUMMARIES. */
  summary?: string;
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
  const summary = text.summary ?? summaryOf(first);
  return parent
    .command(second ?? first, { isDefault: text.isDefault === true })
    .summary(summary)
    .description(text.details === undefined ? summary : `${summary}.\n\n${flowing(text.details)}`)
    .addHelpText('after', `\nExamples:\n${text.examples.map((example) => `  ${example}`).join('\n')}`);
}

/** Lines of a sentence become one, for the terminal's width to break; lines that are indented are lists, and stay. */
function flowing(details: string): string {
  const isIndented = (line: string | undefined) => line === undefined || !/^\S/.test(line);
  return details
    .split('\n')
    .reduce((text, line, i, lines) => text + (isIndented(lines[i - 1]) || isIndented(line) ? '\n' : ' ') + line);
}

/** First word of a command, and its line in the list of commands: here, because the list is shown without loading them. */
const SUMMARIES: Readonly<Record<string, string>> = {
  demo: 'See it all on this machine: a Service with known defects, two nights, the reports',
  import: 'Store the ids and view tokens of purchases and sales',
  tracked: 'One tracked id: what is known of it, and decisions about it',
  quotes: 'Bring in the quotes that users were shown',
  run: 'Run a job now; nightly unless another one is named',
  audit: 'Fetch chosen records of any age again, and report on them',
  plan: 'Tell what a run would fetch, how long it would take, and what a budget would defer; sends nothing',
  replay: 'Judge a stored run again, offline, and compare with what was published',
  report: 'Render a stored run or a closed month again: as a workbook, a page, or for another spreadsheet program',
  verify: 'Check published sets: signatures, hashes, rows, totals, footing and the chain of manifests',
  breaks: 'The work list: what differs, and what was decided about it',
  evidence: 'List the bodies received for a record, or print one as it came',
  claims: 'Breaks that are raised with the support of the Service',
  orphans: "Check a partner dashboard's or the app's own list against the tracked records",
  revenue: 'What the host earns',
  journal: 'Write the balanced journal of a closed month, for an accounting program',
  payouts: 'What the host was paid',
  prices: "The contract's price list",
  period: 'Closing the books of a month',
  keys: 'Keys that published sets are signed with',
  runs: 'The ledger of runs',
  access: 'Who may use the pages',
  schedule: 'Run every job at the time that the settings give it, and catch up with missed nights',
  worker: 'Fetch for the runs of other machines, from an address of its own (PostgreSQL only)',
  serve: 'Receive webhooks, SDK events and quotes over HTTP; health and metrics beside them',
  sandbox: 'Run the Service on this machine, with a seeded population of purchases and sales',
  openapi: 'Print the OpenAPI 3.1 document of the sandbox (which is the Service), or of tieout serve',
  service: 'Call one endpoint of the Service and print its JSON',
  widget: 'The configuration of the widget',
  db: 'The upkeep of the database',
  config: 'The settings in force',
  doctor: 'Check settings, database, key, out folder and the Service, and say what to mend',
};

function summaryOf(word: string): string {
  const summary = SUMMARIES[word];
  if (summary === undefined) throw new RangeError(`the command ${word} has no summary`);
  return summary;
}

/** Commands of one group stand in several files; the first one that is registered makes the group. */
export function groupOf(program: Command, word: string): Command {
  const existing = program.commands.find((candidate) => candidate.name() === word);
  const summary = summaryOf(word);
  return existing ?? program.command(word).summary(summary).description(summary);
}

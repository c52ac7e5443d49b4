/** `tieout breaks list`: the work list. */
import { InvalidArgumentError, Option } from 'commander';
import { BREAK_STATES, type BreakState, isOpen } from '../../domain/break.ts';
import { EXIT } from '../../domain/errors.ts';
import { KINDS, type Kind } from '../../domain/record.ts';
import type { BreakFilter } from '../../ports/store/store.ts';
import { command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
import { shown } from '../output.ts';
import { breakAsJson } from './as-json.ts';

interface ListFlags {
  state: readonly BreakState[];
  rule?: string;
  kind?: Kind;
  record?: string;
  assignee?: string;
  limit: number;
}

const OPEN = BREAK_STATES.filter(isOpen);

export const register: Register = (program, context) => {
  command(program, 'breaks list', {
    summary: 'List breaks, by default those that need a decision',
    examples: [
      'tieout breaks list --rule FEE_APPLIED_DIFFERS',
      'tieout breaks list --state waived,resolved --limit 20 --json',
    ],
  })
    .addOption(
      new Option('--state <states>', `comma-separated: ${BREAK_STATES.join(', ')}, or all`)
        .argParser(readStates)
        .default(OPEN, OPEN.join(',')),
    )
    .option('--rule <code>', 'only breaks of this rule')
    .addOption(new Option('--kind <kind>', 'only purchases, or only sales').choices(KINDS))
    .option('--record <id>', 'only breaks of this record')
    .option('--assignee <name>', 'only breaks that this person looks after')
    .option('--limit <n>', 'at most so many', positiveNumber, 100)
    .action((flags: ListFlags, self) =>
      context.run(self, async (session) => {
        const app = await session.app();
        // One more than wanted tells whether there are more.
        const found = await app.store.breaks.list({ ...filterOf(flags), limit: flags.limit + 1 });
        const breaks = found.slice(0, flags.limit);
        const { out } = session;
        if (out.json) {
          await out.value({ breaks: breaks.map(breakAsJson), more: found.length > breaks.length });
          return EXIT.clean;
        }
        if (breaks.length === 0) await out.line('No breaks.');
        await out.table(
          [
            { title: 'break', cell: (each) => each.breakId.slice(0, 12) },
            { title: 'severity', cell: (each) => each.severity },
            { title: 'state', cell: (each) => each.state },
            { title: 'rule', cell: (each) => each.rule },
            { title: 'kind', cell: (each) => each.kind },
            { title: 'record', cell: (each) => each.recordId },
            { title: 'since', cell: (each) => each.firstSeenDate },
            { title: 'assignee', cell: (each) => shown(each.assignee) },
            { title: 'explanation', cell: (each) => each.explanation, wide: true },
          ],
          breaks,
        );
        if (found.length > breaks.length) session.screen.write(`There are more; --limit takes a higher number.\n`);
        return EXIT.clean;
      }),
    );
};

function filterOf(flags: ListFlags): Omit<BreakFilter, 'limit'> {
  return {
    states: flags.state,
    offset: 0,
    ...(flags.rule === undefined ? {} : { rule: flags.rule }),
    ...(flags.kind === undefined ? {} : { kind: flags.kind }),
    ...(flags.record === undefined ? {} : { recordId: flags.record }),
    ...(flags.assignee === undefined ? {} : { assignee: flags.assignee }),
  };
}

function readStates(text: string): readonly BreakState[] {
  if (text === 'all') return BREAK_STATES;
  return text.split(',').map((word) => {
    const state = BREAK_STATES.find((candidate) => candidate === word.trim());
    if (state === undefined) throw new InvalidArgumentError(`Allowed are ${BREAK_STATES.join(', ')} and all.`);
    return state;
  });
}

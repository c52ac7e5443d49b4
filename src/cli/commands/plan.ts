/** `tieout plan`: what a run would fetch, how many requests that is, and how long it takes. */
import type { Selection } from '../../domain/run.ts';
import { command, type Register } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { readDate } from '../run-command.ts';
import { jobNamed } from './run.ts';

interface PlanFlags {
  from?: string;
  to?: string;
  date?: string;
}

export const register: Register = (program, context) => {
  command(program, 'plan', {
    summary: 'Tell what a run would fetch and how long it would take; sends nothing',
    examples: ['tieout plan', 'tieout plan audit --from 2026-10-01 --to 2026-11-01', 'tieout plan --json'],
  })
    .argument('[job]', 'job to plan', 'nightly')
    .option('--from <date>', 'plan an audit of records created from this day …')
    .option('--to <date>', '… to before this day')
    .option('--date <date>', 'business date to plan for (default: the last full day)')
    .action((name: string, flags: PlanFlags, self) =>
      context.run(self, async (session) => {
        const job = jobNamed(name);
        const from = readDate('--from', flags.from);
        const to = readDate('--to', flags.to);
        if ((from === null) !== (to === null)) throw new UsageError('--from and --to go together');
        let selection: Selection = name === 'audit' ? { type: 'all', kind: null } : { type: 'due' };
        if (from !== null && to !== null) selection = { type: 'created', from, to, kind: null };
        const { printPlan } = await import('../plan-report.ts');
        return printPlan(session, job, readDate('--date', flags.date), selection);
      }),
    );
};

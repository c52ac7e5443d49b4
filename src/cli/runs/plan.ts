/**
 * `tieout plan`: the records that a run would fetch, their requests and duration, and the records that a budget would
 * defer.
 */

import { UsageError } from '../../domain/errors.ts';
import type { Selection } from '../../domain/run.ts';
import { command, type Register } from '../context.ts';
import { positiveDuration, positiveNumber } from '../flags.ts';
import { jobNamed } from './run.ts';
import { readDate, readRange } from './run-job.ts';

interface PlanFlags {
  from?: string;
  to?: string;
  date?: string;
  maxRequests?: number;
  maxDuration?: number;
  addresses: number;
}

export const register: Register = (program) => {
  command(program, 'plan', {
    examples: [
      'tieout plan',
      'tieout plan --max-duration 6h',
      'tieout plan --addresses 4 --max-duration 6h',
      'tieout plan audit --from 2026-10-01 --to 2026-11-01',
      'tieout plan --json',
    ],
  })
    .argument('[job]', 'job to plan', 'nightly')
    .option('--from <date>', 'records created on or after this date, for an audit')
    .option('--to <date>', 'records created before this date')
    .option('--date <date>', 'business date to plan for (default: the last full day)')
    .option('--max-requests <n>', 'plan for at most this many requests', positiveNumber)
    .option('--max-duration <time>', 'plan for a run of at most this time, as 6h', positiveDuration)
    .option('--addresses <n>', 'plan for workers on this many addresses', positiveNumber, 1)
    .runs(async (session, name: string, flags: PlanFlags) => {
      const job = jobNamed(name);
      const { printPlan } = await import('./print-plan.ts');
      return printPlan(session, {
        job,
        businessDate: readDate('--date', flags.date),
        selection: createdIn(flags),
        maxRequests: flags.maxRequests ?? null,
        maxDurationMs: flags.maxDuration ?? null,
        addresses: flags.addresses,
      });
    });
};

/** Null without dates. @throws UsageError */
function createdIn(flags: PlanFlags): Selection | null {
  const { from, to } = readRange(flags);
  if ((from === null) !== (to === null))
    throw new UsageError(
      `${from === null ? `--to ${to}: give --from too` : `--from ${from}: give --to too, the day after the last one`}`,
    );
  if (from === null || to === null) return null;
  return { type: 'created', from, to, kind: null };
}

/**
 * `tieout plan`: the records that a run would fetch, their requests and duration, and the records that a budget would
 * defer.
 */

import { command, type Register } from '../context.ts';
import { positiveDuration, positiveNumber } from '../flags.ts';
import { jobNamed } from './run.ts';
import { readDate, readWholeRange } from './run-job.ts';

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
    .argument('[job]', 'job to plan (default: nightly, or audit with --from)')
    .option('--from <date>', 'records created on or after this date, for an audit')
    .option('--to <date>', 'records created before this date')
    .option('--date <date>', 'business date to plan for (default: the last full day)')
    .option('--max-requests <n>', 'plan for at most this many requests', positiveNumber)
    .option('--max-duration <time>', 'plan for a run of at most this time, as 6h', positiveDuration)
    .option('--addresses <n>', 'plan for workers on this many addresses', positiveNumber, 1)
    .runs(async (session, name, flags) => {
      const range = readWholeRange(flags);
      const job = jobNamed(name ?? (range === null ? 'nightly' : 'audit'));
      const { printPlan } = await import('./print-plan.ts');
      const { addresses, maxRequests = null, maxDuration: maxDurationMs = null } = flags;
      const selection = range === null ? null : ({ type: 'created', ...range, kind: null } as const);
      const businessDate = readDate('--date', flags.date);
      return printPlan(session, { job, businessDate, selection, maxRequests, maxDurationMs, addresses });
    });
};

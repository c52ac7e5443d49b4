/** `tieout run`: runs a job now. */
import { JOBS } from '../../../jobs/index.ts';
import { UsageError } from '../../domain/errors.ts';
import type { Job } from '../../ports/job.ts';
import { command, type Register } from '../context.ts';
import { positiveDuration, positiveNumber } from '../flags.ts';
import { readDate, runJobCommand } from './run-job.ts';

/** @throws UsageError */
export function jobNamed(name: string): Job {
  const job = JOBS.find((each) => each.name === name);
  if (job !== undefined) return job;
  throw new UsageError(`there is no job ${name}; the jobs are: ${JOBS.map((each) => each.name).join(', ')}`);
}

export const register: Register = (program) => {
  command(program, 'run', {
    details: `Jobs:\n${JOBS.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join('\n')}`,
    examples: [
      'tieout run',
      'tieout run nightly --date 2026-11-20 --max-duration 6h',
      'tieout run --resume',
      'tieout run reference-data',
    ],
  })
    .argument('[job]', 'job to run', 'nightly')
    .option('--date <date>', 'business date that the run is for (default: the last full day)')
    .option('--dry-run', 'print what would be fetched; send nothing')
    .option('--max-duration <time>', 'stop fetching after this time, as 6h', positiveDuration)
    .option('--max-requests <n>', 'send at most this many requests', positiveNumber)
    .option('--resume', 'continue the run that a crash or a signal interrupted')
    .option('--adopt', 'take over an out folder that another database published to')
    .runs(async (session, name, flags) => {
      const job = jobNamed(name);
      const businessDate = readDate('--date', flags.date);
      if (flags.resume && businessDate !== null)
        throw new UsageError('--resume continues the interrupted run with its own date; leave out --date');
      const { maxRequests = null, maxDuration: maxDurationMs = null, resume = false, adopt = false } = flags;
      const request = { job, businessDate, selection: null, maxRequests, maxDurationMs };
      if (flags.dryRun) {
        const { printPlan } = await import('./print-plan.ts');
        return printPlan(session, { ...request, addresses: 1 });
      }
      return runJobCommand(session, { ...request, resume, adopt });
    });
};

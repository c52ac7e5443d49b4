/** The common part of `run` and `audit`: performs a job with progress, and prints its outcome. */
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import { reportingOfRun } from '../../app/reporting.ts';
import type { RunOptions } from '../../app/wiring.ts';
import { isBusinessDate } from '../../domain/calendar.ts';
import { EXIT, type ExitCode, UsageError } from '../../domain/errors.ts';
import { requirePastDate } from '../../domain/plausible-date.ts';
import type { Selection } from '../../domain/run.ts';
import type { Job } from '../../ports/job.ts';
import type { QuotesCaptured } from '../../ports/settled.ts';
import { count, counted } from '../../text/counts.ts';
import { prunedInWords, snakeCase } from '../output.ts';
import type { Progress } from '../progress.ts';
import { announcedApp, type Session } from '../session.ts';
import { printRun, runExitCode } from './report.ts';

interface RunRequest extends Pick<RunOptions, 'businessDate' | 'resume' | 'maxDurationMs' | 'maxRequests' | 'adopt'> {
  job: Job;
  /** Null for the job's own selection; a function may read the database first. */
  selection: ((app: App) => Promise<Selection>) | null;
}

/** @throws UsageError for a text that is no calendar day. */
export function readDate(flag: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!isBusinessDate(text)) throw new UsageError(`${flag} ${text}: not a calendar day; write it as 2026-11-20`);
  return text;
}

/** Half-open; null where a flag is absent. @throws UsageError for texts that are no dates, and for an empty range */
export function readRange(flags: { from?: string; to?: string }): { from: string | null; to: string | null } {
  const [from, to] = [readDate('--from', flags.from), readDate('--to', flags.to)];
  if (from === null || to === null || from < to) return { from, to };
  throw new UsageError(`--from ${from} --to ${to}: the range is empty`, {
    remedy: '--to is the day after the last one',
  });
}

/** Both ends, or null without either. @throws UsageError for one of them alone, and as `readRange` */
export function readWholeRange(flags: { from?: string; to?: string }): { from: string; to: string } | null {
  const { from, to } = readRange(flags);
  if (from !== null && to !== null) return { from, to };
  if (from !== null) throw new UsageError(`--from ${from}: give --to too, the day after the last one`);
  if (to !== null) throw new UsageError(`--to ${to}: give --from too`);
  return null;
}

export async function runJobCommand(session: Session, request: RunRequest): Promise<ExitCode> {
  let bar: Progress | null = null;
  // Before a database is made where there is none.
  const { timezone } = (await session.settings()).settings;
  requirePastDate(request.businessDate, session.clock.wall.now(), timezone);
  const app = await announcedApp(session, request.job, {
    onProgress: (observed, population) => {
      bar ??= session.screen.start({ label: request.job.name, total: population });
      bar.update(observed, `${count(observed)} of ${counted(population, 'record')}`);
    },
  });
  const { job, selection, ...options } = request;
  const [{ runAnnounced }, { notifierOf }] = await Promise.all([
    import('../../runner/notify.ts'),
    import('../../app/schedule.ts'),
  ]);
  const orders = { ...options, selection: selection === null ? null : await selection(app) };
  // A run started by cron is announced like one of `tieout schedule`.
  const notifier = notifierOf(app, {
    signal: session.signal,
    scrub: (text) => session.scrub(text),
    routine: false,
  });
  const result = await runAnnounced(app, job, orders, notifier);
  (bar as Progress | null)?.stop();
  const { out } = session;
  switch (result.outcome) {
    case 'stopped':
      session.screen.write(`Stopped; progress is saved. Resume with: tieout run ${job.name} --resume\n`);
      return EXIT.terminated;
    case 'pruned':
      await out.result(snakeCase(result.pruned), `Forgot ${prunedInWords(result.pruned)}.`);
      return EXIT.clean;
    case 'refreshed':
      if (out.json) await out.value(result);
      else {
        await out.line(
          `Captured ${counted(result.captured.length, 'kind')} of reference data with ${counted(result.requests, 'request')}.`,
        );
        // Each is "what: why"; a network that is down is one reason for two dozen of them.
        const reasons = Map.groupBy(result.failed, (failure) => failure.slice(failure.indexOf(': ')));
        for (const [reason, failed] of reasons)
          await out.line(`Not captured: ${failed.map((each) => each.slice(0, -reason.length)).join(', ')}${reason}`);
      }
      return result.captured.length === 0 ? EXIT.unavailable : result.failed.length > 0 ? EXIT.incomplete : EXIT.clean;
    case 'nothing-due':
      await out.result(result, `Nothing to do: ${result.why}.`);
      return EXIT.clean;
    case 'quoted':
      await out.result({ ...result.counts, requests: result.requests }, quotedInWords(result.counts));
      // Waiting work may be too late by the next time: a quote is valid for minutes only.
      return result.counts.waiting > 0 ? EXIT.incomplete : EXIT.clean;
    case 'reconciled':
      await printRun(
        out,
        result,
        result.folder === '' ? null : join(app.settings.out, result.folder),
        await reportingOfRun(app, result.run),
      );
      return runExitCode(result, session.flags.failOn);
  }
}

function quotedInWords({ captured, present, refused, expired, waiting }: QuotesCaptured): string {
  return `${counted(captured, 'quote')} captured; ${counted(present, 'record')} had one, ${count(refused)} got none, ${count(expired)} were too old by then, ${count(waiting)} still wait.`;
}

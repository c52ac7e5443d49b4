/** `tieout schedule`: every job at its time, until a signal stops it. */
import type { App } from '../../app/app.ts';
import { command, type Register } from '../context.ts';
import { announcedApp, type Session, untilStopped } from '../session.ts';

export const register: Register = (program) => {
  command(program, 'schedule', {
    details: `Runs in the foreground; keep it alive with systemd or a container (docs/deploy/). Cron lines are in the time zone
schedule.timezone. At its start, and after every tick of the nightly job, it resumes an interrupted run and runs the
business dates without a finished run, oldest first, at most seven. It skips a job that another process runs. SIGTERM
finishes the requests in flight, saves, and ends with 143.`,
    examples: ['tieout schedule', 'tieout schedule --list', 'tieout schedule --log-level warn'],
  })
    .option('--list', 'print the jobs with their next times, then exit')
    .runs(async (session, flags) => {
      if (flags.list) return listJobs(session, await session.app());
      const app = await announcedApp(session, null);
      await beginSchedule(session, app);
      const { startMonitor } = await import('../../app/worker.ts');
      const monitor = await startMonitor(app, null, 'schedule');
      if (monitor !== null) {
        session.releasers.push('metrics', () => monitor.close());
        app.log.info({ url: monitor.url }, 'health and metrics');
      }
      await untilStopped(session.signal);
    });
};

/** Until the session is released. */
export async function beginSchedule(session: Session, app: App): Promise<void> {
  const { startSchedule } = await import('../../app/schedule.ts');
  const scheduler = startSchedule(app, { signal: session.signal, scrub: (text) => session.scrub(text) });
  // Released before the database that the runs write to.
  session.releasers.push('schedule', () => scheduler.stop());
}

async function listJobs(session: Session, app: App): Promise<void> {
  const { nextTick, readCronLine } = await import('../../runner/schedule-calendar.ts');
  const { timezone, jobs } = app.settings.schedule;
  const now = app.clock.wall.now();
  const rows = [...jobs].map(([job, at]) => {
    const next = nextTick(readCronLine(at), timezone, now);
    return { job, at, timezone, next: next === null ? null : new Date(next).toISOString() };
  });
  await session.out.list(
    rows,
    rows,
    [
      { title: 'job', cell: (row) => row.job },
      { title: 'cron line', cell: (row) => row.at },
      { title: 'time zone', cell: (row) => row.timezone },
      { title: 'next', cell: (row) => row.next ?? 'not within a year' },
    ],
    'No job has a time.',
  );
}

/** What `/metrics` of `tieout serve` and of `tieout worker` read from the store, and whether the store can be used at all. */
import { statSync } from 'node:fs';
import { JOBS } from '../jobs/index.ts';
import type { App } from './app.ts';
import type { Figures, JobFigures } from './intake/server/contract.ts';
import type { QueueFigures } from './queue/contract.ts';
import { parseDatabaseUrl } from './store/database-url.ts';
import { egressOf } from './wiring.ts';

/** A scrape every few seconds must not count a million rows each time. */
const COUNTED_AGE_MS = 60_000;
/** Runs of a job that are looked through for its newest complete one. */
const RUNS_LOOKED_AT = 20;

/** What takes long to count. */
type Counted = Pick<Figures, 'learnedFrom' | 'openBreaks'>;

/** @param queueFigures null where there are no workers */
export function figuresOf(app: App, queueFigures: () => Promise<QueueFigures | null>): () => Promise<Figures> {
  const { store, settings, clock, limiter } = app;
  let counted: (Counted & { at: number }) | null = null;
  return async () => {
    const now = clock.wall.now();
    if (counted === null || Math.abs(now - counted.at) > COUNTED_AGE_MS) {
      const [learnedFrom, openBreaks] = [await store.deliveries.learnedFrom(), await store.breaks.openBySeverity()];
      counted = { at: now, learnedFrom, openBreaks };
    }
    const { circuit, windows } = await limiter.state();
    const jobs: JobFigures[] = [];
    for (const { name } of JOBS) jobs.push(await jobFigures(store, name));
    return {
      now,
      jobs,
      egress: egressOf(settings),
      circuit,
      windows,
      requestsSent: limiter.sent(),
      learnedFrom: counted.learnedFrom,
      openBreaks: counted.openBreaks,
      awaitingRecheck: await store.deliveries.waiting(),
      queue: await queueFigures(),
    };
  };
}

async function jobFigures({ runs }: Pick<App['store'], 'runs'>, job: string): Promise<JobFigures> {
  const newestFirst = await runs.list({ job, limit: RUNS_LOOKED_AT });
  const judged = newestFirst.find(({ state }) => state === 'complete' || state === 'incomplete');
  return {
    job,
    lastSuccessAt: newestFirst.find(({ state }) => state === 'complete')?.finishedAt ?? null,
    newest:
      judged === undefined || judged.finishedAt === null || judged.verdicts === null
        ? null
        : { finishedAt: judged.finishedAt, requestsSent: judged.requestsSent, verdicts: judged.verdicts },
  };
}

/** Thrown where the file of the database is no longer the one that this process has open. Exit code 4. */
export class DatabaseFileGoneError extends Error {
  override readonly name = 'DatabaseFileGoneError';
  constructor(file: string, options?: ErrorOptions) {
    super(
      `The database ${file} was moved, removed or replaced while it was open: what is written now is not in it. Put the file back, and start again.`,
      options,
    );
  }
}

/**
 * Whether the database can be used. A SQLite file that was removed can still be read and written by whoever has it open,
 * and all of it is lost at the end: so it is looked at by its name, too.
 * @returns rejects with DatabaseUnavailableError, DatabaseFileGoneError or whatever the database says
 */
export function readinessOf({ store, settings }: Pick<App, 'store' | 'settings'>): () => Promise<void> {
  const address = parseDatabaseUrl(settings.database.url);
  const file = address.engine === 'sqlite' && address.file !== ':memory:' ? address.file : null;
  const opened = file === null ? null : identityOf(file);
  return async () => {
    if (file !== null && identityOf(file) !== opened) throw new DatabaseFileGoneError(file);
    await store.runs.list({ limit: 1 });
  };
}

function identityOf(file: string): string {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch (cause) {
    throw new DatabaseFileGoneError(file, { cause });
  }
}

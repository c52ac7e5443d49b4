/** What `/metrics` of `tieout serve` and of `tieout worker` read from the store, and whether the store can be used at all. */

import { statSync } from 'node:fs';
import { JOBS } from '../../jobs/index.ts';
import { EXIT, TieoutError } from '../domain/errors.ts';
import type { Figures, JobFigures } from '../intake/server/contract.ts';
import type { QueueFigures } from '../ports/queue.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import type { App } from './app.ts';
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
  const read = async (): Promise<Figures> => {
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
  return () => soon(read(), clock);
}

/** Who scrapes or probes waits five or ten seconds, and learns nothing when they are over. */
const ANSWER_MS = 4_000;

/** Thrown where the database says neither yes nor no, as behind a network that swallows everything. Exit code 4. */
export class DatabaseSilentError extends TieoutError {
  override readonly name = 'DatabaseSilentError';
  override readonly exitCode = EXIT.unavailable;
  constructor() {
    super(
      `The database has not answered within ${ANSWER_MS / 1000} seconds. Look at the server, and at the way to it.`,
    );
  }
}

/** @throws DatabaseSilentError; the work itself goes on until its connection gives up */
async function soon<T>(work: Promise<T>, { monotonic }: Pick<App['clock'], 'monotonic'>): Promise<T> {
  const over = new AbortController();
  const late = monotonic.sleep(ANSWER_MS, over.signal).then(() => Promise.reject(new DatabaseSilentError()));
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
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
export class DatabaseFileGoneError extends TieoutError {
  override readonly name = 'DatabaseFileGoneError';
  override readonly exitCode = EXIT.unavailable;
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
 * @returns rejects with DatabaseUnavailableError, DatabaseFileGoneError, DatabaseSilentError or what the database says
 */
export function readinessOf({
  store,
  settings,
  clock,
}: Pick<App, 'store' | 'settings' | 'clock'>): () => Promise<void> {
  const requireFile = databaseFileOf(settings);
  return async () => {
    requireFile();
    await soon(store.runs.list({ limit: 1 }), clock);
  };
}

/** @returns throws DatabaseFileGoneError once the file is no longer the one that was there when this was called */
export function databaseFileOf({ database }: App['settings']): () => void {
  const address = parseDatabaseUrl(database.url);
  if (address.engine !== 'sqlite' || address.file === ':memory:') return () => undefined;
  const { file } = address;
  const opened = identityOf(file);
  return () => {
    if (identityOf(file) !== opened) throw new DatabaseFileGoneError(file);
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

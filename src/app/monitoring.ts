/** Figures for `/metrics` and readiness for `/readyz`, of `tieout serve` and of `tieout worker`. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { JOBS } from '../../jobs/index.ts';
import { UnavailableError } from '../domain/errors.ts';
import { FINISHED } from '../domain/run.ts';
import type { Figures, JobFigures } from '../intake/server/contract.ts';
import type { QueueFigures } from '../ports/queue.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import type { App, AppData } from './app.ts';
import { freeSpace } from './free-space.ts';
import { egressOf } from './wiring.ts';

/** How long slow counts are reused: a scrape every few seconds must not count a million rows each time. */
const COUNTED_AGE_MS = 60_000;

/** The counts that are reused. */
type Counted = Pick<Figures, 'learnedFrom' | 'openBreaks' | 'moneyAtStake'>;

/**
 * @param queueFigures null where there are no workers
 * @param showsMoney false where everybody who reaches the port can scrape it
 */
export function figuresOf(
  app: App,
  queueFigures: () => Promise<QueueFigures | null>,
  showsMoney = true,
): () => Promise<Figures> {
  const { store, settings, clock, limiter } = app;
  let counted: (Counted & { at: number }) | null = null;
  const read = async (): Promise<Figures> => {
    const now = clock.wall.now();
    if (counted === null || Math.abs(now - counted.at) > COUNTED_AGE_MS) {
      const [learnedFrom, openBreaks] = [await store.deliveries.learnedFrom(), await store.breaks.openBySeverity()];
      counted = {
        at: now,
        learnedFrom,
        openBreaks,
        moneyAtStake: showsMoney ? await store.breaks.openStake() : [],
      };
    }
    const { circuit, windows } = await limiter.state();
    const jobs: JobFigures[] = [];
    for (const { name } of JOBS) jobs.push(await jobFigures(store, name, settings.out));
    return {
      now,
      jobs,
      egress: egressOf(settings),
      circuit,
      windows,
      requestsSent: limiter.sent(),
      learnedFrom: counted.learnedFrom,
      openBreaks: counted.openBreaks,
      moneyAtStake: counted.moneyAtStake,
      awaitingRecheck: await store.deliveries.waiting(),
      queue: await queueFigures(),
      ...(await freeSpace(app)),
      clockAheadMs: app.serverTime.median(),
    };
  };
  return () => soon(read(), clock);
}

/** Scrapes and probes time out after five or ten seconds; an answer before that can say what is wrong. */
const ANSWER_MS = 4_000;

/**
 * @throws UnavailableError where the database does not answer, as behind a network that drops packets; the work itself goes on
 * until its connection gives up
 */
async function soon<T>(work: Promise<T>, { monotonic }: Pick<App['clock'], 'monotonic'>): Promise<T> {
  const over = new AbortController();
  const late = monotonic.sleep(ANSWER_MS, over.signal).then(() => {
    throw new UnavailableError(`the database has not answered within ${ANSWER_MS / 1000} seconds`, {
      remedy: 'check the server and the network to it',
    });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

/** The part of a manifest that says what could not be judged; absent where there is nothing of the kind. */
interface WithoutData {
  records_not_judged?: number;
  lacking_fields?: object;
}

/** Nothing where the set is not on this machine, or cannot be read: a scrape does not fail for it. */
function withoutDataOf(out: string, folder: string | null): Pick<NonNullable<JobFigures['newest']>, 'withoutData'> {
  if (folder === null) return {};
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(out, folder, 'manifest.json'), 'utf8'));
    const { records_not_judged: records = 0, lacking_fields: lacking = {} } = manifest as WithoutData;
    return { withoutData: { records, lacking: new Map(Object.entries(lacking)) } };
  } catch {
    return {};
  }
}

async function jobFigures({ runs }: Pick<App['store'], 'runs'>, job: string, out: string): Promise<JobFigures> {
  const [judged] = await runs.list({ job, state: FINISHED, limit: 1 });
  const [complete] = judged?.state === 'complete' ? [judged] : await runs.list({ job, state: 'complete', limit: 1 });
  return {
    job,
    lastSuccessAt: complete?.finishedAt ?? null,
    newest:
      judged === undefined || judged.finishedAt === null || judged.verdicts === null
        ? null
        : {
            finishedAt: judged.finishedAt,
            requestsSent: judged.requestsSent,
            verdicts: judged.verdicts,
            sources: judged.sources,
            ...withoutDataOf(out, judged.publishedTo),
          },
  };
}

/**
 * Whether the database can be used. A removed SQLite file can still be read and written by a process that has it open, and is
 * lost when that ends: so its path is checked, too.
 * @returns rejects with DatabaseUnavailableError, UnavailableError or what the database says
 */
export function readinessOf({ store, settings, clock }: AppData): () => Promise<void> {
  const requireFile = databaseFileOf(settings);
  return async () => {
    requireFile();
    await soon(store.runs.list({ limit: 1 }), clock);
    if (!(await soon(store.isBlocked(), clock))) return;
    throw new UnavailableError(
      'a writer has been waiting for the lock of the database for seconds, so nothing can be stored at present',
      {
        remedy:
          'wait: the server ends a process that stopped in the middle of a save; the plan of a very large run ends as well',
      },
    );
  };
}

/** @returns throws UnavailableError once the file is no longer the one that was there when this was called */
export function databaseFileOf({ database }: App['settings']): () => void {
  const address = parseDatabaseUrl(database.url);
  if (address.engine !== 'sqlite' || address.file === ':memory:') return () => undefined;
  const { file } = address;
  const opened = identityOf(file);
  return () => {
    if (identityOf(file) !== opened) throw fileGone(file);
  };
}

function fileGone(file: string, cause?: unknown): UnavailableError {
  return new UnavailableError(
    `the database ${file} was moved, removed or replaced while it was open: writes of this process are not in it`,
    { remedy: 'put the file back, then start again', cause },
  );
}

function identityOf(file: string): string {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch (cause) {
    throw fileGone(file, cause);
  }
}

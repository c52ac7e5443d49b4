/** Composes the edges of the main line for one run: how it fetches, where its reports go, when it stops. */
import { requote } from '../capture/requote.ts';
import type { Run, Selection } from '../domain/run.ts';
import { periodRange } from '../periods/month.ts';
import type { JobResult, ReconcileOptions } from '../ports/job.ts';
import type { ReportSet } from '../ports/report-set.ts';
import type { ClockComparison, ServiceClient } from '../ports/service.ts';
import type { Fence, FetchedItems } from '../ports/store/store.ts';
import { tableSettings } from '../publish/load-documents.ts';
import { openReportSet } from '../publish/report-set.ts';
import { signerFor } from '../publish/sign.ts';
import { fetchRecords } from '../reconcile/fetch.ts';
import { type Edges, reconcile } from '../reconcile/reconcile.ts';
import { frozenRules, thawRun } from '../reconcile/run-book.ts';
import { surveyRun } from '../reconcile/survey.ts';
import { startDeadline } from '../runner/deadline.ts';
import type { HeldJob } from '../runner/run-job.ts';
import type { MeteredLimiter } from '../service/pacing/metered.ts';
import { counted } from '../text/counts.ts';
import { fetchByWorkers } from '../workers/fetch-by-workers.ts';
import { chainStep } from './chains.ts';
import { documentsFor } from './documents-for.ts';
import { judgeRun } from './judging-threads.ts';
import { withClient } from './open-client.ts';
import { publishingRight, requireOut } from './out-folder.ts';
import { deploymentOfSettings, openQueue } from './queue.ts';
import { reportingOf, reportingOfRun } from './reporting.ts';
import { reportsOf } from './reports-of-run.ts';
import { keepRevenue } from './revenue.ts';
import { ownHolder, type RunOptions, type Wiring } from './wiring.ts';

/** What one run is held to. */
interface RunLimits extends Pick<RunOptions, 'maxDurationMs' | 'maxRequests'> {
  /** Counts the requests of this run, over the limiter of the process. */
  metered: MeteredLimiter;
}

/** @throws ServiceUnavailableError, LeaseLostError, ManifestKeyError, PublicationError, UsageError */
export async function reconcileRun(
  wiring: Wiring,
  limits: RunLimits,
  held: HeldJob,
  selection: Selection,
  { publish = true, sources = [] }: ReconcileOptions = {},
): Promise<JobResult> {
  const { options, settings, store, clock, log } = wiring;
  const { metered } = limits;
  const run = await held.openRun(selection, sources);
  log.info({ run: run.runId, version: run.codeVersion, maxDuration: limits.maxDurationMs }, 'started');
  using deadline = startDeadline({
    clock: clock.monotonic,
    maxDurationMs: limits.maxDurationMs,
    signal: options.signal,
  });
  const edges: Omit<Edges, 'fetch'> = {
    store,
    survey: (judged, fence) => surveyRun(thawRun(judged), store, fence),
    judge: (judged, eachIsPrinted) =>
      judgeRun(judged, {
        stages: true,
        store,
        eachIsPrinted,
        databaseUrl: settings.database.url,
        // By default one where this process fetched the records: beside the heap of the fetching there is no room for
        // threads' own.
        threads: settings.judging.threads === 'auto' && !settings.workers.enabled ? 1 : settings.judging.threads,
        reports: publish ? reportsOf(judged).map(({ definition }) => definition.name) : [],
        rendering: tableSettings(settings.reports),
      }),
    stop: { reason: () => deadline.reason() ?? (metered.spent() ? 'max-requests' : null), signal: deadline.signal },
    refusal: async () => (await wiring.limiter.state()).circuit.reason,
    heartbeat: held.heartbeat,
    now: () => clock.wall.now(),
    progress: (observed, population) => options.onProgress?.(observed, population),
    due: settings.due,
    openReports: publish ? await reportOpener(wiring, held.fence) : async () => null,
    requestsSent: () => metered.takeSent(),
    witness: witnessStep(wiring, deadline.signal, held.heartbeat),
  };
  const fetch = (settings.workers.enabled ? fetchThroughQueue : fetchHere)(wiring, limits, edges);
  try {
    const result = await reconcile(run, held.fence, { ...edges, fetch });
    if (result.outcome === 'stopped') return result;
    const { deferred, notReached, notReachedBecause } = result.tally;
    if (notReached > 0)
      log.warn(
        `${run.runId}: ${counted(notReached, 'record')} not verified, ${deferred} of them deferred (${[...notReachedBecause.keys()].join('; ')})`,
      );
    const tally = { ...result.tally, ...(await priorPeriodsOf(wiring, result.run)) };
    // Of all processes and attempts that worked on the run.
    return { ...result, outcome: 'reconciled', tally, requests: result.run.requestsSent };
  } catch (error) {
    await held.abortOnOutage(run, error);
    throw error;
  }
}

/** Asks the chains, and stores the host's revenue for the run. */
function witnessStep(wiring: Wiring, signal: AbortSignal, heartbeat: () => Promise<void>): Edges['witness'] {
  const chains = chainStep(wiring, signal, heartbeat);
  return async (run, fence) => {
    await chains?.(run, fence);
    await keepRevenue(wiring, run, fence);
  };
}

/** Fetches from the address of this process. */
function fetchHere(
  wiring: Wiring,
  { metered }: RunLimits,
  { stop, heartbeat, now }: Omit<Edges, 'fetch'>,
): Edges['fetch'] {
  const { settings, store, serverTime, log } = wiring;
  return async (run, fence, observed) => {
    await withClient(wiring, metered, async (client) => {
      await fetchRecords(run, fence, {
        items: knownTo(client, counting(withCheckedClock(serverTime, store.items), metered)),
        client,
        limiterState: () => metered.state(),
        concurrency: settings.service.concurrency,
        requote: (of, state) => requote(of, state, { client, quotes: store.quotes, now }),
        progress: observed,
        stop,
        heartbeat,
        now,
      });
      const remark = serverTime.remark();
      if (remark !== null) log.warn(remark);
    });
  };
}

/** Answers are stored only while the clock that dates them may be right. */
export function whileClockRight<T extends unknown[], R>(clock: ClockComparison, store: (...given: T) => Promise<R>) {
  return async (...given: T): Promise<R> => {
    clock.require();
    return store(...given);
  };
}

export function withCheckedClock(clock: ClockComparison, { next, save }: FetchedItems) {
  return { next, save: whileClockRight(clock, save) };
}

/** The client knows the tokens of the next records before it asks for them: any answer could bring one of them. */
function knownTo(client: Pick<ServiceClient, 'know'>, { next, save }: FetchedItems): FetchedItems {
  return {
    save,
    next: async (...asked) => {
      const page = await next(...asked);
      client.know(page.map(({ token }) => token));
      return page;
    },
  };
}

/**
 * A save adds, in its own transaction, the requests sent until then: a killed process has counted the requests of all
 * that it stored.
 */
function counting({ next, save }: FetchedItems, metered: MeteredLimiter): FetchedItems {
  return {
    next,
    save: async (runId, fence, batch) => {
      const requests = metered.takeSent();
      try {
        return await save(runId, fence, batch, requests);
      } catch (error) {
        metered.giveBack(requests);
        throw error;
      }
    },
  };
}

/** Fetches from the addresses of the workers; this process sends no request. */
function fetchThroughQueue(
  { settings, store, clock, log }: Wiring,
  { maxRequests }: RunLimits,
  { stop, heartbeat }: Omit<Edges, 'fetch'>,
): Edges['fetch'] {
  return async (run, fence, observed) => {
    const queue = await openQueue(settings, log);
    try {
      await fetchByWorkers(run, fence, {
        items: store.items,
        runs: store.runs,
        queue,
        clock: clock.monotonic,
        batchSize: settings.workers.batch,
        patienceMs: settings.workers.patience,
        maxRequests,
        deployment: deploymentOfSettings(settings),
        progress: observed,
        stop,
        heartbeat,
      });
    } finally {
      await queue.close();
    }
  };
}

/** Before anything is fetched: fails if the folder cannot be made, a format cannot be written or the signing key cannot be used. */
async function reportOpener(
  { settings, store, clock, log }: Wiring,
  fence: Fence,
): Promise<(run: Run) => Promise<ReportSet>> {
  const { out, publish, reports } = settings;
  requireOut(out);
  const documents = await documentsFor(reports.formats, out, reports.decimals);
  const signer = signerFor(publish.signingKeyFile);
  await reportingOf({ settings, store }, clock.wall.now());
  const { holder, isDead } = ownHolder();
  return async (run) =>
    openReportSet(run, {
      out,
      reports: reportsOf(run),
      ...tableSettings(reports),
      documents,
      rules: frozenRules(run.terms),
      reporting: (of) => reportingOfRun({ settings, store }, of),
      signer,
      suffix: holder,
      warn: (problem) => log.warn(problem),
      isGone: isDead,
      right: await publishingRight(store.publications, { runId: run.runId }, fence, out),
    });
}

/**
 * How many records of closed months the run has new findings on; the next close carries them. Absent without closed
 * months.
 */
async function priorPeriodsOf({ store }: Wiring, { runId }: Run): Promise<{ priorPeriod?: number }> {
  const closed = await store.periods.list();
  const [first, last] = [closed[0], closed.at(-1)];
  if (first === undefined || last === undefined) return {};
  const { from } = periodRange(first.period, first.timezone);
  const { to } = periodRange(last.period, last.timezone);
  return { priorPeriod: await store.periods.touched(runId, { from, to }) };
}

/** The edges that jobs use, over a wired application. */
import { captureOnCreated } from '../capture/capture-on-created.ts';
import { captureReferenceData } from '../capture/reference-data.ts';
import { isAbort, UnavailableError } from '../domain/errors.ts';
import type { SourceFigures } from '../domain/run.ts';
import { importSource } from '../intake/sources.ts';
import type { JobEdges, JobResult } from '../ports/job.ts';
import type { Limiter } from '../ports/pacing.ts';
import type { RunTerms } from '../rules/terms.ts';
import { startDeadline } from '../runner/deadline.ts';
import type { HeldJob } from '../runner/run-job.ts';
import { type MeteredLimiter, meterLimiter, stoppable } from '../service/pacing/metered.ts';
import { reconcileRun, whileClockRight } from './main-line.ts';
import { withClient } from './open-client.ts';
import { sourceOfPostings } from './postings.ts';
import { pruneNow, type RunOptions, type Wiring } from './wiring.ts';

export function jobEdges(wiring: Wiring, terms: RunTerms, options: RunOptions, held: HeldJob): JobEdges {
  const { maxDurationMs, maxRequests } = options;
  const metered = meterLimiter(wiring.limiter, maxRequests);
  const limits = { metered, maxDurationMs, maxRequests };
  return {
    businessDate: held.businessDate,
    selection: options.selection,
    resumes: options.resume,
    readSources: () => readSources(wiring, maxDurationMs),
    reconcile: (selection, how) => reconcileRun(wiring, limits, held, selection, how),
    deliveriesWaiting: () => wiring.store.deliveries.waiting(),
    captureQuotes: () => inTime(wiring, limits, (timely) => captureQuotes(wiring, terms, metered, timely)),
    refreshReferenceData: () => inTime(wiring, limits, (timely) => refreshReferenceData(wiring, metered, timely)),
    prune: async () => ({ outcome: 'pruned', pruned: await pruneNow(wiring, false) }),
  };
}

/** Ends waits for the allowance when the time of the run is over. @throws UnavailableError */
async function inTime(
  { clock, options, limiter }: Wiring,
  { metered, maxDurationMs }: { metered: MeteredLimiter; maxDurationMs: number | null },
  work: (timely: Limiter) => Promise<JobResult>,
): Promise<JobResult> {
  using deadline = startDeadline({ clock: clock.monotonic, maxDurationMs, signal: options.signal });
  try {
    return await work(stoppable(metered, deadline.signal));
  } catch (error) {
    if (!isAbort(error) || deadline.reason() !== 'max-duration') throw error;
    const { reason } = (await limiter.state()).circuit;
    throw new UnavailableError(`the time limit of the run is over${reason === null ? '' : `: ${reason}`}`, {
      remedy: 'find out what else sends from this address, or raise schedule.maxDuration',
      cause: error,
    });
  }
}

async function refreshReferenceData(wiring: Wiring, metered: MeteredLimiter, timely: Limiter): Promise<JobResult> {
  const { tracked, reference } = wiring.store;
  // Reference data count from the instant of their capture: under a wrong clock none are stored.
  const dated = { tracked, reference: { save: whileClockRight(wiring.serverTime, reference.save) } };
  return withClient(wiring, timely, async (client) => {
    const { captured, failed } = await captureReferenceData(client, dated, () => wiring.clock.wall.now());
    return { outcome: 'refreshed', captured, failed, requests: metered.sent() };
  });
}

async function captureQuotes(
  wiring: Wiring,
  terms: RunTerms,
  metered: MeteredLimiter,
  timely: Limiter,
): Promise<JobResult> {
  const { store, clock, serverTime, creations } = wiring;
  return withClient(wiring, timely, async (client) => {
    const counts = await captureOnCreated({
      deliveries: store.deliveries,
      quotes: { ...store.quotes, add: whileClockRight(serverTime, store.quotes.add) },
      client,
      now: () => clock.wall.now(),
      window: terms.window,
      tolerances: terms.tolerances,
      renamedAssets: terms.renamedAssets,
      creations,
    });
    return { outcome: 'quoted', counts, requests: metered.sent() };
  });
}

/** A part of a source that cannot be read is logged and counted; the others are still imported. */
async function readSources(
  { settings, store, clock, log, options }: Wiring,
  maxDurationMs: number | null,
): Promise<readonly SourceFigures[]> {
  const figures: SourceFigures[] = [];
  for (const source of settings.sources) {
    const report = await importSource(source, {
      tracked: store.tracked,
      now: () => clock.wall.now(),
      signal: options.signal,
      statuses: settings.statuses,
      maxDurationMs,
    });
    figures.push(report.figures);
    for (const part of report.parts) {
      if (part.error !== null) log.error(part.error.message);
      const { added, updated, unchanged, conflictCount, rejectedCount, rejected } = part.summary;
      log.info({ source: part.name, added, updated, unchanged, conflictCount, rejectedCount }, 'source read');
      for (const { line, reason } of rejected) log.warn(`${part.name}:${line}: ${reason}`);
    }
    const { name, read, accepted, rejected, failed, problems } = report.figures;
    log.info({ source: name, read, accepted, rejected, failed }, 'source done');
    if (report.parts.length === 0) for (const problem of problems) log.error(`source ${name}: ${problem}`);
  }
  const { posted, expected } = settings.evidence.payouts;
  const books = posted === null || expected === 'never' ? null : sourceOfPostings(posted, clock.wall.now());
  for (const problem of books?.problems ?? []) log.warn(problem);
  return books === null ? figures : [...figures, books];
}

/**
 * The main line: select → fetch → judge → settle → publish.
 *
 * Data flows one way. Fetching needs the Service and may be interrupted and resumed; everything after it is offline and
 * gives the same bytes each time it is done, so a crash there simply does it again.
 */
import type { DuePolicy } from '../domain/due.ts';
import { isWholeNight, type JudgeableRun, type Run, withWatermarks } from '../domain/run.ts';
import type { ReportSet } from '../ports/report-set.ts';
import type { Reconciled, Tally } from '../ports/settled.ts';
import type { BreakStore, Fence, ItemStore, RunStore } from '../ports/store/store.ts';
import { createRuleSet } from '../rules/rule-set.ts';
import { thawTerms } from '../rules/terms.ts';
import { type CoordinatorEdges, fetchByWorkers } from '../workers/fetch-by-workers.ts';
import { type FetchEdges, fetchRecords } from './fetch.ts';
import { type JudgeStore, judge } from './judge.ts';
import { select } from './select.ts';
import { emptyTally, tallyOutside, tallyRecord } from './tally.ts';

export interface Edges {
  store: JudgeStore & {
    runs: RunStore;
    items: ItemStore;
    breaks: Pick<BreakStore, 'standing' | 'standingOutside' | 'clearStaged' | 'stage'>;
  };
  fetch: Omit<FetchEdges, 'items' | 'statuses' | 'progress'>;
  /** Where others fetch: the queue is another way to feed the same line (docs/decisions/0010-many-machines.md). */
  byWorkers?: Omit<CoordinatorEdges, 'items' | 'stop' | 'heartbeat' | 'progress'>;
  /** How many of the run's records have been observed; records of an earlier, interrupted attempt included. */
  progress: (observed: number, population: number) => void;
  due: DuePolicy;
  /** Opens the report set of a run; nothing is visible before its `publish`. */
  openReports: (run: JudgeableRun) => Promise<ReportSet>;
  /** Requests sent since this process started on the run. */
  requestsSent: () => number;
}

export async function reconcile(run: Run, fence: Fence, edges: Edges): Promise<Reconciled> {
  const { runs, items } = edges.store;
  const terms = thawTerms(run.terms);

  if (run.state === 'fetching') {
    const population = await select(run, fence, edges.due, items);
    let { observed } = await items.progress(run.runId);
    const progress = (more: number) => {
      observed += more;
      edges.progress(observed, population);
    };
    progress(0);
    const { stop, heartbeat } = edges.fetch;
    const fetching =
      edges.byWorkers === undefined
        ? fetchRecords(run, fence, { ...edges.fetch, items, statuses: terms.statuses, progress })
        : fetchByWorkers(run, fence, { ...edges.byWorkers, items, stop, heartbeat, progress });
    await fetching.finally(() => runs.addRequests(run.runId, fence, edges.requestsSent()));
    if (edges.fetch.stop.reason() === 'signal') return { outcome: 'stopped', run };
  }
  const judged =
    run.state === 'settled'
      ? run
      : await runs.startJudging(run.runId, fence, edges.fetch.stop.reason() ?? 'not reached');
  return judgeAndPublish(judged, fence, edges);
}

async function judgeAndPublish(run: Run, fence: Fence, edges: Edges): Promise<Reconciled> {
  const { runs } = edges.store;
  const reports = await edges.openReports(withWatermarks(run));
  try {
    const tally = await judgeAndSettle(run, fence, edges, reports);
    if (tally === 'stopped') {
      await reports.discard();
      return { outcome: 'stopped', run };
    }
    // A run that was settled before a crash keeps the figures that it was settled with.
    const settled =
      run.state === 'judging'
        ? await runs.settle(run.runId, fence, { verdicts: tally.verdicts, finishedAt: edges.fetch.now() })
        : run;
    const state = tally.notReached > 0 ? 'incomplete' : 'complete';
    const folder = await reports.publish(settled, tally, state);
    const finished = await runs.finish(run.runId, fence, state, folder === '' ? null : folder);
    return { outcome: 'published', run: finished, tally, folder };
  } catch (error) {
    await reports.discard();
    throw error;
  }
}

/** One pass over the run's records: counts them, stages what happened to their breaks, hands them to the reports. */
async function judgeAndSettle(run: Run, fence: Fence, edges: Edges, reports: ReportSet): Promise<Tally | 'stopped'> {
  const { breaks } = edges.store;
  const terms = thawTerms(run.terms);
  const tally = emptyTally();
  if (run.state === 'judging') await breaks.clearStaged(run.runId, fence);
  for await (const page of judge(
    withWatermarks(run),
    terms,
    createRuleSet(terms.rules),
    edges.store,
    isWholeNight(run),
  )) {
    if (edges.fetch.stop.reason() === 'signal') return 'stopped';
    for (const record of page.records) tallyRecord(tally, record);
    for (const each of page.outside) tallyOutside(tally, each);
    if (run.state === 'judging') {
      const events = page.records.flatMap(({ recordKey, events }) => events.map((event) => ({ ...event, recordKey })));
      if (events.length > 0) await breaks.stage(run.runId, fence, events);
    }
    reports.write(page);
    await edges.fetch.heartbeat();
  }
  return tally;
}

/**
 * The main line: select → fetch → judge → settle → publish.
 *
 * Data flows one way. Only the fetch needs the Service; it may be interrupted and resumed. Every step after it is offline and
 * gives the same bytes each time, so after a crash it is done again (docs/decisions/0001-the-main-line.md).
 */

import type { DuePolicy } from '../domain/due.ts';
import type { Instant } from '../domain/record.ts';
import { isWholeNight, type JudgeableRun, type Run, whyIncomplete, withWatermarks } from '../domain/run.ts';
import { type Survey, withSharesBefore } from '../domain/survey.ts';
import { RecordNotPrintedError, type ReportSet } from '../ports/report-set.ts';
import type { Reconciled, Tally } from '../ports/settled.ts';
import type { BreakStore, Fence, ItemStore, RunStore } from '../ports/store/store.ts';
import type { StopCondition } from './fetch.ts';
import type { JudgedParts } from './judged-parts.ts';
import { planScope } from './select.ts';
import { emptyTally } from './tally.ts';

/** What the main line is given: nothing in it reaches outside but through these. */
export interface Edges {
  store: {
    runs: Pick<RunStore, 'addRequests' | 'startJudging' | 'keepSurvey' | 'lastSurvey' | 'settle' | 'finish'>;
    items: Pick<ItemStore, 'plan' | 'progress' | 'reusedTx'>;
    breaks: Pick<BreakStore, 'clearStaged' | 'stage'>;
  };
  /**
   * Stores an observation of every planned record that has none yet: `fetchRecords` in this process, or `fetchByWorkers`
   * through the queue. Ends early, without error, on the stop condition. @throws ServiceUnavailableError
   * @param observed called with the number of records of each stored batch
   */
  fetch: (run: Run, fence: Fence, observed: (more: number) => void) => Promise<void>;
  /** Counts what the records of a run have in common. */
  survey: (run: Run, fence: Fence) => Promise<Survey>;
  /**
   * Judges the records of a run, in this thread or in several; the parts come in report order.
   * @param eachIsPrinted prints each record to nowhere first, and quarantines those that cannot be printed
   */
  judge: (run: Run, eachIsPrinted: boolean) => JudgedParts;
  /**
   * Asks the chains about the deliveries that the records claim, and stores the answers; undefined where none is
   * configured.
   */
  witness?: ((run: Run, fence: Fence) => Promise<void>) | undefined;
  stop: StopCondition;
  /** Why the Service refuses this address at present; null where it does not. */
  refusal: () => Promise<string | null>;
  /** @throws LeaseLostError once the lease is lost */
  heartbeat: () => Promise<void>;
  now: () => Instant;
  /** Records of the run that have been observed, earlier attempts included. */
  progress: (observed: number, population: number) => void;
  due: DuePolicy;
  /** Opens the report set of a run, invisible until its `publish`; null for a run that publishes nothing. */
  openReports: (run: JudgeableRun) => Promise<ReportSet | null>;
  /** Requests sent since it was last asked. */
  requestsSent: () => number;
}

/** Continues from the state that the run is in. @throws ServiceUnavailableError, LeaseLostError, PublicationError */
export async function reconcile(run: Run, fence: Fence, edges: Edges): Promise<Reconciled> {
  const { runs } = edges.store;
  if (run.state === 'fetching') {
    await selectAndFetch(run, fence, edges);
    if (edges.stop.reason() === 'signal') return { outcome: 'stopped', run };
  }
  const judged =
    run.state === 'settled'
      ? run
      : await surveyed(await runs.startJudging(run.runId, fence, await whyDeferred(edges)), fence, edges);
  try {
    return await judgeIntoReports(judged, fence, false, edges);
  } catch (error) {
    // Repeated from the first record, so that a quarantined record is so in every table, count and event.
    if (error instanceof RecordNotPrintedError) return judgeIntoReports(judged, fence, true, edges);
    throw error;
  }
}

/** `max-duration`, or `max-duration: the Service answered 429 (rate limit)` where that is what the time went into. */
async function whyDeferred({ stop, refusal }: Edges): Promise<string> {
  const reason = stop.reason() ?? 'not reached';
  const refused = await refusal();
  return refused === null ? reason : `${reason}: ${refused}`;
}

async function judgeIntoReports(run: Run, fence: Fence, eachIsPrinted: boolean, edges: Edges): Promise<Reconciled> {
  const reports = await edges.openReports(withWatermarks(run));
  try {
    const reconciled = await judgeAndPublish(run, fence, reports, eachIsPrinted, edges);
    if (reconciled.outcome === 'stopped') await reports?.discard();
    return reconciled;
  } catch (error) {
    await reports?.discard();
    throw error;
  }
}

/** A run over chosen records is judged by what was counted in the last whole night. */
async function surveyed(run: Run, fence: Fence, { store: { runs, items }, survey }: Edges): Promise<Run> {
  if (run.survey !== null) return run;
  const last = await runs.lastSurvey();
  const counts: Survey =
    last === null || isWholeNight(run) ? withSharesBefore(await survey(run, fence), last) : { ...last, of: 'night' };
  return runs.keepSurvey(run.runId, fence, { ...counts, reusedTx: await items.reusedTx() });
}

/** The population is planned once: a resumed run keeps it. */
async function selectAndFetch(
  run: Run,
  fence: Fence,
  { store, due, fetch, witness, progress, requestsSent }: Edges,
): Promise<void> {
  const population = await store.items.plan(run.runId, fence, planScope(run, due));
  let { observed } = await store.items.progress(run.runId);
  progress(observed, population);
  const fetching = fetch(run, fence, (more) => {
    observed += more;
    progress(observed, population);
  });
  await fetching.finally(() => store.runs.addRequests(run.runId, fence, requestsSent()));
  await witness?.(run, fence);
}

async function judgeAndPublish(
  run: Run,
  fence: Fence,
  reports: ReportSet | null,
  eachIsPrinted: boolean,
  edges: Edges,
): Promise<Reconciled> {
  const { runs } = edges.store;
  const tally = await judgeAndSettle(run, fence, reports, eachIsPrinted, edges);
  if (tally === 'stopped') return { outcome: 'stopped', run };
  // A run that was settled before a crash keeps the figures that it was settled with.
  const settled =
    run.state === 'judging'
      ? await runs.settle(run.runId, fence, { verdicts: tally.verdicts, finishedAt: edges.now() })
      : run;
  const state = whyIncomplete(settled, tally.notReached).length > 0 ? 'incomplete' : 'complete';
  const folder = (await reports?.publish(settled, tally, state)) ?? null;
  const finished = await runs.finish(run.runId, fence, state, folder);
  return { outcome: 'published', run: finished, tally, folder: folder ?? '' };
}

type BreakEvents = Parameters<BreakStore['stage']>[2];

/** Events of one transaction: most pages of records have one or two, and each commit waits for the disk. */
const STAGED_AT_ONCE = 200;

/** One pass over the run's records: counts them, stages the events of their breaks, hands them to the reports. */
async function judgeAndSettle(
  run: Run,
  fence: Fence,
  reports: ReportSet | null,
  eachIsPrinted: boolean,
  { store, judge, stop, heartbeat }: Edges,
): Promise<Tally | 'stopped'> {
  const { breaks } = store;
  const tally = emptyTally();
  const isJudging = run.state === 'judging';
  const events: BreakEvents[number][] = [];
  const stage = () => breaks.stage(run.runId, fence, events.splice(0));
  if (isJudging) await breaks.clearStaged(run.runId, fence);
  for await (const part of judge(run, eachIsPrinted)) {
    if (stop.reason() === 'signal') return 'stopped';
    part.addTo(tally);
    // Those of a run that is published again were staged before; kept here, they would grow with the run.
    if (isJudging) events.push(...part.events);
    if (events.length >= STAGED_AT_ONCE) await stage();
    if (reports !== null) part.writeTo(reports);
    await heartbeat();
  }
  if (events.length > 0) await stage();
  return tally;
}

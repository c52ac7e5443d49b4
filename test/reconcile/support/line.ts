/** The main line with everything around it in memory; what it asks of the store and of the reports is written down. */

import type { BreakEvent } from '../../../src/domain/break.ts';
import type { Run } from '../../../src/domain/run.ts';
import type { FetchResult } from '../../../src/ports/service.ts';
import type { JudgedPage, Tally } from '../../../src/ports/settled.ts';
import type { ObservedItem, PlanScope } from '../../../src/ports/store/store.ts';
import { type FetchEdges, fetchRecords } from '../../../src/reconcile/fetch.ts';
import { judgeHere } from '../../../src/reconcile/judged-parts.ts';
import { type Edges, reconcile } from '../../../src/reconcile/reconcile.ts';
import { thawRun } from '../../../src/reconcile/run-book.ts';
import { surveyRun } from '../../../src/reconcile/survey.ts';
import { at } from '../../support/builders.ts';
import { DUE_POLICY } from '../../support/due-rule.ts';
import { goOn, planned, readable } from './fetching.ts';
import { aJudgeStore, aRun, type Night, NO_MOVES } from './judging.ts';

export const FENCE = { name: 'nightly', token: 4 };

export interface LineOptions {
  night?: Night;
  /** How many of the run's records have no observation yet. */
  unobserved?: number;
  /** How many of the run's records an earlier attempt observed. */
  observedBefore?: number;
  /** The answer of the Service to all of them. */
  answer?: () => Promise<FetchResult>;
  /** Why to stop now; asked again and again. */
  stop?: () => string | null;
  /** In place of the fetch in this process. */
  fetch?: Edges['fetch'];
  /** Where the report set goes; null where the run publishes nothing. */
  folder?: string | null;
  publishing?: () => void;
}

/** `steps` are the calls to the edges, in order, in words. */
export function aLine(options: LineOptions = {}) {
  const {
    night = {},
    unobserved = 0,
    observedBefore = 0,
    stop = goOn().reason,
    folder = 'nightly/2026-11-02',
  } = options;
  const steps: string[] = [];
  const beats: string[] = [];
  const plans: PlanScope[] = [];
  const progress: (readonly [number, number])[] = [];
  const staged: (BreakEvent & { recordKey: number | null })[] = [];
  const saved: ObservedItem[] = [];
  const pages: JudgedPage[] = [];
  const published: { run: Run; tally: Tally; state: string }[] = [];
  const population = observedBefore + unobserved;
  const { store } = aJudgeStore(night);
  const step = (text: string, fence = FENCE) => {
    if (fence !== FENCE) throw new Error(`${text}: written without the run's own fence`);
    steps.push(text);
  };
  const waiting = {
    items: {
      next: async (_run, after, limit) =>
        Array.from({ length: Math.min(limit, unobserved - after) }, (_, n) => planned(after + n + 1)),
      save: async (_run, _fence, batch) => {
        saved.push(...batch);
        return [];
      },
    },
    now: () => at('2026-11-02 05:00'),
    stop: { ...goOn(), reason: stop },
    heartbeat: async () => {
      beats.push('heartbeat');
    },
  } satisfies Partial<FetchEdges>;
  const edges: Edges = {
    store: {
      ...store,
      runs: {
        addRequests: async (_run, fence, requests) => step(`${requests} requests`, fence),
        startJudging: async (_run, fence, reason) => {
          step(`judging; the rest: ${reason}`, fence);
          return aRun({ state: 'judging' });
        },
        keepSurvey: async (_run, _fence, survey) => aRun({ state: 'judging', survey }),
        lastSurvey: async () => null,
        settle: async (_run, fence, { verdicts, finishedAt }) => {
          step('settled', fence);
          return aRun({ state: 'settled', verdicts, finishedAt });
        },
        finish: async (_run, fence, state, publishedTo) => {
          step(`finished ${state} in ${publishedTo}`, fence);
          return aRun({ state, publishedTo });
        },
      },
      items: {
        ...store.items,
        plan: async (_run, fence, scope) => {
          plans.push(scope);
          step('planned', fence);
          return population;
        },
        reusedTx: async () => [],
        progress: async () => ({ planned: population, observed: observedBefore + saved.length }),
      },
      breaks: {
        ...store.breaks,
        clearStaged: async (_run, fence) => step('cleared the staged rows', fence),
        stage: async (_run, fence, events) => {
          step(`staged ${events.length}`, fence);
          staged.push(...events);
        },
      },
    },
    fetch:
      options.fetch ??
      ((run, fence, observed) =>
        fetchRecords(run, fence, {
          ...waiting,
          client: { fetchRecord: options.answer ?? (async () => readable) },
          limiterState: async () => ({
            circuit: { open: false, until: null, trips: 0, reason: null },
            windows: [],
            otherEgresses: [],
          }),
          concurrency: 2,
          progress: observed,
          requote: async () => {},
        })),
    survey: (run) => surveyRun(thawRun(run), { ...store, moves: NO_MOVES }, FENCE),
    judge: (run) => judgeHere(thawRun(run), store),
    ...waiting,
    progress: (observed, of) => progress.push([observed, of]),
    due: DUE_POLICY,
    openReports: async () => {
      if (folder === null) return null;
      step('opened reports');
      return {
        write: (page) => {
          pages.push(page);
        },
        append: () => {
          throw new Error('no other thread judges here');
        },
        publish: async (run, tally, state) => {
          options.publishing?.();
          step('published');
          published.push({ run, tally, state });
          return folder;
        },
        discard: async () => step('discarded reports'),
      };
    },
    refusal: async () => null,
    requestsSent: () => 17,
  };
  return {
    edges,
    steps,
    beats,
    plans,
    progress,
    staged,
    saved,
    pages,
    published,
    go: (run: Run) => reconcile(run, FENCE, edges),
  };
}

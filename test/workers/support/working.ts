/** A worker over one queue, in virtual time: its batches, the answers for its records, and its calls. */

import type { Run } from '../../../src/domain/run.ts';
import type { BatchDone, BatchEnd, BatchProblem, FetchBatch, HeldBatch } from '../../../src/ports/queue.ts';
import type { FetchResult } from '../../../src/ports/service.ts';
import type { ObservedItem } from '../../../src/ports/store/store.ts';
import { freezeTerms } from '../../../src/rules/terms.ts';
import { type WorkerEdges, workOnBatches } from '../../../src/workers/fetch-batch.ts';
import { drifted, FENCE, planned, RUN } from '../../reconcile/support/fetching.ts';
import { someRunTerms } from '../../reconcile/support/judging.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { namedError } from '../../support/named-error.ts';

export const SECOND = 1000;
const TERMS = freezeTerms(someRunTerms());
export const FETCHING = { ...RUN, state: 'fetching', terms: TERMS } as Run;

/** Of the coordinator and of the worker alike. */
export const HERE = { 'service.url': 'a1', version: 'b2' };

export const batchOf = (after: number, upTo: number, over: Partial<FetchBatch> = {}): FetchBatch => ({
  runId: RUN.runId,
  fence: FENCE,
  after,
  upTo,
  maxRequests: null,
  deployment: HERE,
  ...over,
});

export const named = namedError;

export interface Story {
  batches?: readonly FetchBatch[];
  /** Batches that are sent after so many ms. */
  later?: readonly (readonly [number, FetchBatch])[];
  answer?: (id: string, clock: FakeClock) => Promise<FetchResult>;
  runs?: (runId: string) => Run | null;
  /** Called before each look for work; throws where the queue cannot be had. */
  beforeClaim?: (ms: number) => void;
  beforeSave?: (ms: number) => void;
  renew?: () => boolean;
  /** Called before the queue records that a batch is done; throws where it cannot. */
  beforeDone?: () => void;
  /** How long a request waits for its slot, ms. */
  slotMs?: number;
  /** Requests after which a client says that its budget is spent. */
  budget?: number;
  edges?: Partial<WorkerEdges>;
}

/** A worker over one queue; it is stopped after an idle time. */
export function working({ batches = [], answer = async () => drifted, ...story }: Story) {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const left = [...batches];
  const later = [...(story.later ?? [])];
  const saved: ObservedItem[] = [];
  const ended: { batch: FetchBatch; done?: BatchDone; problem?: BatchProblem }[] = [];
  const seen = {
    claims: [] as number[],
    asked: [] as string[],
    reads: [] as (readonly [string, number, number | undefined])[],
    requests: [] as (readonly [string, unknown, number])[],
    opened: [] as (number | null)[],
    closed: 0,
    requoted: [] as string[],
    warnings: [] as string[],
    logged: [] as object[],
    ends: [] as BatchEnd[],
  };
  const claimOf = (batch: FetchBatch): HeldBatch => ({
    batch,
    renew: async () => story.renew?.() ?? true,
    done: async (done) => {
      story.beforeDone?.();
      ended.push({ batch, done });
    },
    giveBack: async (problem) => {
      ended.push({ batch, problem });
    },
  });
  const edges: WorkerEdges = {
    deployment: HERE,
    queue: {
      claimMs: 10 * SECOND,
      claim: async () => {
        seen.claims.push(clock.elapsed);
        story.beforeClaim?.(clock.elapsed);
        while (later[0] !== undefined && later[0][0] <= clock.elapsed)
          left.push(...later.splice(0, 1).map(([, sent]) => sent));
        const batch = left.shift();
        return batch === undefined ? null : claimOf(batch);
      },
    },
    runs: {
      get: async (runId) => (story.runs === undefined ? { ...FETCHING, runId } : story.runs(runId)),
      addRequests: async (runId, fence, requests) => {
        seen.requests.push([runId, fence, requests]);
      },
    },
    items: {
      next: async (runId, after, limit, upTo) => {
        seen.reads.push([runId, after, upTo]);
        const page = [];
        for (let n = after + 1; n <= (upTo ?? Number.POSITIVE_INFINITY) && page.length < limit; n++)
          page.push(planned(n));
        return page;
      },
      save: async (runId, fence, items, requests = 0) => {
        story.beforeSave?.(clock.elapsed);
        seen.requests.push([runId, fence, requests]);
        saved.push(...items);
        return [];
      },
    },
    openClient: (maxRequests, confirm) => {
      seen.opened.push(maxRequests);
      let sent = 0;
      return {
        client: {
          fetchRecord: async ({ id }) => {
            if (story.slotMs !== undefined) await clock.monotonic.sleep(story.slotMs);
            await confirm();
            sent++;
            seen.asked.push(id);
            return answer(id, clock);
          },
        },
        requote: async (_run, state) => {
          seen.requoted.push(state.recordId);
        },
        sent: () => sent,
        spent: () => story.budget !== undefined && sent >= story.budget,
        close: async () => {
          seen.closed++;
        },
      };
    },
    limiterState: async () => ({
      circuit: { open: false, until: null, trips: 0, reason: null },
      windows: [],
      otherEgresses: [],
    }),
    now: () => clock.wall.now(),
    clock: clock.monotonic,
    concurrency: 2,
    signal: stopping.signal,
    ended: (how) => void seen.ends.push(how),
    log: {
      info: (facts, message) => {
        seen.logged.push({ ...facts, message });
      },
      warn: (message) => {
        seen.warnings.push(message);
      },
    },
    ...story.edges,
  };
  const stopAt = (ms: number) => void clock.monotonic.sleep(ms).then(() => stopping.abort());
  const run = (ms = 2 * SECOND) => {
    stopAt(ms);
    return clock.run(workOnBatches(edges));
  };
  return { clock, stopping, saved, ended, seen, run, edges };
}

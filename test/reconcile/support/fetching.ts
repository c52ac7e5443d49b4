/** What the tests of fetching share: a planned record, the answers that it may get, and the least that a fetch needs. */
import type { Run } from '../../../src/domain/run.ts';
import type { FetchResult } from '../../../src/ports/service.ts';
import type { AnswerFigures } from '../../../src/ports/settled.ts';
import type { ObservedItem, PlannedItem } from '../../../src/ports/store/store.ts';
import type { FetchEdges } from '../../../src/reconcile/fetch.ts';
import { freezeTerms } from '../../../src/rules/terms.ts';
import { aPurchase, at, SHA256, UNSEEN } from '../../support/builders.ts';
import { someRunTerms } from './judging.ts';

export const RUN = {
  runId: 'nightly-2026-11-20-r1',
  businessDate: '2026-11-20',
  selection: { type: 'due' },
  terms: freezeTerms(someRunTerms()),
} as Run;
export const FENCE = { name: 'nightly', token: 1 };

/** The record `p7` at position 7, never seen before. */
export const planned = (position: number, overrides: Partial<PlannedItem> = {}): PlannedItem => ({
  position,
  recordKey: position,
  kind: 'purchase',
  id: `p${position}`,
  token: 'token',
  dueClass: 'never-verified',
  projection: UNSEEN,
  refusedBefore: false,
  ...overrides,
});

/** The figures of no answers. */
export const NO_ANSWERS: AnswerFigures = {
  readable: 0,
  denied: 0,
  mismatched: 0,
  unanswered: 0,
  absent: 0,
  missing: 0,
  other: 0,
  named: 0,
  misnamed: 0,
  otherName: '',
  lastProblem: '',
};

export const missing: Extract<FetchResult, { outcome: 'unreachable' }> = {
  outcome: 'unreachable',
  reason: 'RECORD_MISSING',
  httpStatus: 404,
  errorCode: null,
  attempts: 1,
  at: 0,
};

/** One of another kind: were all of them missing, the run would take it for another system's answer. */
export const refused: FetchResult = { ...missing, reason: 'ACCESS_DENIED', httpStatus: 403 };

/** No answer came in time. */
export const silent: FetchResult = { ...missing, reason: 'TIMEOUT', httpStatus: null };

/** An answer that shows the Service to be there. */
export const drifted: FetchResult = {
  outcome: 'quarantined',
  reason: 'SCHEMA_DRIFT',
  detail: '',
  drift: [],
  body: null,
  httpStatus: 200,
  attempts: 1,
  at: 0,
};

/** Another record's body. */
export const swapped: FetchResult = { ...drifted, reason: 'RECORD_ID_MISMATCH' };

/** The default purchase, read at 04:15. */
export const readable: Extract<FetchResult, { outcome: 'verified' }> = {
  outcome: 'verified',
  state: aPurchase(),
  body: { sha256: SHA256, evidence: '{"id":"sqs6a428mqjtzbv"}' },
  attempts: 1,
  httpStatus: 200,
  at: at('2026-11-20 04:15'),
};

export const soon = <T>(result: T) => new Promise<T>((resolve) => setImmediate(() => resolve(result)));

/** Nothing asks for an end. */
export const goOn = (): FetchEdges['stop'] => ({ reason: () => null, signal: new AbortController().signal });

/** The least that the fetch needs around it; `answer` plays the Service. */
export function around(
  population: number,
  answer: (id: string) => Promise<FetchResult>,
  over: Partial<FetchEdges> = {},
) {
  const saved: ObservedItem[][] = [];
  const asked: string[] = [];
  const seen = { inFlight: 0, most: 0, read: 0 };
  const edges: FetchEdges = {
    items: {
      next: async (_, after, limit) => {
        const observed = new Set(saved.flat().map(({ recordKey }) => recordKey));
        const page = [];
        for (let n = after + 1; n <= population && page.length < limit; n++)
          if (!observed.has(n)) page.push(planned(n));
        seen.read += page.length;
        return page;
      },
      save: async (_run, _fence, batch) => {
        saved.push([...batch]);
        return [];
      },
    },
    client: {
      fetchRecord: async ({ id }) => {
        asked.push(id);
        seen.inFlight++;
        seen.most = Math.max(seen.most, seen.inFlight);
        try {
          return await answer(id);
        } finally {
          seen.inFlight--;
        }
      },
    },
    limiterState: async () => ({
      circuit: { open: false, until: null, trips: 0, reason: null },
      windows: [],
      otherEgresses: [],
    }),
    now: () => 0,
    concurrency: 4,
    stop: goOn(),
    progress: () => {},
    heartbeat: async () => {},
    requote: async () => {},
    ...over,
  };
  return { edges, saved, asked, seen };
}

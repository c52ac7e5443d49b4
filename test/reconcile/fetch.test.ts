import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import { type FetchEdges, fetchRecords } from '../../src/reconcile/fetch.ts';
import type { FetchResult } from '../../src/service/contract.ts';
import type { ObservedItem, PlannedItem, Projection } from '../../src/store/contract.ts';

const RUN = { runId: 'nightly-2026-11-20-r1', businessDate: '2026-11-20', selection: { type: 'due' } } as Run;
const FENCE = { name: 'nightly', token: 1 };

const UNSEEN: Projection = {
  status: null,
  statusSince: null,
  peakStatus: null,
  peakAt: null,
  terminalDate: null,
  firstSnapshot: null,
  terminalSnapshot: null,
  lastSnapshot: null,
  lastVerifiedAt: null,
  lastVerifiedDate: null,
};

const planned = (position: number): PlannedItem => ({
  position,
  recordKey: position,
  kind: 'purchase',
  id: `p${position}`,
  token: 'token',
  dueClass: 'never-verified',
  projection: UNSEEN,
  refusedBefore: false,
});

const known = (position: number): PlannedItem => ({ ...planned(position), refusedBefore: true });

const missing: FetchResult = {
  outcome: 'unreachable',
  reason: 'RECORD_MISSING',
  httpStatus: 404,
  errorCode: null,
  attempts: 1,
  at: 0,
};

/** One of another kind: were all of them missing, the run would take it for another system's answer. */
const refused: FetchResult = { ...missing, reason: 'ACCESS_DENIED', httpStatus: 403 };

/** An answer that shows the Service to be there. */
const drifted = {
  ...missing,
  outcome: 'quarantined',
  reason: 'SCHEMA_DRIFT',
  detail: '',
  drift: [],
  body: null,
} as unknown as FetchResult;

const outcomeOf = (saved: readonly (readonly ObservedItem[])[], key: number) =>
  saved.flat().find(({ recordKey }) => recordKey === key)?.observed.outcome;

/** The least that the fetch needs around it; `answer` plays the Service. */
function around(population: number, answer: (id: string) => Promise<FetchResult>, over: Partial<FetchEdges> = {}) {
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
    limiterState: async () => ({ circuit: { open: false, until: null, trips: 0, reason: null }, windows: [] }),
    now: () => 0,
    concurrency: 4,
    statuses: { purchase: new Map(), sale: new Map() },
    stop: { reason: () => null, signal: new AbortController().signal },
    progress: () => {},
    heartbeat: async () => {},
    requote: async () => {},
    ...over,
  };
  return { edges, saved, asked, seen };
}

const soon = (result: FetchResult) => new Promise<FetchResult>((resolve) => setImmediate(() => resolve(result)));

describe('fetching', () => {
  it('asks for every record once, a bounded number at a time, and stores batches', async () => {
    const { edges, saved, asked, seen } = around(1000, (id) => soon(id === 'p1' ? refused : missing));
    await fetchRecords(RUN, FENCE, edges);
    expect(new Set(asked).size).toBe(1000);
    expect(asked).toHaveLength(1000);
    expect(seen.most).toBe(4);
    expect(saved.flat()).toHaveLength(1000);
    expect(Math.max(...saved.map((batch) => batch.length))).toBeLessThanOrEqual(210);
  });

  it('reads no further ahead than a page while answers are slow', async () => {
    const release: (() => void)[] = [];
    const { edges, seen } = around(5000, () => new Promise((resolve) => release.push(() => resolve(missing))));
    const running = fetchRecords(RUN, FENCE, edges);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen.read).toBeLessThanOrEqual(200);
    edges.stop.reason = () => 'signal';
    for (const each of release) each();
    await running;
  });

  it('stores what it has when told to stop, and takes no more', async () => {
    const stop = { reason: (): string | null => null, signal: new AbortController().signal };
    const { edges, saved, asked } = around(
      1000,
      async (id) => {
        if (id === 'p50') stop.reason = () => 'max-duration';
        return soon(missing);
      },
      { stop },
    );
    await fetchRecords(RUN, FENCE, edges);
    expect(asked.length).toBeLessThan(60);
    expect(saved.flat()).toHaveLength(asked.length);
  });

  it('stores what it has, then fails, when the client cannot go on', async () => {
    const { edges, saved } = around(1000, async (id) => {
      if (id === 'p30') throw new Error('TLS certificate not trusted');
      return soon(missing);
    });
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('TLS certificate not trusted');
    expect(saved.flat().length).toBeGreaterThanOrEqual(26);
  });

  it('goes on past any number of refusals that are known already', async () => {
    const denied: FetchResult = { ...missing, reason: 'ACCESS_DENIED', httpStatus: 403 } as FetchResult;
    const expected: unknown[] = [];
    const { edges, saved } = around(30, () => soon(denied), {
      items: {
        next: async (_, after) => (after > 0 ? [] : Array.from({ length: 30 }, (_, n) => known(n + 1))),
        save: async (_run, _fence, batch) => {
          saved.push([...batch]);
          return [];
        },
      },
      client: {
        fetchRecord: async (_ref, { refusalExpected }) => {
          expected.push(refusalExpected);
          return soon(denied);
        },
      },
    });
    await fetchRecords(RUN, FENCE, edges);
    expect(expected).toEqual(Array(30).fill(true));
    expect(saved.flat()).toHaveLength(30);
  });

  it('gives up at once where the circuit opened before anything was read', async () => {
    const denied: FetchResult = { ...missing, reason: 'ACCESS_DENIED', httpStatus: 403 } as FetchResult;
    const { edges, asked } = around(1000, () => soon(denied), {
      limiterState: async () => ({
        circuit: { open: true, until: 0, trips: 1, reason: 'five 403 in a row' },
        windows: [],
      }),
    });
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow(/refused this address .* \(five 403 in a row\)/);
    expect(asked.length).toBeLessThan(15);
  });

  it('leaves no verdict on records that a blocked address was refused', async () => {
    const { edges, saved } = around(1000, () => soon(refused));
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('refused the view token');
    expect(saved.flat()).toEqual([]);
  });

  it('believes a refusal once a later question is answered', async () => {
    const { edges, saved, asked } = around(40, (id) => soon(id === 'p4' ? refused : drifted));
    await fetchRecords(RUN, FENCE, edges);
    expect(asked).toHaveLength(40);
    expect(outcomeOf(saved, 4)).toBe('unreachable');
    expect(saved.flat()).toHaveLength(40);
  });

  it('takes refusals in a row for those of a blocked address, and asks once more when all else is done', async () => {
    const asks = new Map<string, number>();
    const { edges, saved, asked } = around(100, (id) => {
      asks.set(id, (asks.get(id) ?? 0) + 1);
      const isBlocked = asks.get(id) === 1 && Number(id.slice(1)) > 50 && Number(id.slice(1)) <= 58;
      return soon(isBlocked ? refused : drifted);
    });
    await fetchRecords(RUN, FENCE, edges);
    expect(asked.slice(100).sort()).toEqual(['p51', 'p52', 'p53', 'p54', 'p55', 'p56', 'p57', 'p58']);
    expect(saved.flat()).toHaveLength(100);
    expect(saved.flat().every(({ observed }) => observed.outcome === 'quarantined')).toBe(true);
  });

  it('does the same where the block lasts to the last record', async () => {
    const asks = new Map<string, number>();
    const { edges, saved } = around(100, (id) => {
      asks.set(id, (asks.get(id) ?? 0) + 1);
      return soon(asks.get(id) === 1 && Number(id.slice(1)) > 94 ? refused : drifted);
    });
    await fetchRecords(RUN, FENCE, edges);
    expect(saved.flat()).toHaveLength(100);
    expect(saved.flat().every(({ observed }) => observed.outcome === 'quarantined')).toBe(true);
  });

  it('believes the second refusal of a record, and expects it', async () => {
    const expected: unknown[] = [];
    const isDead = (id: string) => ['p51', 'p52', 'p53', 'p54', 'p55', 'p56'].includes(id);
    const { edges, saved } = around(100, () => soon(drifted), {
      client: {
        fetchRecord: async ({ id }, { refusalExpected }) => {
          if (isDead(id)) expected.push(refusalExpected);
          return soon(isDead(id) ? refused : drifted);
        },
      },
    });
    await fetchRecords(RUN, FENCE, edges);
    expect(expected).toEqual([...Array(6).fill(false), ...Array(6).fill(true)]);
    expect(saved.flat()).toHaveLength(100);
    expect(saved.flat().filter(({ observed }) => observed.outcome === 'unreachable')).toHaveLength(6);
  });

  it('leaves refusals as of a block for another time where it has to stop', async () => {
    const stop = { reason: (): string | null => null, signal: new AbortController().signal };
    const { edges, saved } = around(
      100,
      (id) => {
        if (id === 'p58') stop.reason = () => 'max-duration';
        return soon(Number(id.slice(1)) > 50 ? refused : drifted);
      },
      { stop },
    );
    await fetchRecords(RUN, FENCE, edges);
    expect(saved.flat()).toHaveLength(50);
  });

  it('asks again, after a stop, for what was in doubt', async () => {
    const stop = { reason: (): string | null => null, signal: new AbortController().signal };
    const answer = async (id: string) => {
      if (id === 'p3') stop.reason = () => 'signal';
      return soon(refused);
    };
    const { edges, saved } = around(10, answer, { stop });
    await fetchRecords(RUN, FENCE, edges);
    expect(saved.flat()).toEqual([]);
  });
});

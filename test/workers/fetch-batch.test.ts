import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import type { FetchBatch } from '../../src/ports/queue.ts';
import type { FetchResult } from '../../src/ports/service.ts';
import type { AnswerFigures } from '../../src/ports/settled.ts';
import type { ObservedItem } from '../../src/ports/store/store.ts';
import {
  drifted,
  FENCE,
  missing,
  NO_ANSWERS,
  readable,
  refused,
  silent,
  swapped,
} from '../reconcile/support/fetching.ts';
import { batchOf, FETCHING, named, SECOND, working } from './support/working.ts';

const keysOf = (items: readonly ObservedItem[]) => items.map(({ recordKey }) => recordKey).sort((a, b) => a - b);

describe('a worker', () => {
  it('fetches the records of a batch, and reports their outcomes', async () => {
    const batch = batchOf(10, 14);
    const answers: Record<string, FetchResult> = { p11: readable, p12: drifted, p13: missing, p14: swapped };
    const { run, saved, ended, seen } = working({
      batches: [batch],
      answer: async (id) => answers[id] ?? silent,
    });
    await run();
    expect(keysOf(saved)).toEqual([11, 12, 13, 14]);
    expect(ended).toEqual([
      { batch, done: { answers: { ...NO_ANSWERS, readable: 1, named: 1, other: 1, missing: 1, mismatched: 1 } } },
    ]);
    expect(seen.requests).toEqual([['nightly-2026-11-20-r1', FENCE, 4]]);
    expect(seen.reads[0]).toEqual(['nightly-2026-11-20-r1', 10, 14]);
    expect(seen.opened).toEqual([null]);
    expect(seen.closed).toBe(1);
    expect(seen.warnings).toEqual([]);
    expect(seen.logged).toEqual([{ run: 'nightly-2026-11-20-r1', after: 10, upTo: 14, requests: 4, message: 'batch' }]);
  });

  it('counts requests that brought nothing to be stored, before it gives the batch back', async () => {
    const { run, ended, seen } = working({
      batches: [batchOf(0, 3)],
      beforeSave: () => {
        throw new Error('the seal does not open');
      },
    });
    await expect(run(3 * SECOND)).rejects.toThrow('the seal does not open');
    expect(seen.requests).toEqual([['nightly-2026-11-20-r1', FENCE, 3]]);
    expect(ended).toMatchObject([{ problem: { kind: 'other' } }]);
  });

  it('stores under the run and the fence of the batch, as the statuses of the run say', async () => {
    const calls: unknown[] = [];
    const fence = { name: 'nightly', token: 9 };
    const { run, edges } = working({ batches: [batchOf(0, 1, { fence })], answer: async () => readable });
    edges.items = {
      next: edges.items.next,
      save: async (runId, of, items) => {
        calls.push([
          runId,
          of,
          items.map(({ observed }) => 'projection' in observed && observed.projection.terminalDate),
        ]);
        return [];
      },
    };
    await run();
    expect(calls).toEqual([['nightly-2026-11-20-r1', fence, ['2026-11-20']]]);
  });

  it('asks for a fresh quote where the run wants it', async () => {
    const selection = { type: 'ids', ids: ['p1'], kind: null, requote: true } as const;
    const { run, seen } = working({
      batches: [batchOf(0, 1)],
      answer: async () => readable,
      runs: () => ({ ...FETCHING, selection }),
    });
    await run();
    expect(seen.requoted).toEqual(['sqs6a428mqjtzbv']);
  });

  it('works on two batches at once, and looks for more every half second', async () => {
    let [inHand, most] = [0, 0];
    const { run, ended, seen } = working({
      batches: [batchOf(0, 1), batchOf(1, 2), batchOf(2, 3)],
      answer: async (_, clock) => {
        inHand++;
        most = Math.max(most, inHand);
        await clock.monotonic.sleep(100);
        inHand--;
        return drifted;
      },
    });
    await run(1200);
    expect(most).toBe(2);
    expect(ended).toHaveLength(3);
    // Both lanes have work; then one takes the third batch, and no worker has anything to do.
    expect(seen.claims).toEqual([0, 0, 100, 100, 200, 600, 700, 1100]);
  });

  it('gives a client no more requests than the batch’s share, and leaves the rest', async () => {
    const { run, saved, ended, seen } = working({ batches: [batchOf(0, 10, { maxRequests: 4 })], budget: 4 });
    await run();
    expect(seen.opened).toEqual([4]);
    expect(seen.asked).toHaveLength(4);
    expect(keysOf(saved)).toEqual([1, 2, 3, 4]);
    expect(ended).toMatchObject([{ done: { answers: { other: 4 } } }]);
  });

  it.each([
    ['is unknown', null],
    ['is judged by now', { ...FETCHING, state: 'judging' } as Run],
  ])('does nothing for a run that %s', async (_, run) => {
    const world = working({ batches: [batchOf(0, 10)], runs: () => run });
    await world.run();
    expect(world.seen.asked).toEqual([]);
    expect(world.ended).toMatchObject([{ done: { answers: NO_ANSWERS } }]);
    expect(world.seen.opened).toEqual([]);
  });
});

describe('the counts of a worker', () => {
  it('go on over the batches of a run, and each is reported once', async () => {
    const { run, ended } = working({
      batches: [batchOf(0, 3), batchOf(3, 5)],
      answer: async (id) => (id === 'p2' ? silent : id === 'p5' ? missing : id === 'p1' ? refused : drifted),
      edges: { concurrency: 1 },
    });
    await run();
    const told = ended.map(({ done }) => done?.answers);
    const sum = (of: (answers: AnswerFigures) => number) =>
      told.reduce((all, answers) => all + (answers === undefined ? 0 : of(answers)), 0);
    expect(told).toHaveLength(2);
    expect([sum((a) => a.denied), sum((a) => a.unanswered), sum((a) => a.missing), sum((a) => a.other)]).toEqual([
      1, 1, 1, 2,
    ]);
  });

  it.each<[keyof AnswerFigures, FetchResult]>([
    ['readable', readable],
    ['denied', refused],
    ['mismatched', swapped],
    ['unanswered', silent],
    ['absent', { ...missing, reason: 'NETWORK', httpStatus: null }],
    ['missing', missing],
    ['other', drifted],
  ])('tell of a second batch only what came in with it: %s', async (figure, result) => {
    const { run, ended } = working({
      batches: [batchOf(0, 3)],
      later: [[1 * SECOND, batchOf(3, 5)]],
      answer: async (id) => (id === 'p1' || id === 'p4' ? readable : result),
    });
    await run(3 * SECOND);
    expect(ended.map(({ done }) => done?.answers[figure])).toEqual(figure === 'readable' ? [3, 2] : [2, 1]);
  });

  it('name the last problem', async () => {
    const { run, ended } = working({
      batches: [batchOf(0, 2)],
      answer: async (id) => (id === 'p1' ? readable : silent),
    });
    await run();
    expect(ended[0]?.done?.answers.lastProblem).toBe('timeout');
  });

  it('are counted for each run separately', async () => {
    const other = batchOf(3, 5, { runId: 'audit-2026-11-20-r1' });
    const { run, ended, seen } = working({ batches: [batchOf(0, 3)], later: [[1 * SECOND, other]] });
    await run(3 * SECOND);
    expect(ended.map(({ done }) => done?.answers.other)).toEqual([3, 2]);
    expect(seen.requests.map(([runId]) => runId)).toEqual(['nightly-2026-11-20-r1', 'audit-2026-11-20-r1']);
  });

  /** Four refusals, then so many other runs, then four more refusals of the first one: eight in all, or four and four. */
  const afterOthers = (others: number) => {
    const later = Array.from({ length: others }, (_, n): [number, FetchBatch] => [
      (n + 1) * SECOND,
      batchOf(100 + n, 101 + n, { runId: `audit-2026-11-20-r${n}` }),
    ]);
    return working({
      batches: [batchOf(0, 4)],
      later: [...later, [(others + 1) * SECOND, batchOf(4, 8)]],
      answer: async (id) => (Number(id.slice(1)) <= 8 ? refused : drifted),
    });
  };

  it('are remembered for eight runs', async () => {
    await expect(afterOthers(7).run(20 * SECOND)).rejects.toThrow('8 of 8 answers refused the view token');
  });

  it('are forgotten for the one that is longest ago', async () => {
    const { run, ended } = afterOthers(8);
    await run(20 * SECOND);
    expect(ended).toHaveLength(10);
    expect(ended.at(-1)).toMatchObject({ done: { answers: { denied: 4 } } });
  });
});

describe('a worker that is stopped', () => {
  it('stores what it has and gives the batch back', async () => {
    const batch = batchOf(0, 100);
    const { run, ended, saved, seen } = working({
      batches: [batch],
      answer: async (_, clock) => {
        await clock.monotonic.sleep(300);
        return drifted;
      },
      edges: { concurrency: 1 },
    });
    await run(1000);
    // The fourth was in flight.
    expect(keysOf(saved)).toEqual([1, 2, 3, 4]);
    expect(ended).toEqual([{ batch, problem: { kind: 'stopped', message: 'the worker was stopped' } }]);
    expect(seen.requests).toEqual([['nightly-2026-11-20-r1', FENCE, 4]]);
    expect(seen.closed).toBe(1);
  });

  it('claims no further batch', async () => {
    const { run, seen, stopping } = working({ batches: [batchOf(0, 1)] });
    stopping.abort();
    await run();
    expect(seen.claims).toEqual([]);
  });
});

describe('a claim that is lost', () => {
  it('is neither done nor given back: the batch is another worker’s', async () => {
    let isOurs = true;
    const { run, ended, seen, clock } = working({
      batches: [batchOf(0, 100)],
      answer: async () => {
        await clock.monotonic.sleep(1000);
        isOurs = clock.elapsed < 2000;
        return drifted;
      },
      renew: () => isOurs,
      edges: { concurrency: 1 },
    });
    await run(10 * SECOND);
    expect(ended).toEqual([]);
    expect(seen.asked.length).toBeLessThanOrEqual(3);
    expect(seen.closed).toBe(1);
  });

  it('is found lost by a request whose slot came too late: it is not sent', async () => {
    const { run, ended, seen } = working({ batches: [batchOf(0, 10)], slotMs: 3 * SECOND, renew: () => false });
    await run(10 * SECOND);
    expect(seen.asked).toEqual([]);
    expect(seen.requests).toEqual([]);
    expect(ended).toEqual([]);
  });

  it('is renewed while the work lasts, and no longer', async () => {
    let renewals = 0;
    const { run, ended, clock } = working({
      batches: [batchOf(0, 1)],
      answer: async () => {
        await clock.monotonic.sleep(6 * SECOND);
        return drifted;
      },
      renew: () => {
        renewals++;
        return true;
      },
    });
    await run(30 * SECOND);
    expect(ended).toHaveLength(1);
    expect(renewals).toBe(2);
  });
});

describe('a worker that cannot fetch any record', () => {
  it('gives its batch back with the reason, and ends', async () => {
    const batch = batchOf(0, 30);
    const { run, ended, saved, seen } = working({ batches: [batch], answer: async () => swapped });
    await expect(run(60 * SECOND)).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
    expect(saved).toEqual([]);
    expect(ended).toMatchObject([
      {
        batch,
        problem: {
          kind: 'service-unavailable',
          message: expect.stringContaining('20 of 20 answers were another record'),
        },
      },
    ]);
    expect(seen.warnings).toEqual([
      expect.stringMatching(/^batch 0–30 of nightly-2026-11-20-r1 given back: 20 of 20 answers were another record/),
    ]);
    expect(seen.closed).toBe(1);
  });

  it('distinguishes a wrong identifier name from an outage', async () => {
    const misnamed: FetchResult = drifted.outcome === 'quarantined' ? { ...drifted, otherName: 'Other' } : drifted;
    const { run, ended } = working({ batches: [batchOf(0, 30)], answer: async () => misnamed });
    await expect(run(60 * SECOND)).rejects.toMatchObject({ name: 'IdentifierNameError', exitCode: 2 });
    expect(ended).toMatchObject([
      { problem: { kind: 'refuted-setting', message: expect.stringContaining('set service.identifierName to Other') } },
    ]);
  });

  it('ends its other lane as well, once what that has in flight is stored', async () => {
    const { run, ended, saved, clock } = working({
      batches: [batchOf(0, 30), batchOf(30, 60)],
      answer: async (id) => {
        if (Number(id.slice(1)) <= 30) throw named('TlsError', 'certificate not trusted');
        await clock.monotonic.sleep(500);
        return drifted;
      },
      edges: { concurrency: 1 },
    });
    await expect(run(60 * SECOND)).rejects.toThrow('certificate not trusted');
    expect(clock.elapsed).toBe(500);
    expect(keysOf(saved)).toEqual([31]);
    expect(ended).toMatchObject([
      { problem: { kind: 'other', message: 'certificate not trusted' } },
      { problem: { kind: 'stopped' } },
    ]);
  });

  it('describes a thrown value that is no Error', async () => {
    const { run, ended } = working({
      batches: [batchOf(0, 1)],
      answer: () => Promise.reject('out of luck'),
    });
    await expect(run(60 * SECOND)).rejects.toBe('out of luck');
    expect(ended).toMatchObject([{ problem: { kind: 'other', message: 'unknown' } }]);
  });
});

describe('a worker of another deployment', () => {
  it('refuses the batch, names what differs, and ends with the exit code of a wrong setting', async () => {
    const foreign = { 'service.url': 'zz', version: 'b2', statuses: 'cc' };
    const { run, ended, seen } = working({ batches: [batchOf(0, 3, { deployment: foreign })] });
    await expect(run(3 * SECOND)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(': service.url, statuses; give every machine of a run the same settings'),
    });
    expect(ended).toMatchObject([{ problem: { kind: 'other' } }]);
    // Not one record was asked for.
    expect(seen.requests).toEqual([]);
  });
});

describe('a run that was overtaken', () => {
  it.each(['LeaseLostError', 'RunStateError'])(
    'is left, and the worker goes on with the next batch: %s',
    async (name) => {
      let failures = 1;
      const { run, ended, seen } = working({
        batches: [batchOf(0, 3)],
        later: [[1 * SECOND, batchOf(3, 5)]],
        beforeSave: () => {
          if (failures-- > 0) throw named(name);
        },
      });
      await run(3 * SECOND);
      expect(ended).toMatchObject([{ done: { answers: NO_ANSWERS } }, { done: { answers: { other: 5 } } }]);
      expect(seen.warnings).toEqual([]);
    },
  );
});

describe('a database that is away', () => {
  const away = named('DatabaseUnavailableError', 'no connection to db.example');

  it('is tried again, later each time, up to eight seconds', async () => {
    const { run, seen } = working({
      beforeClaim: (ms) => {
        if (ms < 30_000) throw away;
      },
    });
    await run(32 * SECOND);
    const times = [...new Set(seen.claims)];
    expect(times).toEqual([0, 500, 1500, 3500, 7500, 15_500, 23_500, 31_500]);
    expect(seen.warnings[0]).toBe('no connection to db.example; trying again');
  });

  it('ends the worker once it has lasted for a minute', async () => {
    const { run, clock } = working({
      beforeClaim: () => {
        throw away;
      },
    });
    await expect(run(600 * SECOND)).rejects.toBe(away);
    // Tried at 55.5 s, within the minute, and eight seconds later.
    expect(clock.elapsed).toBe(63_500);
  });

  it('begins a new minute after each batch that went well', async () => {
    const { run, seen } = working({
      beforeClaim: (ms) => {
        if (ms < 50_000 || (ms > 60_000 && ms < 100_000)) throw away;
      },
    });
    await expect(run(120 * SECOND)).resolves.toBeUndefined();
    expect(Math.max(...seen.claims)).toBeGreaterThan(100_000);
  });

  it('does not delay a worker that is stopping', async () => {
    const { run, clock } = working({
      beforeClaim: () => {
        throw away;
      },
    });
    await run(20 * SECOND);
    expect(clock.elapsed).toBe(20 * SECOND);
  });

  it('gives a batch back that could not be stored, and goes on', async () => {
    const batch = batchOf(0, 2);
    const { run, ended, seen } = working({
      batches: [batch],
      later: [[1 * SECOND, batch]],
      beforeSave: (ms) => {
        if (ms < 500) throw away;
      },
    });
    await run(5 * SECOND);
    expect(ended).toMatchObject([
      { batch, problem: { kind: 'other', message: 'no connection to db.example' } },
      { batch, done: {} },
    ]);
    expect(seen.warnings).toEqual([
      'batch 0–2 of nightly-2026-11-20-r1 given back: no connection to db.example',
      'no connection to db.example; trying again',
    ]);
  });
});

it('an error of the clock is not taken for a stop', async () => {
  const clock = { now: () => 0, sleep: async () => Promise.reject(new Error('no timers left')) };
  const { run } = working({ edges: { clock } });
  await expect(run()).rejects.toThrow('no timers left');
});

describe('the end of a batch is reported once', () => {
  it('as done, when the queue has recorded it', async () => {
    const { run, seen } = working({ batches: [batchOf(0, 2)] });
    await run();
    expect(seen.ends).toEqual(['done']);
  });

  it('as given back, where the worker is stopped or cannot go on', async () => {
    const { run, seen } = working({ batches: [batchOf(0, 2)], answer: () => Promise.reject(named('TlsError')) });
    await expect(run()).rejects.toThrow();
    expect(seen.ends).toContain('given-back');
  });

  it('as lapsed, where the claim was lost on the way', async () => {
    const { run, seen, ended } = working({ batches: [batchOf(0, 9)], renew: () => false, slotMs: 2 * SECOND });
    await run(30 * SECOND);
    expect(seen.ends).toEqual(['lapsed']);
    expect(ended).toEqual([]);
  });

  it('not at all, where the queue could not record it', async () => {
    const { run, seen } = working({
      batches: [batchOf(0, 2)],
      beforeDone: () => {
        throw new Error('connection lost');
      },
    });
    await expect(run()).rejects.toThrow('connection lost');
    expect(seen.ends).toEqual(['given-back']);
  });
});

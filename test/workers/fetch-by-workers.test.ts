import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import type { BatchProblem, BatchProgress, FetchBatch } from '../../src/ports/queue.ts';
import { RefutedSettingError, ServiceUnavailableError } from '../../src/ports/service-errors.ts';
import type { AnswerFigures } from '../../src/ports/settled.ts';
import { type CoordinatorEdges, fetchByWorkers, WorkersFailedError } from '../../src/workers/fetch-by-workers.ts';
import { FENCE, NO_ANSWERS, planned } from '../reconcile/support/fetching.ts';
import { FakeClock } from '../support/fake-clock.ts';

const RUN = { runId: 'nightly-2026-11-20-r1' } as Run;
const SECOND = 1000;

const NOBODY: BatchProgress = { waiting: 0, active: 0, problems: [] };
const ANSWERS: AnswerFigures = { ...NO_ANSWERS, readable: 100 };

interface Story {
  population?: number;
  /** Position of the first item without an observation; null where none is left. */
  first?: number | null;
  /** Observations at the beginning. */
  before?: number;
  /** Observations after so many ms. */
  observed?: (ms: number) => number;
  standing?: (ms: number) => BatchProgress;
  results?: readonly AnswerFigures[];
  /** As the ledger has counted them. */
  requests?: number;
  /** The time and the reason of the stop signal. */
  stop?: { at: number; why: string };
  edges?: Partial<CoordinatorEdges>;
}

/** A coordinator, with its events in the order of the clock. */
function coordinating(story: Story) {
  const { population = 100, first = 1, before = 0, observed = () => before, standing = () => NOBODY } = story;
  const clock = new FakeClock();
  const seen = {
    sent: [] as FetchBatch[],
    withdrawn: [] as number[],
    progress: [] as number[],
    beats: 0,
    asked: [] as number[],
  };
  const stopping = new AbortController();
  const isStopped = () => story.stop !== undefined && clock.elapsed >= story.stop.at;
  if (story.stop !== undefined) void clock.monotonic.sleep(story.stop.at).then(() => stopping.abort());
  const edges: CoordinatorEdges = {
    deployment: { version: 'b2' },
    items: {
      progress: async (runId) => {
        expect(runId).toBe(RUN.runId);
        return { planned: population, observed: observed(clock.elapsed) };
      },
      next: async (_run, after, limit) => {
        expect([after, limit]).toEqual([0, 1]);
        return first === null ? [] : [planned(first)];
      },
    },
    runs: { get: async (runId) => ({ ...RUN, runId, requestsSent: story.requests ?? 1000 }) },
    queue: {
      send: async (batches) => {
        seen.sent.push(...batches);
      },
      standing: async (run) => {
        expect(run).toEqual({ runId: RUN.runId, fence: FENCE });
        seen.asked.push(clock.elapsed);
        return standing(clock.elapsed);
      },
      results: async (run) => {
        expect(run).toEqual({ runId: RUN.runId, fence: FENCE });
        return (story.results ?? [ANSWERS]).map((answers) => ({ answers }));
      },
      withdraw: async (runId) => {
        expect(runId).toBe(RUN.runId);
        seen.withdrawn.push(clock.elapsed);
      },
    },
    stop: { reason: () => (isStopped() ? (story.stop?.why ?? null) : null), signal: stopping.signal },
    progress: (more) => {
      seen.progress.push(more);
    },
    heartbeat: async () => {
      seen.beats++;
    },
    clock: clock.monotonic,
    batchSize: 40,
    patienceMs: 60 * SECOND,
    maxRequests: null,
    ...story.edges,
  };
  return { clock, ...seen, seen, run: () => clock.run(fetchByWorkers(RUN, FENCE, edges)) };
}

const batch = (after: number, upTo: number, maxRequests: number | null = null) => ({
  runId: RUN.runId,
  fence: FENCE,
  after,
  upTo,
  maxRequests,
  deployment: { version: 'b2' },
});

/** So many at that time, and all hundred later. */
const doneAt =
  (ms: number, part = 0) =>
  (now: number) =>
    now >= ms ? 100 : part;

describe('a run that workers fetch', () => {
  it('is cut into batches of consecutive positions, under its fence', async () => {
    const { run, sent, withdrawn } = coordinating({ observed: doneAt(250) });
    await run();
    expect(sent).toEqual([batch(0, 40), batch(40, 80), batch(80, 100)]);
    // What an earlier attempt sent, before anything else.
    expect(withdrawn).toEqual([0]);
  });

  it('is cut from the first record that was not observed yet, when it is resumed', async () => {
    const { run, sent } = coordinating({ first: 61, before: 60, observed: doneAt(250, 60) });
    await run();
    expect(sent).toEqual([batch(60, 100)]);
  });

  it('sends nothing where nothing is left', async () => {
    const { run, sent, clock } = coordinating({ first: null, before: 100, observed: () => 100 });
    await run();
    expect(sent).toEqual([]);
    expect(clock.elapsed).toBe(0);
  });

  it('sends as many batches as a budget of requests allows, each with its share', async () => {
    const { run, sent } = coordinating({
      first: 11,
      before: 10,
      observed: doneAt(250, 10),
      edges: { maxRequests: 50 },
    });
    await run();
    expect(sent).toEqual([batch(10, 50, 40), batch(50, 60, 10)]);
  });

  it('sends no more than there are, where the budget allows more', async () => {
    const { run, sent } = coordinating({ observed: doneAt(250), edges: { maxRequests: 500, batchSize: 60 } });
    await run();
    expect(sent).toEqual([batch(0, 60, 60), batch(60, 100, 40)]);
  });

  it('is over when every record has its observation; new ones are reported as they come', async () => {
    const { run, progress, clock, seen } = coordinating({
      before: 10,
      observed: (ms) => (ms < 1000 ? 10 : ms < 2000 ? 45 : 100),
    });
    await run();
    expect(progress).toEqual([35, 55]);
    expect(clock.elapsed).toBe(2000);
    expect(seen.beats).toBe(8);
  });
});

describe('while no observation comes in', () => {
  const working: BatchProgress = { waiting: 2, active: 1, problems: [{ kind: 'other', message: 'away' }] };

  it('the queue is asked every five seconds', async () => {
    const { run, asked } = coordinating({
      observed: doneAt(12 * SECOND),
      standing: (ms) => (ms < 12_000 ? working : NOBODY),
    });
    await run();
    // The last look is for the last words.
    expect(asked).toEqual([5000, 10_000, 12_000]);
  });

  it('each observation starts the five seconds anew', async () => {
    const { run, asked } = coordinating({
      observed: (ms) => (ms >= 9000 ? 100 : ms >= 4000 ? 50 : 0),
      standing: () => NOBODY,
    });
    await run();
    expect(asked).toEqual([9000]);
  });

  it('a worker that is at work is waited for, however long', async () => {
    const { run, clock, withdrawn } = coordinating({
      observed: doneAt(3600 * SECOND),
      standing: (ms) => (ms < 3_600_000 ? working : NOBODY),
    });
    await run();
    expect(clock.elapsed).toBe(3600 * SECOND);
    expect(withdrawn).toEqual([0]);
  });

  it('a run without workers is given up after its patience, and the rest is deferred', async () => {
    const { run, clock, withdrawn } = coordinating({
      before: 10,
      standing: () => ({ waiting: 3, active: 0, problems: [] }),
    });
    await run();
    expect(clock.elapsed).toBe(60 * SECOND);
    expect(withdrawn).toEqual([0, 60 * SECOND]);
  });

  it('patience counts from the last observation', async () => {
    const { run, clock } = coordinating({
      observed: (ms) => (ms >= 20_000 ? 50 : 0),
      standing: () => ({ waiting: 3, active: 0, problems: [] }),
    });
    await run();
    expect(clock.elapsed).toBe(80 * SECOND);
  });

  it('no worker is waited for where no batch waits any more', async () => {
    const { run, clock, withdrawn } = coordinating({ before: 90, standing: () => NOBODY });
    await run();
    expect(clock.elapsed).toBe(5 * SECOND);
    expect(withdrawn).toEqual([0, 5 * SECOND]);
  });
});

describe('the last error of workers, while none is active', () => {
  const saying = (kind: BatchProblem['kind'], waiting: number, message = 'the words'): BatchProgress => ({
    waiting,
    active: 0,
    problems: [
      { kind: 'stopped', message: 'the worker was stopped' },
      { kind, message },
    ],
  });

  it('that the Service is unusable ends the run at once, in those words', async () => {
    const { run, clock, withdrawn } = coordinating({
      standing: () => saying('service-unavailable', 3, '20 of 20 answers refused the view token (401/403).'),
    });
    const failure: unknown = await run().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceUnavailableError);
    expect(failure).toMatchObject({ message: '20 of 20 answers refused the view token (401/403).' });
    expect(clock.elapsed).toBe(5 * SECOND);
    expect(withdrawn).toEqual([0, 5 * SECOND]);
  });

  it('that the answers contradict a setting ends the run at once, as a wrong setting does', async () => {
    const { run, clock } = coordinating({ standing: () => saying('refuted-setting', 3, 'base<Other>Fee came') });
    const failure: unknown = await run().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RefutedSettingError);
    expect(failure).toMatchObject({ exitCode: 2, message: 'base<Other>Fee came' });
    expect(clock.elapsed).toBe(5 * SECOND);
  });

  it('that something else failed ends it after half a minute, with the remedy', async () => {
    const { run, clock } = coordinating({ standing: () => saying('other', 3, 'the disk is full') });
    const failure: unknown = await run().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkersFailedError);
    expect(failure).toMatchObject({
      name: 'WorkersFailedError',
      message:
        'No worker could go on; the last one said: the disk is full. Nothing was judged; fix that, check that workers run, then go on with --resume',
    });
    expect(clock.elapsed).toBe(30 * SECOND);
  });

  it('that something else failed ends it at once where no batch waits any more', async () => {
    const { run, clock } = coordinating({ standing: () => saying('other', 0) });
    await expect(run()).rejects.toThrow(WorkersFailedError);
    expect(clock.elapsed).toBe(5 * SECOND);
  });

  it('that something else failed is forgotten where another worker goes on in time', async () => {
    const { run } = coordinating({
      observed: doneAt(40 * SECOND),
      standing: (ms) => (ms < 15_000 ? saying('other', 3) : ms < 40_000 ? { ...NOBODY, active: 1 } : NOBODY),
    });
    await expect(run()).resolves.toBeUndefined();
  });

  it('that it was stopped is no failure: others are waited for', async () => {
    const { run, clock } = coordinating({ standing: () => saying('stopped', 3) });
    await expect(run()).resolves.toBeUndefined();
    expect(clock.elapsed).toBe(60 * SECOND);
  });
});

describe('at the end', () => {
  it('a worker that is still at work is waited for, so that its count is added', async () => {
    const { run, clock } = coordinating({
      observed: doneAt(1000),
      standing: (ms) => ({ ...NOBODY, active: ms < 1600 ? 1 : 0 }),
    });
    await run();
    expect(clock.elapsed).toBe(1750);
  });

  it('for two seconds at most: one that was killed says nothing any more', async () => {
    const { run, clock, withdrawn } = coordinating({
      observed: doneAt(1000),
      standing: () => ({ ...NOBODY, active: 1 }),
    });
    await run();
    expect(clock.elapsed).toBe(3000);
    expect(withdrawn).toEqual([0]);
  });

  it('all counts are judged together, by the rule for the end of a run', async () => {
    const some = { ...ANSWERS, readable: 1, denied: 2 };
    const { run } = coordinating({ observed: doneAt(250), results: [some, some] });
    await expect(run()).rejects.toThrow('4 of 6 answers refused the view token');
  });

  it.each([
    [6, '4 of 6 answers refused'],
    [5, null],
  ])('they are made up where they are of more answers than requests: 6 of %i', async (requests, error) => {
    const some = { ...ANSWERS, readable: 2, denied: 4 };
    const { run } = coordinating({ observed: doneAt(250), results: [some], requests });
    await (error === null ? expect(run()).resolves.toBeUndefined() : expect(run()).rejects.toThrow(error));
  });

  it('so are they where the rest is deferred', async () => {
    const { run } = coordinating({ before: 10, results: [{ ...ANSWERS, readable: 0, mismatched: 10 }] });
    await expect(run()).rejects.toThrow('10 of 10 answers were another record');
  });
});

describe('when it is stopped', () => {
  const stop = { at: 1100, why: 'signal' };

  it('all batches are taken back at once, and answers in flight have four seconds to be stored', async () => {
    const { run, clock, withdrawn } = coordinating({ stop, standing: () => ({ ...NOBODY, active: 2 }) });
    await run();
    expect(withdrawn).toEqual([0, 1100]);
    expect(clock.elapsed).toBe(5100);
  });

  it('nothing is judged about the answers', async () => {
    const { run } = coordinating({ stop, results: [{ ...ANSWERS, readable: 0, denied: 10 }] });
    await expect(run()).resolves.toBeUndefined();
  });

  it('an error of the clock is not taken for the stop', async () => {
    const clock = { now: () => 0, sleep: async () => Promise.reject(new Error('no timers left')) };
    const { run } = coordinating({ edges: { clock } });
    await expect(run()).rejects.toThrow('no timers left');
  });
});

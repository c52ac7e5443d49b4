import { describe, expect, it } from 'vitest';
import type { FetchResult } from '../../src/ports/service.ts';
import type { ObservedItem, PlannedItem, StaleItem } from '../../src/ports/store/store.ts';
import { BlockWatch } from '../../src/reconcile/block-watch.ts';
import { fetchedAnswers, observed } from '../../src/reconcile/fetched-answers.ts';
import { AnswerCount } from '../../src/reconcile/stop-rules.ts';
import { aPurchase, at, SHA256, STATUSES, UNSEEN } from '../support/builders.ts';
import { drifted, FENCE, missing, planned, RUN, readable, refused, silent, swapped } from './support/fetching.ts';

/** An answer, about a record of which more is known. */
type Asked = FetchResult | [FetchResult, Partial<PlannedItem>];
const times = (count: number, asked: Asked): Asked[] => Array.from({ length: count }, () => asked);
const KNOWN = { refusedBefore: true };
const NOBODY = { ...missing, reason: 'NETWORK', httpStatus: null } as FetchResult;

/** A store that records its arguments; `stale` returns items, call by call. */
function collecting(stale: readonly StaleItem[][] = [], watch = new BlockWatch()) {
  const saved: ObservedItem[][] = [];
  const told = { progress: [] as number[], beats: 0, now: 0 };
  const left = [...stale];
  const answers = new AnswerCount();
  const edges = {
    items: {
      save: async (runId: string, fence: typeof FENCE, batch: readonly ObservedItem[]) => {
        expect([runId, fence]).toEqual(['nightly-2026-11-20-r1', { name: 'nightly', token: 1 }]);
        saved.push([...batch]);
        return left.shift() ?? [];
      },
    },
    statuses: STATUSES,
    now: () => told.now,
    progress: (more: number) => {
      told.progress.push(more);
    },
    heartbeat: async () => {
      told.beats++;
    },
  };
  const batch = fetchedAnswers(RUN, FENCE, edges, answers, watch);
  /** The answer to question `turn`, about the record of that number. */
  const learn = (turn: number, result: FetchResult, item: Partial<PlannedItem> = {}) => {
    const wasRefusedBefore = item.refusedBefore ?? false;
    answers.note(result, wasRefusedBefore);
    batch.add({ item: planned(turn, item), result, turn });
  };
  /** Requests the next record; the answer arrives before any other event. */
  const ask = (result: FetchResult, item: Partial<PlannedItem> = {}) => learn(watch.begin(), result, item);
  const askEach = (asked: readonly Asked[]) => {
    for (const each of asked) Array.isArray(each) ? ask(...each) : ask(each as FetchResult);
  };
  const keys = () => saved.flat().map(({ recordKey }) => recordKey);
  const stored = async () => {
    await batch.save();
    return keys().sort((a, b) => a - b);
  };
  /** Stores the end of it; true where records have to be asked for once more. */
  const end = async (isBelieved = true) => {
    await batch.saveLast(isBelieved);
    return batch.isAnyLeft();
  };
  return { batch, watch, saved, told, ask, askEach, learn, stored, keys, end };
}

describe('silence', () => {
  it.each([
    ['no answer in time', silent],
    ['another record’s body', swapped],
    ['a failure of the Service', { ...missing, reason: 'SERVER_ERROR', httpStatus: 500 } as FetchResult],
  ])('is kept back until some answer proves that this address is served: %s', async (_, doubtful) => {
    const { ask, stored } = collecting();
    ask(doubtful);
    ask(doubtful);
    expect(await stored()).toEqual([]);
    ask(drifted);
    expect(await stored()).toEqual([1, 2, 3]);
  });
});

describe('a refusal', () => {
  it.each([
    ['a body', readable],
    ['a body that cannot be read', drifted],
    ['a 404', missing],
  ])('is believed once a question that was begun after it is answered: %s', async (_, answer) => {
    const { ask, stored } = collecting();
    ask(drifted);
    ask(refused);
    expect(await stored()).toEqual([1]);
    ask(answer);
    expect(await stored()).toEqual([1, 2, 3]);
  });

  it('is not believed for the answer to a question that was under way already', async () => {
    const { watch, ask, learn, stored } = collecting();
    const [first, second, third] = [watch.begin(), watch.begin(), watch.begin()];
    learn(first, refused);
    learn(second, drifted);
    // The last one that was begun when the refusal came in.
    learn(third, drifted);
    expect(await stored()).toEqual([2, 3]);
    ask(drifted);
    expect(await stored()).toEqual([1, 2, 3, 4]);
  });
});

describe('five refusals with nothing answered after them', () => {
  it('take those before them along, whose proof had not come either', async () => {
    const { watch, ask, learn, keys, end } = collecting();
    const early = watch.begin();
    for (let n = 0; n < 2; n++) ask(refused);
    // Breaks the row, and proves nothing about the refusals, as it had been asked before them.
    learn(early, drifted);
    for (let n = 0; n < 5; n++) ask(refused);
    ask(drifted);
    expect(await end()).toBe(true);
    expect(keys()).toEqual([1, 9]);
  });

  it('are as many where only answers to earlier questions came between', async () => {
    const { watch, ask, learn, keys, end } = collecting();
    const [one, other] = [watch.begin(), watch.begin()];
    for (let n = 0; n < 3; n++) ask(refused);
    learn(one, drifted);
    for (let n = 0; n < 2; n++) ask(refused);
    learn(other, drifted);
    expect(await end()).toBe(true);
    expect(keys()).toEqual([1, 2]);
  });
});

describe('answers that are stored at once', () => {
  it.each<[what: string, asked: readonly Asked[], kept: readonly number[]]>([
    ['silence, where this address is known to be served', [readable, silent, swapped], [1, 2, 3]],
    ['a 404, but not the silence before it: any server may answer 404', [silent, missing], [2]],
    ['not a refusal, for silence or another record’s body', [drifted, refused, silent, swapped], [1, 3, 4]],
    ['not a refusal, for a 404 where nothing proves that this address is served', [refused, missing], [2]],
    [
      'a refusal that already has a break',
      [
        [refused, KNOWN],
        [swapped, KNOWN],
      ],
      [1, 2],
    ],
    ['not a refusal, for another one that already has a break', [drifted, refused, [refused, KNOWN]], [1, 3]],
  ])('are %s', async (_, asked, kept) => {
    const { askEach, stored } = collecting();
    askEach(asked);
    expect(await stored()).toEqual(kept);
  });
});

describe('what is left at the end', () => {
  const ONE_TO_ELEVEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  it.each<[what: string, asked: readonly Asked[], isAnyLeft: boolean, kept: readonly number[]]>([
    ['silence is an observation, where the end is believed', [silent], false, [1]],
    ['no more than four refusals in a row are believed', [drifted, ...times(4, refused)], false, [1, 2, 3, 4, 5]],
    ['five are not when the Service answers again', [drifted, ...times(5, refused), drifted], true, [1, 7]],
    ['nor where the end comes after them', [drifted, ...times(5, refused)], true, [1]],
    [
      'five are none where an answer came between',
      [drifted, ...times(4, refused), missing, ...times(4, refused), drifted],
      false,
      ONE_TO_ELEVEN,
    ],
    [
      'they are still in a row where silence came between',
      [drifted, ...times(4, refused), silent, refused, drifted],
      true,
      [1, 6, 8],
    ],
    [
      'they are in a row with connections that are refused, as the circuit counts them',
      [drifted, refused, NOBODY, refused, NOBODY, refused, drifted],
      true,
      [1, 3, 5, 7],
    ],
    [
      'they say nothing of a single refusal after the block',
      [drifted, ...times(5, refused), drifted, refused, drifted],
      true,
      [1, 7, 8, 9],
    ],
    [
      'one that already has a break neither belongs to a row nor ends it',
      [drifted, ...times(4, refused), ...times(5, [refused, KNOWN]), refused, drifted],
      true,
      [1, 6, 7, 8, 9, 10, 12],
    ],
    [
      'a record with a break that is served again ends a row',
      [...times(4, refused), [drifted, KNOWN], refused],
      false,
      [1, 2, 3, 4, 5, 6],
    ],
  ])('%s', async (_, asked, isAnyLeft, kept) => {
    const { askEach, keys, end } = collecting();
    askEach(asked);
    expect(await end()).toBe(isAnyLeft);
    expect(keys().sort((a, b) => a - b)).toEqual(kept);
  });

  it('silence is left for another time where the end is not believed', async () => {
    const { askEach, keys, end } = collecting();
    askEach([silent, refused, missing]);
    expect(await end(false)).toBe(false);
    expect(keys()).toEqual([3]);
  });
});

describe('when records are asked for once more', () => {
  it('an answer given then waits for the end, and counts if the end is believed', async () => {
    const { batch, ask, keys, end, stored } = collecting();
    ask(drifted);
    for (let n = 0; n < 5; n++) ask(refused);
    await end();
    batch.askAgain();
    for (let n = 0; n < 5; n++) ask(refused);
    ask(silent);
    ask(drifted);
    expect(await stored()).toEqual([1, 12, 13]);
    expect(await end()).toBe(false);
    expect(keys().sort((a, b) => a - b)).toEqual([1, 7, 8, 9, 10, 11, 12, 13]);
  });
});

describe('two batches through one address', () => {
  it('share the row of refusals: a block leaves nothing in either', async () => {
    const watch = new BlockWatch();
    const [one, other] = [collecting([], watch), collecting([], watch)];
    one.ask(drifted);
    for (let n = 0; n < 3; n++) one.ask(refused);
    for (let n = 0; n < 2; n++) other.ask(refused);
    one.ask(drifted);
    other.ask(drifted);
    expect([await one.end(), await other.end()]).toEqual([true, true]);
    expect([one.keys(), other.keys()]).toEqual([[1, 7], [8]]);
  });

  it('and a batch that has ended hears no more of it', async () => {
    const watch = new BlockWatch();
    const [one, other] = [collecting([], watch), collecting([], watch)];
    one.ask(refused);
    one.batch.close();
    for (let n = 0; n < 4; n++) other.ask(refused);
    expect([await one.end(), await other.end()]).toEqual([false, true]);
  });
});

describe('a batch', () => {
  it('is due with two hundred answers, of which those in doubt are none', () => {
    const { batch, ask } = collecting();
    for (let n = 0; n < 50; n++) ask(silent);
    for (let n = 0; n < 199; n++) ask(missing);
    expect(batch.isDue(0)).toBe(false);
    ask(missing);
    expect(batch.isDue(0)).toBe(true);
  });

  it('is due when it is a second old', async () => {
    const { batch, told } = collecting();
    expect(batch.isDue(999)).toBe(false);
    expect(batch.isDue(1000)).toBe(true);
    told.now = 5000;
    await batch.save();
    expect(batch.isDue(5999)).toBe(false);
    expect(batch.isDue(6000)).toBe(true);
  });

  it('is stored once, and how many were in it is reported', async () => {
    const { batch, saved, told, ask } = collecting();
    for (let n = 0; n < 3; n++) ask(missing);
    await batch.save();
    await batch.save();
    expect(saved.map((each) => each.length)).toEqual([3]);
    expect(told.progress).toEqual([3]);
  });

  it('asks for the lease even where there is nothing to store', async () => {
    const { batch, told } = collecting();
    await batch.save();
    expect(told.beats).toBe(1);
    expect(told.progress).toEqual([]);
  });
});

describe('a record that a webhook moved on while its answer was under way', () => {
  it('is computed again from the current facts, and stored alone', async () => {
    const moved = { ...UNSEEN, status: 'PAYMENT_STARTED', statusSince: at('2026-11-20 04:14'), lastSnapshot: 31 };
    const again = { ...moved, status: 'RELEASING', lastSnapshot: 32 };
    const { batch, saved, told, ask } = collecting([
      [{ recordKey: 2, projection: moved }],
      [{ recordKey: 2, projection: again }],
    ]);
    for (let n = 0; n < 3; n++) ask(readable);
    await batch.save();
    expect(saved.map((each) => each.map(({ recordKey }) => recordKey))).toEqual([[1, 2, 3], [2], [2]]);
    const changes = saved.map((each) => each.find(({ recordKey }) => recordKey === 2)?.observed);
    expect(changes).toMatchObject([
      { basis: null, statusChange: null },
      { basis: 31, statusChange: { from: 'PAYMENT_STARTED', to: 'RELEASED' } },
      { basis: 32, statusChange: { from: 'RELEASING', to: 'RELEASED' } },
    ]);
    expect(told.progress).toEqual([3]);
  });
});

describe('the stored part of an answer', () => {
  it('is, of a body that was read, what it says and where that leaves the record', () => {
    const before = {
      ...UNSEEN,
      status: 'RELEASING',
      statusSince: at('2026-11-19 04:15'),
      firstSnapshot: 3,
      lastSnapshot: 8,
    };
    const item = planned(7, { projection: before });
    expect(observed(item, { ...readable, attempts: 2 }, STATUSES, '2026-11-20')).toEqual({
      recordKey: 7,
      attempts: 2,
      observed: {
        outcome: 'verified',
        state: aPurchase(),
        sha256: SHA256,
        evidence: '{"id":"sqs6a428mqjtzbv"}',
        at: at('2026-11-20 04:15'),
        httpStatus: 200,
        projection: {
          status: 'RELEASED',
          statusSince: at('2026-11-20 04:15'),
          peakStatus: 'RELEASED',
          peakAt: at('2026-11-20 04:15'),
          terminalDate: '2026-11-20',
          firstSnapshot: 3,
          terminalSnapshot: 'this',
          lastVerifiedAt: at('2026-11-20 04:15'),
          lastVerifiedDate: '2026-11-20',
        },
        basis: 8,
        statusChange: { from: 'RELEASING', fromSeenAt: at('2026-11-19 04:15'), to: 'RELEASED', legal: true },
      },
    });
  });

  it('is, of one that could not be read, why, and the body', () => {
    const drift = [{ field: 'fees', problem: 'missing', found: 'nothing', expected: 'a number', hint: null }] as const;
    const body = { sha256: SHA256, evidence: '{}' };
    const told = {
      outcome: 'quarantined',
      reason: 'SCHEMA_DRIFT',
      detail: 'fees are missing',
      drift,
      body,
      httpStatus: 200,
      at: 17,
    } as const;
    expect(observed(planned(7), { ...told, attempts: 1 }, STATUSES, '2026-11-20')).toEqual({
      recordKey: 7,
      attempts: 1,
      observed: told,
    });
  });

  it('is, of none at all, why, in the words of the Service where it had any', () => {
    const result: FetchResult = { ...missing, errorCode: 'RECORD_NOT_FOUND', attempts: 3, at: 17 };
    expect(observed(planned(7), result, STATUSES, '2026-11-20')).toEqual({
      recordKey: 7,
      attempts: 3,
      observed: {
        outcome: 'unreachable',
        reason: 'RECORD_MISSING',
        httpStatus: 404,
        errorCode: 'RECORD_NOT_FOUND',
        at: 17,
      },
    });
  });
});

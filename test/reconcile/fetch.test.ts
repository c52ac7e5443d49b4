import { describe, expect, it } from 'vitest';
import type { FetchResult } from '../../src/ports/service.ts';
import type { ObservedItem } from '../../src/ports/store/store.ts';
import { fetchRecords, isStop } from '../../src/reconcile/fetch.ts';
import { AnswerCount } from '../../src/reconcile/stop-rules.ts';
import { namedError } from '../support/named-error.ts';
import {
  around,
  drifted,
  FENCE,
  missing,
  planned,
  RUN,
  readable,
  refused,
  silent,
  soon,
  swapped,
} from './support/fetching.ts';

const known = (position: number) => planned(position, { refusedBefore: true });

const outcomeOf = (saved: readonly (readonly ObservedItem[])[], key: number) =>
  saved.flat().find(({ recordKey }) => recordKey === key)?.observed.outcome;

describe('fetching', () => {
  it('asks for every record once, a bounded number at a time, and stores batches', async () => {
    const { edges, saved, asked, seen } = around(1000, (id) => soon(id === 'p1' ? refused : missing));
    await fetchRecords(RUN, FENCE, edges);
    expect(new Set(asked).size).toBe(1000);
    expect(asked).toHaveLength(1000);
    expect(seen.most).toBe(4);
    expect(saved.flat()).toHaveLength(1000);
    expect(Math.max(...saved.map((batch) => batch.length))).toBeLessThanOrEqual(210);
    expect(saved.length).toBeLessThanOrEqual(6);
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

  it('reads the next page when no more than twice as many are outstanding as may be in flight', async () => {
    let answered = 0;
    const answeredWhenRead: number[] = [];
    const { edges } = around(400, async () => {
      await soon(null);
      answered++;
      return drifted;
    });
    const { next } = edges.items;
    edges.items.next = (...page) => {
      answeredWhenRead.push(answered);
      return next(...page);
    };
    await fetchRecords(RUN, FENCE, edges);
    expect(answeredWhenRead[1]).toBeGreaterThanOrEqual(192);
    // The third read finds nothing, and as nothing is to be asked for once more it is the last.
    expect(answeredWhenRead).toHaveLength(3);
  });

  it('stores what there is each second, however little, where answers are slow', async () => {
    let now = 0;
    const { edges, saved } = around(
      100,
      async () => {
        now += 100;
        return soon(drifted);
      },
      { now: () => now },
    );
    await fetchRecords(RUN, FENCE, edges);
    expect(Math.max(...saved.map((batch) => batch.length))).toBeLessThanOrEqual(20);
  });

  it('stores what it has when it is stopped, and takes no more', async () => {
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
        otherEgresses: [],
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
    // Before and after, a record that was answered for shows that the address is served.
    expect(asked[100]).toBe('p100');
    expect(asked.slice(101, 109).sort()).toEqual(['p51', 'p52', 'p53', 'p54', 'p55', 'p56', 'p57', 'p58']);
    expect(asked).toHaveLength(110);
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

  describe('where the address is refused still', () => {
    const blockedFrom = (from: string) => {
      let isBlocked = false;
      return async (id: string) => {
        isBlocked ||= id === from;
        return soon(isBlocked ? refused : drifted);
      };
    };
    const outcomes = (saved: readonly (readonly ObservedItem[])[]) => [
      ...new Set(saved.flat().map(({ observed }) => observed.outcome)),
    ];

    it('leaves the refused ones unobserved, after asking twice for one that was answered for', async () => {
      const { edges, saved, asked } = around(100, blockedFrom('p95'));
      await fetchRecords(RUN, FENCE, edges);
      expect(outcomes(saved)).toEqual(['quarantined']);
      expect(saved.flat().length).toBeGreaterThanOrEqual(91);
      expect(asked).toHaveLength(102);
    });

    it('gives a part of a run up: another address may do better', async () => {
      const answers = new AnswerCount();
      const { edges, saved } = around(100, blockedFrom('p95'), { answers });
      await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('began to refuse this address');
      expect(outcomes(saved)).toEqual(['quarantined']);
    });

    it('does not believe the second refusals either where the block comes back', async () => {
      let [isBlocked, blocks] = [false, 0];
      const { edges, saved } = around(100, async (id) => {
        if (id === 'p51') [isBlocked, blocks] = [true, blocks + 1];
        // The first one is over with p59; the second begins with the second asking.
        if (id === 'p59' && blocks === 1) isBlocked = false;
        return soon(isBlocked ? refused : drifted);
      });
      await fetchRecords(RUN, FENCE, edges);
      expect(outcomes(saved)).toEqual(['quarantined']);
      expect(saved.flat()).toHaveLength(92);
    });

    it('does not wait for it where the run has to stop', async () => {
      let asked = 0;
      const stop = {
        reason: (): string | null => (asked > 100 ? 'max-requests' : null),
        signal: new AbortController().signal,
      };
      const answer = blockedFrom('p95');
      const { edges, saved } = around(
        100,
        (id) => {
          asked++;
          return answer(id);
        },
        { stop },
      );
      await fetchRecords(RUN, FENCE, edges);
      expect(asked).toBe(101);
      expect(outcomes(saved)).toEqual(['quarantined']);
    });
  });

  it('lets nothing leave after an error of the store', async () => {
    let now = 0;
    const { edges, asked } = around(1000, async () => {
      now += 600;
      return soon(drifted);
    });
    edges.now = () => now;
    edges.heartbeat = async () => {
      if (now > 5_000) throw new Error('the lease is lost');
    };
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('the lease is lost');
    const before = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(asked).toHaveLength(before);
  });

  it.each([
    ['refused', refused, 'refused the view token'],
    ['another record’s body', swapped, 'another record'],
  ])('looks at the answers when a budget ends it: most of them %s', async (_, answer, why) => {
    let answered = 0;
    const stop = {
      reason: (): string | null => (answered >= 12 ? 'max-requests' : null),
      signal: new AbortController().signal,
    };
    const counted = async () => {
      answered++;
      return soon(answer);
    };
    const { edges, saved } = around(100, counted, { stop, concurrency: 1 });
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow(why);
    expect(saved.flat()).toEqual([]);
  });

  it('fails where the client cannot go on when it asks once more', async () => {
    const asked = new Set<string>();
    const { edges, saved } = around(10, async (id) => {
      if (asked.has(id)) throw new Error('TLS certificate not trusted');
      asked.add(id);
      return Number(id.slice(1)) > 5 ? refused : drifted;
    });
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('TLS certificate not trusted');
    expect(saved.flat()).toHaveLength(5);
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

  it('requests doubtful records again after a stop', async () => {
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

describe('an error that only says that there is no more to be sent', () => {
  it.each([
    ['AbortError', true],
    ['RequestBudgetError', true],
    ['CircuitOpenError', false],
    ['TlsError', false],
  ])('is reported by its name: %s', (name, expected) => {
    expect(isStop(namedError(name))).toBe(expected);
    expect(isStop({ name })).toBe(false);
  });

  it('ends the fetch without error, and leaves the record to another time', async () => {
    const { edges, saved } = around(10, async (id) => {
      if (id === 'p7') {
        edges.stop.reason = () => 'max-requests';
        throw namedError('RequestBudgetError');
      }
      return drifted;
    });
    await fetchRecords(RUN, FENCE, edges);
    expect(outcomeOf(saved, 6)).toBe('quarantined');
    expect(outcomeOf(saved, 7)).toBeUndefined();
  });
});

describe('doubtful records when a run ends early', () => {
  /** Silence from the first record to the third, at which something ends the run. */
  const endingFor = async (why: string) => {
    const { edges, saved } = around(10, async (id) => {
      if (id === 'p3') edges.stop.reason = () => why;
      return soon(silent);
    });
    await fetchRecords(RUN, FENCE, edges);
    return saved.flat();
  };

  it.each(['signal', 'lapsed'])('is fetched again by the resumed run: %s', async (why) => {
    expect(await endingFor(why)).toEqual([]);
  });

  it.each(['max-duration', 'max-requests'])('is an observation where the run is not resumed: %s', async (why) => {
    expect((await endingFor(why)).length).toBeGreaterThanOrEqual(3);
  });
});

describe('404s of an unknown server', () => {
  it('are another system, where all of them are', async () => {
    const { edges } = around(20, () => soon(missing));
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('All 20 answers were 404');
  });

  it('are missing records, where one of them is of a record that is broken already', async () => {
    const { edges, saved } = around(20, () => soon(missing));
    const { next } = edges.items;
    edges.items.next = async (...page) =>
      (await next(...page)).map((item) => (item.position === 9 ? { ...item, dueClass: 'open-break' } : item));
    await fetchRecords(RUN, FENCE, edges);
    expect(saved.flat()).toHaveLength(20);
  });
});

describe('a fresh quote', () => {
  const withRequotes = (requote: boolean) => ({
    ...RUN,
    selection: { type: 'ids' as const, ids: ['p1', 'p2'], kind: null, requote },
  });
  const quotesOf = async (requote: boolean) => {
    const quoted: unknown[] = [];
    const { edges, saved } = around(2, async (id) => (id === 'p1' ? readable : drifted), {
      requote: async (run, state) => {
        expect(saved).toEqual([]);
        quoted.push([run.runId, state.recordId]);
      },
    });
    await fetchRecords(withRequotes(requote), FENCE, edges);
    expect(saved.flat()).toHaveLength(2);
    return quoted;
  };

  it('is asked for with each record that is read, before it counts as done', async () => {
    expect(await quotesOf(true)).toEqual([['nightly-2026-11-20-r1', 'sqs6a428mqjtzbv']]);
  });

  it('is not asked for by a run that does not want any', async () => {
    expect(await quotesOf(false)).toEqual([]);
  });
});

describe('a circuit that opens before anything was read', () => {
  const blocked = (circuit: { open: boolean; until: number | null; reason: string | null }) => {
    const asked = { often: 0 };
    const world = around(9, async () => refused, {
      limiterState: async () => {
        asked.often++;
        return { circuit: { trips: 1, ...circuit }, windows: [], otherEgresses: [] };
      },
    });
    return { ...world, asked };
  };

  it('ends the run, and says until when the address stays silent', async () => {
    const { edges } = blocked({ open: true, until: Date.UTC(2026, 10, 20, 4, 30), reason: 'five 403 in a row' });
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow(
      'The Service refused this address before any record could be read (five 403 in a row). Nothing was judged. The address stays silent until 2026-11-20T04:30:00.000Z; check service.url and the tokens',
    );
  });

  it('ends it without a time and a reason as well, where they are unknown', async () => {
    const { edges } = blocked({ open: true, until: null, reason: null });
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow(
      /read \(no reason given\)\. Nothing was judged; check/,
    );
  });

  it('is looked at once five records were refused, and no sooner', async () => {
    const { edges, asked } = blocked({ open: false, until: null, reason: null });
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('9 of 9 answers refused the view token');
    expect(asked.often).toBe(5);
  });

  it('is a pause where something was read', async () => {
    const asked = { often: 0 };
    const { edges, saved } = around(30, async (id) => (Number(id.slice(1)) % 3 === 0 ? refused : drifted), {
      limiterState: async () => {
        asked.often++;
        return { circuit: { open: true, until: null, trips: 1, reason: null }, windows: [], otherEgresses: [] };
      },
    });
    await fetchRecords(RUN, FENCE, edges);
    expect(asked.often).toBe(0);
    expect(saved.flat()).toHaveLength(30);
  });
});

it('the answers of a whole run are judged at its end, though some of them were read', async () => {
  const { edges } = around(5, async (id) => (Number(id.slice(1)) <= 2 ? readable : swapped));
  await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('3 of 5 answers were another record');
});

describe('a part of a run, for which answers were counted before', () => {
  const countOf = (...results: FetchResult[]) => {
    const answers = new AnswerCount();
    for (const result of results) answers.note(result);
    return answers;
  };

  it('is not judged by itself where the address is known to be served', async () => {
    const { edges, saved } = around(6, async (id) => (id === 'p6' ? drifted : swapped), { answers: countOf(readable) });
    await fetchRecords(RUN, FENCE, edges);
    expect(saved.flat()).toHaveLength(6);
  });

  it('ends the run where no answer shows that the address is served', async () => {
    const { edges, saved } = around(3, async () => swapped, { answers: countOf(refused, swapped) });
    await expect(fetchRecords(RUN, FENCE, edges)).rejects.toThrow('4 of 5 answers were another record');
    expect(saved.flat()).toEqual([]);
  });
});

/**
 * Workers that lie about their batches: a program with the database's password, and sometimes the sealing key, that claims batches as
 * `tieout worker` does. What it did not fetch is not verified, and its lies end no night with an error: the records are deferred (exit 3).
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openQueue } from '../../src/app/queue.ts';
import { startWorking } from '../../src/app/worker.ts';
import type { BatchQueue, HeldBatch } from '../../src/ports/queue.ts';
import type { AnswerFigures } from '../../src/ports/settled.ts';
import { ForeignItemError, LeaseLostError } from '../../src/ports/store/errors.ts';
import { createSystemClock } from '../../src/runner/clock.ts';
import { NO_ANSWERS } from '../reconcile/support/fetching.ts';
import { aPurchase } from '../service/bodies.ts';
import { makeDatabase, onServer, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import { unreachable } from '../store/support/scenario.ts';
import { type FrozenWorld, openFrozenWorld, type Reconciled } from './support/frozen-world.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const KEY = { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
const IDS = Array.from({ length: 6 }, (_, n) => `p${n + 1}`);
const DAY = 86_400_000;
const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10);
const HEAD = 'kind,id,view_token,created_at,host_reference,quote_id,expected_status';
/** Of a worker that read a batch, which is one record here. */
const ALL_READ: AnswerFigures = { ...NO_ANSWERS, readable: 1, named: 1 };
const { lastProblem: _, ...UNNAMED } = ALL_READ;

/** Time passes a hundred times as fast for the coordinator: it waits for seconds before it gives up a batch. */
function hurried() {
  const { domain, now, sleep } = createSystemClock().monotonic;
  return { domain, now: () => now() * 100, sleep: (ms: number, signal?: AbortSignal) => sleep(ms / 100, signal) };
}

describe.skipIf(isSwitchedOff())('a worker that lies', () => {
  let database: TestDatabase;
  let world: FrozenWorld;
  let queue: BatchQueue;
  let day = Date.UTC(2026, 10, 18);
  const reports: (claim: HeldBatch, report: unknown) => Promise<void> = (claim, report) => claim.done(report as never);
  const sql = <T extends object>(...statements: string[]) => onServer<T>(database.url, ...statements);

  beforeAll(async () => {
    database = await makeDatabase();
    const settings = { 'database.url': database.url, 'workers.enabled': 'true', 'workers.batch': '1' };
    world = await openFrozenWorld(settings, KEY, undefined, hurried());
    queue = await openQueue(world.app.settings, world.app.log);
    world.goTo('2026-11-18T10:01:00Z');
    await world.track([HEAD, ...IDS.map((id) => `purchase,${id},tok-${id},2026-11-18T10:00:00Z,,,`), ''].join('\n'));
    for (const id of IDS)
      world.server.answers.set(id, { body: aPurchase({ id: `"${id}"`, status: '"PAYMENT_IN_PROGRESS"' }) });
    expect((await honest()).run.verdicts).toMatchObject({ unverified: 0 });
  });
  afterAll(async () => {
    await queue?.close();
    await world?.close();
    await database?.[Symbol.asyncDispose]();
  });

  /** The next night, beside someone who works on its batches until it is over. */
  async function nightBeside(work: (over: AbortSignal) => Promise<void>): Promise<Reconciled> {
    day += DAY;
    world.goTo(`${isoDay(day + DAY)}T04:15:00Z`);
    const over = new AbortController();
    const working = work(over.signal);
    try {
      return await world.night(isoDay(day));
    } finally {
      over.abort();
      await working;
    }
  }

  const honest = () => nightBeside((over) => startWorking(world.app, over));
  const lied = (lie: (claim: HeldBatch) => Promise<void>) =>
    nightBeside(async (over) => {
      while (!over.aborted) {
        const claim = await queue.claim();
        if (claim === null) await new Promise((resolve) => setTimeout(resolve, 10));
        else await lie(claim);
      }
    });

  const itemsOf = ({ batch }: HeldBatch) => world.app.store.items.next(batch.runId, batch.after, 100, batch.upTo);
  const NOTHING_VERIFIED = { matched: 0, pending: 0, break: 0, waived: 0, quarantined: 0, unverified: IDS.length };
  const expectDeferred = ({ run, tally }: Reconciled) => {
    expect(run).toMatchObject({ state: 'incomplete', verdicts: NOTHING_VERIFIED });
    expect(tally).toMatchObject({ deferred: IDS.length, notReached: IDS.length });
  };

  const MALFORMED: readonly unknown[] = [
    {},
    null,
    'done',
    [ALL_READ],
    { answers: null },
    { answers: UNNAMED },
    { answers: { ...ALL_READ, readable: -4, denied: 12 } },
    { answers: { ...ALL_READ, denied: 0.5 } },
    { answers: { ...ALL_READ, denied: 2 ** 60 } },
    { answers: { ...ALL_READ, named: '0', misnamed: '9', otherName: 'Other' } },
  ];
  it.each<[string, readonly unknown[]]>([
    ['as an honest one reports', [{ answers: ALL_READ }]],
    ['without figures', MALFORMED.slice(0, IDS.length)],
    ['with impossible figures', MALFORMED.slice(IDS.length)],
    ['as refused, of records that nobody asked for', [{ answers: { ...ALL_READ, denied: 4e9 } }]],
    ['as bodies of another maker', [{ answers: { ...ALL_READ, named: 0, misnamed: 3, otherName: 'Other' } }]],
  ])('reports batches that it never fetched %s', async (_, all) => {
    let n = 0;
    expectDeferred(await lied((claim) => reports(claim, all[n++ % all.length])));
    expect(n).toBe(IDS.length);
  });

  it('reports its batches twice, and has stored a third of them', async () => {
    const { run, tally } = await lied(async (claim) => {
      const { runId, fence, upTo } = claim.batch;
      const [first] = await itemsOf(claim);
      if (first !== undefined && upTo % 3 === 0)
        await world.app.store.items.save(runId, fence, [unreachable(first.recordKey, isoDay(day))]);
      for (let times = 0; times < 2; times++) await reports(claim, { answers: ALL_READ });
    });
    expect(run).toMatchObject({ state: 'incomplete', verdicts: NOTHING_VERIFIED });
    expect(tally).toMatchObject({ deferred: IDS.length - IDS.length / 3, notReached: IDS.length });
  });

  const SEEN = "outcome = 'verified', http_status = 200, attempts = 1";
  it.each([
    ['without a body', `update run_items set ${SEEN}, observed_at = 1795000000000 where outcome is null`],
    [
      'by the body of the night before',
      `update run_items as i set ${SEEN}, observed_at = s.received_at + 86400000, snapshot_key = s.snapshot_key, content_key = s.content_key
       from snapshots as s where s.record_key = i.record_key and i.outcome is null`,
    ],
    [
      'by the body of another record',
      `update run_items as i set ${SEEN}, observed_at = s.received_at, snapshot_key = s.snapshot_key, content_key = s.content_key
       from snapshots as s where s.record_key = ${IDS.length + 1} - i.record_key and i.outcome is null`,
    ],
  ])('calls records verified %s', async (_, statement) => {
    expectDeferred(
      await lied(async (claim) => {
        await sql(statement, `update runs set observed = population where run_id = '${claim.batch.runId}'`);
        await reports(claim, { answers: ALL_READ });
      }),
    );
    expect((await world.app.upkeep.check()).problems).toEqual([]);
  });

  it('answers for the batches of others beside an honest one, counts requests that it never sent, and comes again when the night is over', async () => {
    const { save } = world.app.store.items;
    let late: () => Promise<unknown> = async () => undefined;
    const { run } = await nightBeside(async (over) => {
      // The time of the coordinator flies: before the lies are stored it may have given up the batch, or the night.
      for (let taken = false; !taken && !over.aborted; ) {
        const claim = await queue.claim();
        if (claim === null) continue;
        const { runId, fence } = claim.batch;
        const all = await world.app.store.items.next(runId, 0, 100, IDS.length);
        const lies = all.map(({ recordKey }) => unreachable(recordKey, isoDay(day)));
        late = () => save(runId, fence, lies, 1000);
        taken = await late().then(
          () => true,
          () => false,
        );
        if (!taken) continue;
        const working = startWorking(world.app, over);
        await Promise.allSettled([late(), reports(claim, { answers: ALL_READ })]);
        await working;
      }
    });
    const { unverified = 0, ...others } = run.verdicts ?? {};
    expect(unverified).toBeGreaterThan(0);
    expect(Object.values(others).reduce((sum, n) => sum + n, unverified)).toBe(IDS.length);
    expect(run.state).toBe('incomplete');
    await expect(late()).rejects.toThrow(/lease|state|take observations/i);
    expect((await world.app.upkeep.check()).problems).toEqual([]);
  });

  it('has harmed nothing: the next night of an honest one is whole', async () => {
    const { run } = await honest();
    expect(run).toMatchObject({ state: 'complete', verdicts: { unverified: 0, quarantined: 0 } });
    expect((await world.app.upkeep.check()).problems).toEqual([]);
  });

  it('cannot hide another hash of a body', async () => {
    await lied(async (claim) => {
      await sql("update contents set sha256 = repeat('0', 64) where content_key = 1");
      await reports(claim, { answers: ALL_READ });
    });
    const { problems } = await world.app.upkeep.check();
    expect(problems).toEqual(
      expect.arrayContaining([expect.stringMatching(/^contents: purchase p\d: .* were changed/)]),
    );
  });

  it('stores records of another run, and under another run’s fence', async () => {
    const refused: string[] = [];
    expectDeferred(
      await lied(async (claim) => {
        const { runId, fence } = claim.batch;
        const { save } = world.app.store.items;
        const [first] = await itemsOf(claim);
        // Known since this run was planned: the next one has it.
        await world.track(`${HEAD}\npurchase,later,tok-later,2027-11-30T10:00:00Z,,,\n`);
        const [later] = await world.app.store.tracked.find('later');
        await save(runId, fence, [unreachable(later?.recordKey ?? 0, isoDay(day))]).catch((error) =>
          refused.push(error.name),
        );
        await save(runId, { ...fence, token: fence.token - 1 }, [
          unreachable(first?.recordKey ?? 0, isoDay(day)),
        ]).catch((error) => refused.push(error.name));
        await reports(claim, { answers: ALL_READ });
      }),
    );
    expect(new Set(refused)).toEqual(new Set([ForeignItemError.name, LeaseLostError.name]));
  });
});

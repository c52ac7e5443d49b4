/** What becomes of a batch that its worker did not end. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BatchProblem, BatchQueue, FetchBatch } from '../../src/ports/queue.ts';
import { boundConnections } from '../../src/store/postgres/bounded-connections.ts';
import { openPgBossQueue } from '../../src/workers/pg-boss-queue.ts';
import { makeDatabase, onServer, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';

const RUN = { runId: 'nightly-2026-11-19-r1', fence: { name: 'nightly', token: 1 } };
const STOPPED: BatchProblem = { kind: 'stopped', message: 'the worker was stopped' };
const aBatch = (maxRequests: number | null): FetchBatch => ({
  ...RUN,
  after: 0,
  upTo: 10,
  maxRequests,
  deployment: {},
});

describe.skipIf(isSwitchedOff())('a batch', () => {
  let database: TestDatabase;
  let queue: BatchQueue;
  beforeEach(async () => {
    database = await makeDatabase();
    queue = await openPgBossQueue({
      url: database.url,
      heartbeatMs: 10_000,
      onError: () => undefined,
      translate: (error) => error,
      connections: boundConnections(20_000),
    });
  });
  afterEach(async () => {
    await queue.close();
    await database[Symbol.asyncDispose]();
  });

  it('that is given back is there for the next one at once', async () => {
    await queue.send([aBatch(null)]);
    await (await queue.claim())?.giveBack(STOPPED);
    expect((await queue.claim())?.batch).toEqual(aBatch(null));
  });

  it('with a share of a budget is handed out once: the number of sent requests is unknown', async () => {
    await queue.send([aBatch(10)]);
    await (await queue.claim())?.giveBack(STOPPED);
    expect(await queue.claim()).toBeNull();
    expect(await queue.standing(RUN)).toEqual({ waiting: 0, active: 0, problems: [STOPPED] });
  });

  it.each([
    ['null'],
    ['{}'],
    ['"a text"'],
    [JSON.stringify({ ...aBatch(null), fence: undefined })],
    [JSON.stringify({ ...aBatch(null), upTo: 'all' })],
  ])('of another hand is taken out, and ends no worker: %s', async (data) => {
    await queue.send([aBatch(null)]);
    await onServer(
      database.url,
      `insert into tieout_queue.job (name, data, priority) values ('tieout-fetch', '${data}', 9)`,
    );
    expect((await queue.claim())?.batch).toEqual(aBatch(null));
    expect(await queue.claim()).toBeNull();
    expect((await queue.figures()).failed).toBe(0);
  });

  it('that was taken back by its run cannot be renewed', async () => {
    await queue.send([aBatch(null), { ...aBatch(null), after: 10, upTo: 20 }]);
    const claim = await queue.claim();
    expect(await claim?.renew()).toBe(true);
    await queue.withdraw(RUN.runId);
    expect(await claim?.renew()).toBe(false);
    expect(await queue.standing(RUN)).toEqual({ waiting: 0, active: 0, problems: [] });
  });
});

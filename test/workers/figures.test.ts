/** The queue as metrics show it, over pg-boss in a real PostgreSQL. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BatchQueue, FetchBatch } from '../../src/ports/queue.ts';
import { boundConnections } from '../../src/store/postgres/bounded-connections.ts';
import { type QueueWatch, watchQueue } from '../../src/workers/figures.ts';
import { openPgBossQueue } from '../../src/workers/pg-boss-queue.ts';
import { makeDatabase, onServer, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';

const batch = (after: number): FetchBatch => ({
  runId: 'run-1',
  fence: { name: 'nightly', token: 1 },
  after,
  upTo: after + 10,
  maxRequests: null,
  deployment: {},
});
/** Dropping the database cuts connections that are about to end. */
const onError = () => undefined;

describe.skipIf(isSwitchedOff())('the queue’s figures', () => {
  let database: TestDatabase;
  let queue: BatchQueue | undefined;
  let watch: QueueWatch;
  beforeEach(async () => {
    database = await makeDatabase();
    watch = watchQueue(database.url);
  });
  afterEach(async () => {
    await watch.close();
    await queue?.close();
    queue = undefined;
    await database[Symbol.asyncDispose]();
  });
  const open = async () => {
    queue = await openPgBossQueue({
      url: database.url,
      heartbeatMs: 10_000,
      onError,
      translate: (error) => error,
      connections: boundConnections(20_000),
    });
    return queue;
  };

  it('are none before a process has opened it, and zero after', async () => {
    expect(await watch.figures()).toBeNull();
    await open();
    expect(await watch.figures()).toEqual({ waiting: 0, active: 0, failed: 0, oldestWaitingMs: null });
  });

  it('follow each batch at once, for who works and for who watches', async () => {
    const opened = await open();
    await opened.send([batch(0), batch(10), batch(20)]);
    const both = async () => [await opened.figures(), await watch.figures()];
    for (const seen of await both()) expect(seen).toMatchObject({ waiting: 3, active: 0, failed: 0 });

    const first = await opened.claim();
    const second = await opened.claim();
    for (const seen of await both()) expect(seen).toMatchObject({ waiting: 1, active: 2, failed: 0 });

    // One that was given back waits again; one that is done has no claim any more.
    await first?.giveBack({ kind: 'stopped', message: 'the worker was stopped' });
    await second?.done({ answers: {} as never });
    for (const seen of await both()) expect(seen).toMatchObject({ waiting: 2, active: 0, failed: 0 });

    await opened.withdraw('run-1');
    for (const seen of await both()) {
      expect(seen).toEqual({ waiting: 0, active: 0, failed: 0, oldestWaitingMs: null });
    }
  });

  it('know how long the oldest has waited, by the clock of the server', async () => {
    const opened = await open();
    await opened.send([batch(0), batch(10)]);
    // As if the first had been sent half an hour ago.
    await onServer(
      database.url,
      `update tieout_queue.job set created_on = now() - interval '30 minutes' where data->>'after' = '0'`,
    );
    const { oldestWaitingMs } = await opened.figures();
    expect(oldestWaitingMs).toBeGreaterThanOrEqual(1_800_000);
    expect(oldestWaitingMs).toBeLessThan(1_860_000);
    expect(await opened.claim()).toMatchObject({ batch: { after: 0 } });
    expect((await opened.figures()).oldestWaitingMs).toBeLessThan(60_000);
  });

  it('show a batch that was given up for good', async () => {
    const opened = await open();
    await opened.send([batch(0)]);
    await onServer(database.url, 'update tieout_queue.job set retry_count = retry_limit');
    const claim = await opened.claim();
    await claim?.giveBack({ kind: 'other', message: 'cannot be done' });
    expect(await opened.figures()).toMatchObject({ waiting: 0, active: 0, failed: 1 });
  });
});

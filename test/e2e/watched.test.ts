/** What those who watch see of a receiver and of a worker, while their database comes and goes. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openQueue } from '../../src/app/queue.ts';
import { startWorking } from '../../src/app/worker.ts';
import { aReceiver, type Receiver } from '../intake/webhooks/a-receiver.ts';
import { aPurchase } from '../service/bodies.ts';
import { isSwitchedOff, startAgain, startServer, stopServer } from '../store/postgres/server.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const KEY = { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

async function linesOf(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** Looks until it is so, for half a minute. */
async function eventually(look: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 600; tries++) {
    if (await look()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

// A story: what is counted, and whether the server is up, goes on from one to the next.
describe.skipIf(isSwitchedOff())('over PostgreSQL', { shuffle: false }, () => {
  // Named like the folders of the tests' own server, so that one that is left behind is cleared up with them.
  const folder = mkdtempSync(join(tmpdir(), `tieout-test-postgres-${process.pid}-`));
  const stop = new AbortController();
  let world: FrozenWorld;
  let receiver: Receiver;
  let worker = '';
  let working: Promise<void>;

  beforeAll(async () => {
    const url = await startServer(folder);
    const shared = { 'database.url': url, 'workers.enabled': 'true', 'workers.metrics.port': '0' };
    world = await openFrozenWorld(
      { ...shared, 'service.egress': 'berth-2', 'service.rateLimits': [{ requests: '100', per: '1m' }] },
      KEY,
    );
    const told = Promise.withResolvers<string>();
    const info = (facts: object, message: string) => {
      if (message === 'health and metrics') told.resolve((facts as { url: string }).url);
    };
    // Before any process has opened the queue.
    receiver = await aReceiver(KEY, { ...shared, 'service.egress': 'gate' });
    expect(await linesOf(receiver.serving.url)).not.toContainEqual(expect.stringMatching(/^tieout_queue/));
    working = startWorking({ ...world.app, log: { ...SILENT, info } }, stop.signal);
    worker = await Promise.race([told.promise, working.then(() => 'ended')]);
  });
  afterAll(async () => {
    stop.abort();
    await working?.catch(() => undefined);
    await receiver?.close();
    await world?.close();
    stopServer(folder);
    rmSync(folder, { recursive: true, force: true });
  });

  it('both are ready, and show the queue; each its own egress', async () => {
    for (const url of [worker, receiver.serving.url]) {
      expect(await statusOf(`${url}/healthz`)).toBe(200);
      expect(await statusOf(`${url}/readyz`)).toBe(200);
      expect(await linesOf(url)).toEqual(
        expect.arrayContaining([
          'tieout_database_ready 1',
          'tieout_queue_batches{state="waiting"} 0',
          'tieout_queue_batches{state="active"} 0',
          'tieout_queue_batches{state="failed"} 0',
        ]),
      );
    }
    expect(await linesOf(worker)).toEqual(
      expect.arrayContaining([
        'tieout_circuit_open{egress="berth-2"} 0',
        'tieout_limit_used_requests{egress="berth-2",per_seconds="60"} 0',
        'tieout_limit_allowed_requests{egress="berth-2",per_seconds="60"} 100',
        'tieout_worker_batches_total{result="done"} 0',
      ]),
    );
    expect(await linesOf(receiver.serving.url)).toContain('tieout_circuit_open{egress="gate"} 0');
    expect(await statusOf(`${worker}/webhooks/purchases`)).toBe(404);
  });

  it('count a batch when it is done, and at once where it waits', async () => {
    const queue = await openQueue(world.app.settings, SILENT);
    // Of a run that does not exist: the worker has nothing to do for it, and says that it is done.
    await queue.send([
      { runId: 'nobody', fence: { name: 'nightly', token: 1 }, after: 0, upTo: 3, maxRequests: null, deployment: {} },
    ]);
    const done = 'tieout_worker_batches_total{result="done"} 1';
    expect(await eventually(async () => (await linesOf(worker)).includes(done))).toBe(true);
    await queue.close();
  });

  it('are alive and not ready while the server is down, and ready when it is back', async () => {
    const urls = [worker, receiver.serving.url];
    stopServer(folder);
    for (const url of urls) {
      expect(await eventually(async () => (await statusOf(`${url}/readyz`)) === 503)).toBe(true);
      expect(await statusOf(`${url}/healthz`)).toBe(200);
      const lines = await linesOf(url);
      expect(lines).toContain('tieout_database_ready 0');
      expect(lines).not.toContainEqual(expect.stringMatching(/^tieout_(run|queue|circuit|breaks)/));
    }
    startAgain(folder);
    for (const url of urls) {
      expect(await eventually(async () => (await statusOf(`${url}/readyz`)) === 200)).toBe(true);
      expect(await linesOf(url)).toContain('tieout_database_ready 1');
    }
  });
});

describe('behind a network that swallows everything', () => {
  it('a receiver says within seconds that it is not ready, and that it knows nothing', async () => {
    const receiver = await aReceiver();
    const never = new Promise<never>(() => undefined);
    vi.spyOn(receiver.app.store.runs, 'list').mockReturnValue(never);
    // The four seconds pass at once.
    const { monotonic } = receiver.app.clock;
    const { sleep } = monotonic;
    vi.spyOn(monotonic, 'sleep').mockImplementation((ms, signal) => sleep(ms === 4_000 ? 1 : ms, signal));
    const [status, lines] = await Promise.all([
      statusOf(`${receiver.serving.url}/readyz`),
      linesOf(receiver.serving.url),
    ]);
    expect(status).toBe(503);
    expect(receiver.logged()).toContain('has not answered within 4 seconds');
    expect(lines).toEqual(['tieout_database_ready 0', 'tieout_requests_sent_total 0']);
    await receiver.close();
  });
});

describe('over a file', () => {
  it('a receiver whose database was moved away is not ready, though it could go on writing', async () => {
    const receiver = await aReceiver();
    const file = join(receiver.folder, 'tieout.db');
    const ready = () => statusOf(`${receiver.serving.url}/readyz`);
    expect(await ready()).toBe(200);
    renameSync(file, `${file}.away`);
    expect(await ready()).toBe(503);
    expect(receiver.logged()).toContain('was moved, removed or replaced while it was open');
    expect((await receiver.webhook('purchase', aPurchase())).status).toBe(503);
    renameSync(`${file}.away`, file);
    expect(await ready()).toBe(200);
    expect((await receiver.webhook('purchase', aPurchase())).status).toBe(200);
    await receiver.close();
  });
});

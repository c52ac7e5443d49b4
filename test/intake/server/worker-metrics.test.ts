/** What a worker shows to its monitoring. */
import { expect, it } from 'vitest';
import type { Figures } from '../../../src/intake/server/contract.ts';
import { workerMetrics } from '../../../src/intake/server/metrics.ts';
import { startUpkeepServer } from '../../../src/intake/server/upkeep.ts';

const gone = (): Promise<Figures> => Promise.reject(new Error('the database is away'));
const batchesIn = (text: string) => text.split('\n').filter((line) => line.startsWith('tieout_worker_batches_total{'));

it('counts batches by what became of them, from 0 on', async () => {
  const page = workerMetrics(gone, () => undefined);
  page.count('done');
  page.count('done');
  page.count('lapsed');
  const text = await page.text();
  expect(batchesIn(text)).toEqual([
    'tieout_worker_batches_total{result="done"} 2',
    'tieout_worker_batches_total{result="given-back"} 0',
    'tieout_worker_batches_total{result="lapsed"} 1',
  ]);
  expect(text).toContain('# HELP tieout_worker_batches_total Batches that this worker took, by what became of them');
});

it('answers on a port of its own: alive, ready or not, and nothing else', async () => {
  let ready = true;
  let failure: unknown = new Error('the database is away');
  const [errors, told]: [string[], string[]] = [[], []];
  const server = await startUpkeepServer({
    host: '127.0.0.1',
    port: 0,
    setting: 'workers.metrics',
    metrics: workerMetrics(gone, (problem) => void told.push(problem)),
    isReady: async () => {
      if (!ready) throw failure;
    },
    log: { error: (message) => void errors.push(message) },
  });
  const ask = async (path: string) => {
    const answer = await fetch(server.url + path);
    return [answer.status, await answer.text()] as const;
  };
  try {
    expect(await ask('/healthz')).toEqual([200, '{"status":"ok"}']);
    expect(await ask('/readyz')).toEqual([200, '{"status":"ready"}']);
    ready = false;
    expect(await ask('/readyz')).toEqual([503, '{"status":"not ready"}']);
    expect(await ask('/healthz')).toEqual([200, '{"status":"ok"}']);
    failure = 'away';
    expect((await ask('/readyz'))[0]).toBe(503);
    expect(errors).toEqual(['not ready: the database is away', 'not ready: the database cannot be used']);
    const [status, page] = await ask('/metrics');
    expect([status, batchesIn(page).length, told]).toEqual([200, 3, ['the database is away']]);
    const posted = await fetch(`${server.url}/healthz?x=1`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await posted.text()).toBe('{"statusCode":405,"error":"method not allowed"}');
    expect(await ask('/webhooks/purchases')).toEqual([404, '{"statusCode":404,"error":"not found"}']);
  } finally {
    await server.close();
  }
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});

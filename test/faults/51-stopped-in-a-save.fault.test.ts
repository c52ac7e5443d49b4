/** A worker stops in the middle of a save, with the lock of the writers in its hands. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { delayingProxy } from '../store/postgres/delaying-proxy.ts';
import { openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, ownServer } from './harness/own-server.ts';
import { faultRow } from './harness/row.ts';

const IN_A_SAVE = `select pid from pg_stat_activity where state = 'idle in transaction'
  and pid in (select pid from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted)`;
const ACKNOWLEDGED_MS = 20_000;

faultRow(
  {
    number: 51,
    fault: 'a worker is stopped inside a save',
    how: 'SIGSTOP while its transaction holds the writers’ lock, over a database 100 ms away, while another process writes; then SIGCONT',
    mustHold:
      'other writers wait for seconds only; readiness reports it; nothing of the save is half stored; the night is complete',
  },
  async (row) => {
    using server = await ownServer();
    const url = await databaseOn(server, 'stopped');
    await using far = await delayingProxy(url, 100);
    await using fleet = await openFleet({ url, records: row.isShort ? 120 : 300, batch: 20, delayMs: 100 });
    const run = fleet.run();
    const sleeper = fleet.worker(0, { TIEOUT_DATABASE_URL: far.url });
    await eventually('the worker saves', 120, async () => (await fleet.observed()) > 0);
    const { store } = await openStore({ url, sealer: null });
    try {
      await eventually('it is stopped inside a save', 120, async () => {
        sleeper.child.kill('SIGSTOP');
        await pause(250);
        if ((await fleet.sql(IN_A_SAVE)).length > 0) return true;
        sleeper.child.kill('SIGCONT');
        await pause(130);
        return false;
      });
      const began = performance.now();
      let isTold = false;
      const watching = (async () => {
        while (performance.now() - began < ACKNOWLEDGED_MS && !isTold) {
          isTold = await store.isBlocked();
          await pause(100);
        }
      })();
      await store.leases.acquire('another job', 'the row', Date.now(), 1_000);
      const waited = performance.now() - began;
      await watching;
      row.measured('wait of another writer, s', Math.round(waited / 100) / 10);
      row.measured('readiness reported it', isTold ? 'yes' : 'no');
      sleeper.child.kill('SIGCONT');
      expect(waited).toBeLessThan(ACKNOWLEDGED_MS);
      const { code, err } = await run.done;
      expect(code, err).toBe(0);
      const { lost, doubled } = await fleet.expectWhole();
      row.measured('records lost', lost);
      row.measured('records doubled', doubled);
    } finally {
      await store.close();
    }
    sleeper.child.kill('SIGTERM');
    expect((await sleeper.done).code).toBe(143);
  },
);

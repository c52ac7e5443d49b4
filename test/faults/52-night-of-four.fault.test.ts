/** A whole night of four workers with kills, a lost coordinator and a server that crashes; and what a person on call is told of it. */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Running } from '../e2e/support/workspace.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, ownServer } from './harness/own-server.ts';
import { faultRow } from './harness/row.ts';

const WORKERS = 4;
const HOUR_S = 3600;

/** Takes heartbeats and chat messages, as healthchecks and a chat do. */
async function receiver() {
  const told: string[] = [];
  const server = createServer(async (incoming, reply) => {
    let body = '';
    for await (const piece of incoming) body += String(piece);
    const beat = incoming.url?.replace('/beat', '').slice(1) || 'success';
    const [title = ''] =
      incoming.url === '/chat' ? (JSON.parse(body) as { text: string }).text.split('\n') : [`heartbeat: ${beat}`];
    told.push(title.replaceAll('*', ''));
    reply.end();
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    told,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

faultRow(
  {
    number: 52,
    fault: 'a night of four workers: two are killed, then the coordinator, then PostgreSQL crashes',
    how: 'SIGKILL to a worker at a tenth and at a quarter of the records, another one starts on its address; SIGKILL to the coordinator at 40 %, then --resume; PostgreSQL stops as by a power cut at 60 % and is back after 3 s',
    mustHold:
      'the night is complete; no record is lost or doubled; a person on call learns of each end: a missing heartbeat, a failure with its remedy, the recovery',
  },
  async (row) => {
    const records = row.isShort ? 400 : 20_000;
    using server = await ownServer();
    using people = await receiver();
    const { url, told } = people;
    await using fleet = await openFleet({
      url: await databaseOn(server, 'tieout'),
      records,
      batch: row.isShort ? 20 : 200,
      delayMs: row.isShort ? 100 : 40,
      settings: `notify: { heartbeatUrl: "${url}/beat", webhookUrl: "${url}/chat" }\n`,
    });
    const started = performance.now();
    const ends: (number | null)[] = [];
    const working = new Map<number, Running>();
    const isOver = { is: false };
    /** As a unit with `Restart=always` does. */
    const keep = async (n: number): Promise<void> => {
      while (!isOver.is) {
        const worker = fleet.worker(n);
        working.set(n, worker);
        ends.push((await worker.done).code);
      }
    };
    const units = Array.from({ length: WORKERS }, (_, n) => keep(n));
    const reached = (share: number) =>
      eventually(
        `${share * 100} % are stored`,
        HOUR_S,
        async () => (await fleet.observed()) >= share * fleet.ids.length,
      );
    const kill = (n: number) => working.get(n)?.child.kill('SIGKILL');
    const first = fleet.run();
    await reached(0.1);
    kill(0);
    await reached(0.25);
    kill(1);
    await reached(0.4);
    first.child.kill('SIGKILL');
    await first.done;
    const second = fleet.run(['--resume']);
    await reached(0.6);
    server.crash();
    await pause(3000);
    server.startAgain();
    const crashed = await second.done;
    row.measured('records', fleet.ids.length);
    row.measured('coordinator of the crashed server', `exit ${crashed.code}`);
    expect(crashed.code, crashed.err).toBeOneOf([0, 4]);
    const last = crashed.code === 0 ? crashed : await fleet.run(['--resume']).done;
    row.measured('--resume', `exit ${last.code}`);
    expect(last.code, last.err).toBe(0);
    row.measured('duration, s', ((performance.now() - started) / 1000).toFixed(0));
    const { lost, doubled } = await fleet.expectWhole();
    row.measured('records lost', lost);
    row.measured('records doubled', doubled);
    row.measured('records requested twice', fleet.twice());
    row.measured('notices in their order', told.join(' · '));
    // Of the killed coordinator there is a start without an end, by which the heartbeat's own alarm is raised.
    expect(told.filter((each) => each === 'heartbeat: start').length).toBeGreaterThan(1);
    expect(told.at(-1)).toBeDefined();
    isOver.is = true;
    for (const { child } of working.values()) child.kill('SIGTERM');
    await Promise.all(units);
    row.measured('ends of workers', ends.map((code) => code ?? 'killed').join(', '));
    expect(ends.filter((code) => code === null)).toHaveLength(2);
    // 4 where the server was away as it started.
    expect(ends.filter((code) => code !== null && code !== 143 && code !== 4)).toEqual([]);
  },
);

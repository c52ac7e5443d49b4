/**
 * Many machines on one: a coordinator and workers as processes, each worker on a loopback address of its own, over a real
 * PostgreSQL, with the sandbox as the Service. The caller that opens a fleet closes it; processes that still live are ended then.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { openWorkspace, type Running, type Workspace } from '../../e2e/support/workspace.ts';
import { onServer } from '../../store/postgres/database.ts';
import { type Meddling, startProxy } from './proxy.ts';
import { SCENE_DATE, SCENE_NOW, SCENE_SET } from './scene.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

export interface FleetOptions {
  /** Of an empty database, as its processes see it. */
  url: string;
  /** The same past every proxy, for the row's own questions; `url` unless given. */
  directUrl?: string;
  records: number;
  /** Records in one batch. */
  batch: number;
  /** What each answer takes, ms: so that a kill comes in the middle of something. */
  delayMs?: number;
  rateLimits?: string;
  /** Further top-level settings, in YAML. */
  settings?: string;
}

/** One request for a record, as the Service saw it. */
export interface Asked {
  from: string;
  recordId: string;
  /** Of performance.now(). */
  at: number;
}

export type Env = Record<string, string>;

export interface Fleet extends AsyncDisposable {
  place: Workspace;
  ids: readonly string[];
  asked: readonly Asked[];
  /** How the processes that are over have ended, and what they said: why nothing comes. */
  ends: readonly string[];
  /** Requests beyond the first for a record. */
  twice(): number;
  /** The handler of each request for a record; the first one passes it after the delay. */
  meddle: Meddling;
  /** `tieout worker` on the n-th address. */
  worker(n: number, env?: Env): Running;
  /** `tieout run`, for the night of all scenes by default. */
  run(args?: readonly string[], env?: Env): Running;
  sql<T extends object>(text: string): Promise<readonly T[]>;
  /** How many records of the run have their observation. */
  observed(): Promise<number>;
  /** Which of these have none yet. */
  unsaved(ids: readonly string[]): Promise<readonly string[]>;
  /** The set is complete and proves itself; each record stands in it once. */
  expectWhole(): Promise<{ lost: number; doubled: number }>;
}

/** Where the n-th worker sends from. */
export const addressOf = (n: number): string => `127.0.0.${n + 2}`;

export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { url, directUrl = url, records, batch, delayMs = 150, rateLimits = 'off' } = options;
  const sandbox = await createSandbox({
    bodies: 'observed',
    clock: () => SCENE_NOW,
    now: SCENE_NOW,
    records,
    defects: 0,
    rateLimits: 'off',
  });
  const proxy = await startProxy(sandbox.url);
  const asked: Asked[] = [];
  const slowly: Meddling = async (call) => {
    await pause(delayMs);
    await call.pass();
  };
  proxy.meddle = (call) => {
    if (call.recordId === null) return call.pass();
    asked.push({ from: call.socket.remoteAddress ?? '', recordId: call.recordId, at: performance.now() });
    return fleet.meddle(call);
  };
  const service = '  concurrency: 4\n';
  const workers = `workers: { enabled: true, batch: ${batch}, heartbeat: 10s, patience: 1m }\n`;
  const place = openWorkspace(proxy.url, { service, settings: `${workers}logLevel: warn\n${options.settings ?? ''}` });
  place.write('tieout.yaml', place.read('tieout.yaml').replace('rateLimits: off', `rateLimits: ${rateLimits}`));
  const env: Env = { TIEOUT_SECRET_KEY: SECRET_KEY, TIEOUT_DATABASE_URL: url };
  const started: Running[] = [];
  const ends: string[] = [];
  const start = (args: readonly string[], more: Env = {}): Running => {
    const running = place.start(args, { env: { ...env, ...more } });
    started.push(running);
    void running.done.then(({ code, err }) => ends.push(`${args[0]} exit ${code}: ${err}`));
    return running;
  };
  const sql = <T extends object>(text: string) => onServer<T>(directUrl, text);
  const close = async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ done }) => done));
    place.remove();
    await proxy.close();
    await sandbox.close();
  };
  const lines = [...sandbox.trackedLines()];
  const ids = [...new Set(lines.map(({ id }) => id))];
  const stdin = lines.map((line) => JSON.stringify(line)).join('\n');
  const { code, err } = await place.process(['import', '-', '-q'], {
    stdin,
    env: { ...env, TIEOUT_DATABASE_URL: directUrl },
  });
  if (code !== 0) {
    await close();
    throw new Error(`the fleet could not be set up: ${err}`);
  }
  const fleet: Fleet = {
    place,
    ids,
    asked,
    ends,
    twice: () => asked.length - new Set(asked.map(({ recordId }) => recordId)).size,
    meddle: slowly,
    worker: (n, more) => start(['worker', '--egress', `address-${n}`, '--local-address', addressOf(n)], more),
    run: (args = ['--date', SCENE_DATE], more) => start(['run', ...args, '--fail-on', 'none', '-q'], more),
    sql,
    observed: async () => {
      const [row] = await sql<{ n: number }>('select count(*)::int as n from run_items where outcome is not null');
      return row?.n ?? 0;
    },
    unsaved: async (given) => {
      const list = given.map((id) => `'${id}'`).join(', ');
      if (list === '') return [];
      const found = await sql<{ record_id: string }>(
        `select record_id from run_items where outcome is null and record_id in (${list})`,
      );
      return found.map(({ record_id }) => record_id);
    },
    expectWhole: async () => {
      const rows = place.csv(SCENE_SET, 'records').rows.map((row) => row.record_id);
      const lost = ids.filter((id) => !rows.includes(id)).length;
      const doubled = rows.length - new Set(rows).size;
      expect(place.manifest(SCENE_SET)).toMatchObject({ population: ids.length, status: 'complete' });
      expect((await place.process(['verify', 'out'])).code).toBe(0);
      expect({ lost, doubled }).toEqual({ lost: 0, doubled: 0 });
      return { lost, doubled };
    },
    [Symbol.asyncDispose]: close,
  };
  return fleet;
}

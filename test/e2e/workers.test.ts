/**
 * One population through one process over SQLite, and through a coordinator and four workers over PostgreSQL: what finance
 * opens must not depend on the number of machines.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { REPORTS } from '../../reports/index.ts';
import { startWorking } from '../../src/app/worker.ts';
import { makeDatabase, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import type { RecordServer } from '../support/record-server.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { comparable, type Nights, twoNights } from './support/two-nights.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const KEY = { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
const WORKERS = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];

/** Below the deadline of a request: a worker that never asks fails the test, it does not change the reports. */
const ALL_ASK_MS = 15_000;

/**
 * Answers no record before every worker has asked for one. A worker takes two batches at once and looks for new ones every
 * half second: one that looks at the right moment can finish the night before the others look.
 */
function holdUntilAllAsk({ answers, sources }: RecordServer): void {
  const allAsk = async () => {
    const until = performance.now() + ALL_ASK_MS;
    while (!WORKERS.every((each) => sources.includes(each)) && performance.now() < until) await pause(20);
  };
  const hold = allAsk();
  for (const [id, answer] of answers) {
    answers.set(id, (count, url) => ({ ...(typeof answer === 'function' ? answer(count, url) : answer), hold }));
  }
}

describe.skipIf(isSwitchedOff())('four workers over PostgreSQL', () => {
  let database: TestDatabase;
  let alone: Nights;
  let together: Nights;
  const stop = new AbortController();
  const workers: { world: FrozenWorld; working: Promise<void> }[] = [];

  beforeAll(async () => {
    database = await makeDatabase();
    alone = await twoNights({}, KEY);
    const shared = { 'database.url': database.url, 'workers.enabled': 'true', 'workers.batch': '3' };
    together = await twoNights(shared, KEY, {
      onOpen: async (coordinator) => {
        for (const localAddress of WORKERS) {
          const own = { 'service.localAddress': localAddress, 'service.egress': localAddress };
          const world = await openFrozenWorld({ ...shared, ...own, 'service.url': coordinator.server.url }, KEY);
          workers.push({ world, working: startWorking(world.app, stop.signal) });
        }
        holdUntilAllAsk(coordinator.server);
      },
      onClock: (iso) => {
        for (const { world } of workers) world.goTo(iso);
      },
    });
  });
  afterAll(async () => {
    stop.abort();
    await Promise.all(workers.map(({ working }) => working));
    for (const { world } of workers) await world.close();
    await alone?.world.close();
    await together?.world.close();
    await database?.[Symbol.asyncDispose]();
  });

  it.each(['first', 'second'] as const)('publish the bytes of one process in the %s night', (night) => {
    const files = readdirSync(join(alone.world.out, alone[night].folder)).sort();
    expect(files).toHaveLength(REPORTS.length + 2);
    expect(readdirSync(join(together.world.out, together[night].folder)).sort()).toEqual(files);
    for (const name of files) {
      const texts = [alone, together].map((nights) => nights.world.file(nights[night].folder, name).toString());
      const [one, other] = name === 'manifest.json' ? texts.map(comparable) : texts;
      expect(other, name).toBe(one);
    }
  });

  it('ask for each record once in each night, as one process does', () => {
    const asked = ({ world }: Nights) => world.server.requests.map(({ method, path }) => `${method} ${path}`).sort();
    expect(asked(together)).toEqual(asked(alone));
  });

  it('are counted together: the manifests state as many requests as the Service got', () => {
    const stated = (['first', 'second'] as const).map((night) => {
      const manifest = together.world.file(together[night].folder, 'manifest.json').toString();
      return (JSON.parse(manifest) as { requests_sent: number }).requests_sent;
    });
    expect(stated.every((each) => each > 0)).toBe(true);
    const forRecords = together.world.server.requests.filter(({ path }) => /\/(purchase|sale)\//.test(path));
    expect(stated.reduce((sum, each) => sum + each, 0)).toBe(forRecords.length);
  });

  it('all have a part in it', () => {
    const sources = new Set(together.world.server.sources);
    for (const address of WORKERS) expect(sources).toContain(address);
  });
});

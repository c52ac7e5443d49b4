/**
 * The whole application on virtual time before a real server: sockets, database and files are real, and hours of silence
 * pass in seconds. Time stands still while a request is under way and jumps while no task is running.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { loadSettings } from '../../../config/load.ts';
import { nightly } from '../../../jobs/nightly.ts';
import { openApp } from '../../../src/app/app.ts';
import { importTracked } from '../../../src/intake/import.ts';
import { readTrackedFile } from '../../../src/intake/read-tracked-file.ts';
import type { JobResult } from '../../../src/ports/job.ts';
import { RULES } from '../../../src/rules/index.ts';
import { Releasers } from '../../../src/runner/releasers.ts';
import type { SandboxRateLimit } from '../../../src/sandbox/contract.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder } from './folder.ts';
import { type Meddling, startProxy } from './proxy.ts';

/** Virtual milliseconds that pass at once: less than any wait of the program. */
const STEP_MS = 100;

export interface VirtualNight extends AsyncDisposable {
  sandbox: Sandbox;
  /** When each request came to the proxy, in virtual ms since the start. */
  sentAt: readonly number[];
  /** Runs the nightly job, letting as much time pass as it needs. */
  run(): Promise<JobResult>;
}

export interface VirtualNightOptions {
  records: number;
  limits: readonly SandboxRateLimit[];
  seed: number;
  /** The handler of each request; without one it is passed. */
  meddle?: Meddling;
}

export async function openVirtualNight(options: VirtualNightOptions): Promise<VirtualNight> {
  const folder = temporaryFolder();
  const clock = new FakeClock();
  const now = clock.wall.now();
  const sandbox = await createSandbox({
    bodies: 'observed',
    clock: clock.wall.now,
    now,
    records: options.records,
    seed: 7,
    rateLimits: options.limits,
  });
  const proxy = await startProxy(sandbox.url);
  const sentAt: number[] = [];
  proxy.meddle = (call) => {
    sentAt.push(clock.elapsed);
    return options.meddle === undefined ? call.pass() : options.meddle(call);
  };
  const releasers = new Releasers();
  const flags = {
    'service.url': proxy.url,
    'database.url': `sqlite:${join(folder.path, 'tieout.db')}`,
    out: join(folder.path, 'out'),
  };
  const app = await openApp({
    loaded: loadSettings({
      flags: Object.entries(flags).map(([path, value]) => ({ flag: 'row', path: path.split('.'), value })),
      configFile: undefined,
      env: {},
      readFile: () => {
        throw Object.assign(new Error('no settings file'), { code: 'ENOENT' });
      },
      known: { rules: RULES.map(({ code }) => code) },
    }),
    clock,
    releasers,
    random: seededRandom(options.seed),
    signal: new AbortController().signal,
  });
  const lines = [...sandbox.trackedLines()].map((line) => JSON.stringify(line));
  await importTracked(readTrackedFile(bytesOf(lines.join('\n')), { name: 'ids', format: 'ndjson', kind: null }), {
    now: clock.wall.now,
    tracked: app.store.tracked,
  });
  const traffic = watchTraffic();
  return {
    sandbox,
    sentAt,
    run: () =>
      driveClock(
        clock,
        () => traffic.underWay() > 0,
        app.run(nightly, {
          businessDate: null,
          selection: null,
          resume: false,
          maxDurationMs: null,
          maxRequests: null,
        }),
      ),
    [Symbol.asyncDispose]: async () => {
      traffic[Symbol.dispose]();
      await releasers.release();
      await proxy.close();
      await sandbox.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Requests of this process's HTTP client that have begun and not ended. */
function watchTraffic(): Disposable & { underWay: () => number } {
  let count = 0;
  const begin = () => void count++;
  const end = () => void count--;
  const channels = [
    ['undici:request:create', begin],
    ['undici:request:trailers', end],
    ['undici:request:error', end],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  return {
    underWay: () => count,
    [Symbol.dispose]: () => {
      for (const [name, listener] of channels) unsubscribe(name, listener);
    },
  };
}

async function driveClock<T>(clock: FakeClock, isBusy: () => boolean, work: Promise<T>): Promise<T> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  work.then(done, done);
  while (!settled) {
    // Several turns, as what one answer sets off takes more than one to come to the next request.
    for (let turns = 0; turns < 5 && !isBusy(); turns++) await turn();
    if (isBusy()) await pause(1);
    else await clock.advance(STEP_MS);
  }
  return work;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/**
 * What a second address brings, and what the queue costs. Real processes: a coordinator, workers bound to 127.0.0.2 and
 * following, PostgreSQL, and the sandbox counting per source address.
 *
 * 1. Paced: four workers on four addresses against one worker on one, under the same limits per address. The limits are
 *    those of a deployment in a hurry (200 requests in 10 s), so that a minute measures what would take an hour.
 * 2. Limits off, where the machine is the limit: two workers over PostgreSQL against one process over SQLite, and four workers
 *    against one.
 * 3. Four workers against one where the Service is 20 ms away, so that they wait for it and not for the machine.
 * 4. The same two workers over ten times the records: what each process holds in memory at most must not grow with them.
 *
 * `node bench/workers/run.ts [all|paced|free|far|memory] [share of the records=1]`. The rate is of the records between the first
 * request and the last that the sandbox saw.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxRateLimit } from '../../src/sandbox/contract.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { openWorkspace, type Running } from '../../test/e2e/support/workspace.ts';
import { makeDatabase } from '../../test/store/postgres/database.ts';
import { delayingProxy } from '../../test/store/postgres/delaying-proxy.ts';
import { setup } from '../../test/store/postgres/global-setup.ts';
import { type Usage, usageTo } from '../support/child.ts';
import { machine, printTable, publishTable, type Row, round } from '../support/report.ts';

const LIMIT: SandboxRateLimit = { requests: 200, perMs: 10_000 };
const GUARD_MS = 200;
/** As another town, or a Service that takes its time. */
const FAR_MS = 20;
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

interface Measured {
  what: string;
  records: number;
  perSecond: number;
  requests: number;
  exceeded: boolean;
  exitCode: number | null;
  /** Most that the process of the run held at once, and the largest worker; null where there is none. */
  runMb: number;
  workerMb: number | null;
}

interface Trial {
  what: string;
  records: number;
  /** 0: one process over SQLite. */
  workers: number;
  paced: boolean;
  /** How far away the Service is, ms until its answer arrives; the machine it shares by default. */
  distanceMs?: number;
}

async function measure({ what, records, workers, paced, distanceMs = 0 }: Trial): Promise<Measured> {
  const rateLimits = paced ? [LIMIT] : 'off';
  const sandbox = await createSandbox({ clock: () => Date.now(), records, rateLimits });
  const limits = paced ? `[{ requests: ${LIMIT.requests}, per: ${LIMIT.perMs}ms }]` : 'off';
  await using database = await makeDatabase();
  await using far = distanceMs > 0 ? await delayingProxy(sandbox.url, distanceMs) : null;
  const workspace = openWorkspace(far?.url ?? sandbox.url, {
    settings: `workers: { enabled: ${workers > 0}, batch: ${paced ? 50 : 200}, patience: 1m }\n`,
  });
  // What the workspace sets for quick tests is set again: the last line of a flag wins over the file.
  const config = workspace
    .read('tieout.yaml')
    .replace('rateLimits: off', `rateLimits: ${limits}`)
    .replace('guard: 0s', `guard: ${GUARD_MS}ms`)
    .replace('retries: 1', 'retries: 1\n  concurrency: 16');
  workspace.write('tieout.yaml', config);
  const env: Record<string, string> = {
    TIEOUT_SECRET_KEY: SECRET_KEY,
    ...(workers > 0 ? { TIEOUT_DATABASE_URL: database.url } : {}),
  };
  const working: Running[] = [];
  try {
    workspace.write('ids.csv', await (await fetch(`${sandbox.origin}/sandbox/tracked?format=csv`)).text());
    await workspace.process(['import', 'ids.csv', '-q'], { env });
    for (let n = 0; n < workers; n++) {
      const own = ['--egress', `address-${n}`, '--local-address', `127.0.0.${n + 2}`];
      working.push(
        workspace.start(['worker', ...own], { env: { ...env, ...usageTo(workspace.path(`worker-${n}.json`)) } }),
      );
    }
    await pause(workers > 0 ? 4_000 : 0);
    const run = workspace.start(['run', '-q'], { env: { ...env, ...usageTo(workspace.path('run.json')) } });
    const seen = await watch(records, () => sandbox.stats().requests, run);
    const { code } = await run.done;
    const stats = sandbox.stats();
    for (const { child } of working) child.kill('SIGTERM');
    await Promise.all(working.map(({ done }) => done));
    const peakMb = (name: string) => (JSON.parse(workspace.read(name)) as Usage).peakMb;
    return {
      what,
      records,
      perSecond: (seen.requests / seen.ms) * 1000,
      requests: stats.requests,
      exceeded: stats.rejected > 0 || stats.limits.some(({ maxSeen, requests }) => maxSeen > requests),
      exitCode: code,
      runMb: peakMb('run.json'),
      workerMb: workers === 0 ? null : Math.max(...working.map((_, n) => peakMb(`worker-${n}.json`))),
    };
  } finally {
    for (const { child } of working) child.kill('SIGTERM');
    await Promise.all(working.map(({ done }) => done));
    await sandbox.close();
    workspace.remove();
  }
}

/** From the first request to the last of the records. */
async function watch(records: number, requests: () => number, run: Running): Promise<{ requests: number; ms: number }> {
  let ended = false;
  void run.done.then(() => {
    ended = true;
  });
  while (requests() === 0 && !ended) await pause(5);
  const began = performance.now();
  while (requests() < records && !ended) await pause(5);
  return { requests: requests(), ms: performance.now() - began };
}

const down = setup();
try {
  const [which = 'all', share = '1'] = process.argv.slice(2);
  const of = (records: number) => Math.round(records * Number(share));
  console.log(machine());
  const rows: (Measured & { ratio: number })[] = [];
  const pair = async (base: Trial, other: Trial) => {
    const first = await measure(base);
    const second = await measure(other);
    rows.push({ ...first, ratio: 1 }, { ...second, ratio: second.perSecond / first.perSecond });
  };
  if (which === 'all' || which === 'paced') {
    await pair(
      { what: 'paced, 1 worker', records: of(600), workers: 1, paced: true },
      { what: 'paced, 4 workers', records: of(2_400), workers: 4, paced: true },
    );
  }
  if (which === 'all' || which === 'free') {
    await pair(
      { what: 'limits off, 1 process, SQLite', records: of(80_000), workers: 0, paced: false },
      { what: 'limits off, 2 workers, PostgreSQL', records: of(80_000), workers: 2, paced: false },
    );
    await pair(
      { what: 'limits off, 1 worker, PostgreSQL', records: of(80_000), workers: 1, paced: false },
      { what: 'limits off, 4 workers, PostgreSQL', records: of(80_000), workers: 4, paced: false },
    );
  }
  if (which === 'all' || which === 'far') {
    const far = { paced: false, distanceMs: FAR_MS };
    await pair(
      { what: `limits off, Service ${FAR_MS} ms away, 1 worker`, records: of(20_000), workers: 1, ...far },
      { what: `limits off, Service ${FAR_MS} ms away, 4 workers`, records: of(80_000), workers: 4, ...far },
    );
  }
  if (which === 'all' || which === 'memory') {
    await pair(
      { what: 'limits off, 2 workers, PostgreSQL', records: of(10_000), workers: 2, paced: false },
      { what: 'ten times the records', records: of(100_000), workers: 2, paced: false },
    );
  }
  const table: Row[] = rows.map(
    ({ what, records, perSecond, ratio, requests, exceeded, exitCode, runMb, workerMb }) => ({
      what,
      records,
      'records/s': round(perSecond),
      ratio: round(ratio, 2),
      requests,
      'limit exceeded': exceeded ? 'YES' : 'no',
      'exit code': exitCode ?? 'none',
      'run MB': round(runMb, 0),
      'worker MB': workerMb === null ? '' : round(workerMb, 0),
    }),
  );
  // The document has all parts or none.
  if (which === 'all') publishTable('workers', table);
  else printTable(table);
} finally {
  down();
}

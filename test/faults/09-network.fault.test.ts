/** Network failures and attackers in the middle. */
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { expect } from 'vitest';
import type { Workspace } from '../e2e/support/workspace.ts';
import { selfSigned } from '../service/self-signed.ts';
import { listenLocally } from '../support/listen-locally.ts';
import type { Meddling } from './harness/proxy.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openScene, SCENE_DATE, SCENE_SET } from './harness/scene.ts';
import * as trouble from './harness/troubles.ts';

const TIMEOUT_MS = 1_500;
const RETRIES = 2;

/** What must be said of a record: outcome and reason in coverage.csv, and how often it was asked for. */
interface Case {
  fault: string;
  meddle: Meddling;
  expected: readonly [outcome: string, reason: string, attempts: number];
}

const ALL = RETRIES + 1;

function cases(elsewhere: string): Case[] {
  const { atFirst } = trouble;
  return [
    { fault: 'reset mid-body', meddle: trouble.resetMidBody, expected: ['unreachable', 'NETWORK', ALL] },
    { fault: 'reset once', meddle: atFirst(1, trouble.resetMidBody), expected: ['verified', '', 2] },
    {
      fault: 'shorter than announced',
      meddle: trouble.shorterThanAnnounced,
      expected: ['unreachable', 'NETWORK', ALL],
    },
    { fault: 'chunks without an end', meddle: trouble.unfinishedChunks, expected: ['unreachable', 'NETWORK', ALL] },
    {
      fault: 'half a body in whole chunks',
      meddle: trouble.halfTextInWholeChunks,
      expected: ['unreachable', 'NETWORK', ALL],
    },
    { fault: 'a byte every 100 ms', meddle: trouble.drip, expected: ['unreachable', 'TIMEOUT', ALL] },
    { fault: 'silence', meddle: trouble.silence, expected: ['unreachable', 'TIMEOUT', ALL] },
    { fault: 'HTML with 200', meddle: trouble.page, expected: ['unreachable', 'NOT_JSON', 2] },
    { fault: 'another content type', meddle: trouble.wrongType, expected: ['unreachable', 'NOT_JSON', 2] },
    { fault: '100 MB announced', meddle: trouble.hugeAnnounced, expected: ['quarantined', 'BODY_TOO_LARGE', 1] },
    { fault: '100 MB unannounced', meddle: trouble.hugeChunked, expected: ['quarantined', 'BODY_TOO_LARGE', 1] },
    { fault: 'gzip bomb', meddle: trouble.gzipBomb, expected: ['quarantined', 'BODY_TOO_LARGE', 1] },
    { fault: '302 to another host', meddle: trouble.redirectTo(elsewhere), expected: ['quarantined', 'REDIRECTED', 1] },
    { fault: '503 for ever', meddle: trouble.failing(503), expected: ['unreachable', 'SERVER_ERROR', ALL] },
    { fault: '502, 502, then an answer', meddle: atFirst(2, trouble.failing(502)), expected: ['verified', '', 3] },
  ];
}

faultRow(
  {
    number: 9,
    fault:
      'network fault in a single answer, or in all of them: DNS failure, refusal, reset, truncated JSON, drip, self-signed TLS, HTML with 200, wrong type, 100 MB, gzip bomb, 302, 5xx',
    how: 'a proxy on loopback injects each fault at the socket into one record of a run; faults of every request have runs of their own',
    mustHold:
      'each record gets the specified outcome, never matched; the deadline is kept; memory is bounded; the secret is sent nowhere else',
  },
  async (row) => {
    await oneByOne(row);
    await noServerThere(row);
  },
);

async function oneByOne(row: Row): Promise<void> {
  const received: string[] = [];
  await using other = await listening(
    createServer((request, response) => {
      received.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }),
  );
  await using scene = await openScene({
    records: 120,
    defects: 0,
    service: { timeout: `${TIMEOUT_MS}ms`, retries: String(RETRIES) },
  });
  const { place, proxy, ids } = scene;
  const calm = scene.another();
  const usual = await peakOf(calm, ['run', '--date', SCENE_DATE]);
  const plan = new Map(cases(other.origin).map((each, n) => [ids[n * 3] ?? '', each]));
  let overshoot = 0;
  proxy.meddle = (call) => {
    const { meddle, expected } = plan.get(call.recordId ?? '') ?? {};
    if (meddle === undefined) return call.pass();
    const at = performance.now();
    // A client that gives up at the deadline closes the connection; other connections stay open.
    if (expected?.[1] === 'TIMEOUT')
      call.socket.once('close', () => {
        overshoot = Math.max(overshoot, performance.now() - at - TIMEOUT_MS);
      });
    return meddle({ ...call, count: proxy.count(call.recordId ?? '') - COUNTED_CALMLY });
  };
  const faulty = await peakOf(place, ['run', '--date', SCENE_DATE]);
  // Something due was not verified.
  expect(faulty.code, faulty.err).toBe(3);
  const coverage = new Map(place.csv(SCENE_SET, 'coverage').rows.map((each) => [each.record_id, each]));
  const found = [...plan].map(([id, { fault }]) => {
    const line = coverage.get(id);
    return [fault, line?.outcome, line?.reason, Number(line?.attempts)];
  });
  expect(found).toEqual([...plan.values()].map(({ fault, expected }) => [fault, ...expected]));
  const wrong = place.csv(SCENE_SET, 'records').rows.filter(({ record_id = '', verdict }) => {
    const outcome = plan.get(record_id)?.expected[0];
    return outcome !== undefined && outcome !== 'verified' && verdict === 'matched';
  });
  row.measured('faults', plan.size);
  row.measured('false matches', wrong.length);
  row.measured('secrets received elsewhere', received.length);
  row.measured('deadline overshoot, ms', Math.max(0, Math.round(overshoot)));
  row.measured('peak memory, MB', `${faulty.peakMb} (calm run ${usual.peakMb})`);
  expect(wrong).toEqual([]);
  expect(received).toEqual([]);
  expect(overshoot).toBeLessThan(1_000);
  expect(faulty.peakMb - usual.peakMb).toBeLessThan(64);
  expect(await place.process(['verify', 'out'])).toMatchObject({ code: 0 });
}

/** The calm run asked for each record once through the same proxy. */
const COUNTED_CALMLY = 1;

async function noServerThere(row: Row): Promise<void> {
  await using scene = await openScene({ records: 30, service: { timeout: '2s', retries: '1' } });
  const { place } = scene;
  const { key, cert } = selfSigned();
  let throughTls = 0;
  await using tls = await listening(
    createTlsServer({ key, cert }, (_, response) => {
      throughTls++;
      response.end();
    }),
  );
  const closed = await listening(createServer());
  await closed[Symbol.asyncDispose]();
  const outages = [
    ['DNS failure', 'https://no-such-host.invalid/api'],
    ['refused', `${closed.origin}/api`],
    ['self-signed TLS', `${tls.origin.replace('http:', 'https:').replace('127.0.0.1', 'localhost')}/api`],
  ] as const;
  for (const [name, url] of outages) {
    scene.configure({ url });
    const { code, err } = await place.process(['run', '--date', SCENE_DATE]);
    expect(code, `${name}: ${err}`).toBe(4);
    expect(() => statSync(place.path('out', SCENE_DATE)), name).toThrow('ENOENT');
  }
  row.measured('outages of every request that exit 4', outages.length);
  row.measured('requests over untrusted TLS', throughTls);
  expect(throughTls).toBe(0);
  scene.configure();
  expect((await place.process(['run', '--date', SCENE_DATE])).code).toBe(1);
}

async function listening(server: Server): Promise<AsyncDisposable & { origin: string }> {
  const port = await listenLocally(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** Runs a command and returns the largest resident set of its process. */
async function peakOf(
  place: Workspace,
  args: readonly string[],
): Promise<{ code: number | null; err: string; peakMb: number }> {
  const hook = new URL('../../bench/support/usage-at-exit.ts', import.meta.url).href;
  const env = { NODE_OPTIONS: `--import ${hook}`, TIEOUT_BENCH_USAGE: place.path('usage.json') };
  const { code, err } = await place.process(args, { env });
  const { peakMb } = JSON.parse(readFileSync(place.path('usage.json'), 'utf8')) as { peakMb: number };
  return { code, err, peakMb: Math.round(peakMb) };
}

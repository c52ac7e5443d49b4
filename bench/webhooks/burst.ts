/**
 * A burst of webhooks while a nightly run goes on in another process on the same SQLite file: three processes as in
 * production (`tieout serve`, `tieout run nightly`, and here the Service). Every acknowledged delivery must be there.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Agent, request } from 'undici';
import { createSandbox } from '../../src/sandbox/sandbox.ts';

export interface BurstOptions {
  deliveries: number;
  /** They are sent evenly over this time. */
  seconds: number;
  /** What the night has to fetch, at most so many a second. */
  records: number;
  nightPerSecond: number;
  /** Kills the receiver with SIGKILL after this share of the deliveries. */
  killAfter?: number;
}

export interface BurstResult {
  sent: number;
  /** Answered with 200. */
  acknowledged: number;
  /** Answered with something else, or not at all. */
  refused: number;
  /** Acknowledged, and not in the database afterwards. */
  lost: number;
  /** Deliveries in the database more than once. */
  doubled: number;
  /** Answers by status, or by what the connection ended with. */
  answers: Readonly<Record<string, number>>;
  seconds: number;
  latencyMs: { median: number; p99: number; worst: number };
  /** Deliveries acknowledged before the night ended. */
  duringNight: number;
  night: { exitCode: number | null; state: string; verified: number };
  serveExitCode: number | null;
  /** Processor time of the receiver, start included; null where the system does not report it. */
  serveCpuSeconds: number | null;
}

interface Files {
  folder: string;
  config: string;
  database: string;
}

export async function burst(options: BurstOptions): Promise<BurstResult> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-burst-'));
  const sandbox = await createSandbox({ clock: Date.now, records: options.records, rateLimits: 'off' });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const ids = join(folder, 'ids.csv');
  const files = writeConfig(folder, sandbox.url, ids, options);
  const env = {
    ...process.env,
    TIEOUT_WEBHOOK_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    TIEOUT_SECRET_KEY: randomBytes(32).toString('base64'),
  };
  const children: ChildProcess[] = [];
  const start = (...words: string[]) => {
    const child = spawn(process.execPath, ['src/cli/tieout.js', ...words, '--config', files.config], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  };
  try {
    writeFileSync(ids, await (await fetch(`${sandbox.origin}/sandbox/tracked?format=csv`)).text());
    const serve = start('serve', '--json', '-q');
    const url = await listening(serve);
    const night = start('run', 'nightly', '--json', '-q');
    const nightEnd = ended(night);
    let nightEndedAt = Number.POSITIVE_INFINITY;
    void nightEnd.then(() => {
      nightEndedAt = performance.now();
    });
    await nightUnderWay(files.database);
    const answers = await sendAll(url, privateKey, options, serve);
    const serveCpuSeconds = cpuSecondsOf(serve.pid);
    const serveEnd = ended(serve);
    serve.kill('SIGTERM');
    const exitCodes = { serve: await serveEnd, night: await nightEnd };
    return { ...summary(files.database, answers, exitCodes, nightEndedAt), serveCpuSeconds };
  } finally {
    for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeConfig(folder: string, serviceUrl: string, ids: string, { nightPerSecond }: BurstOptions): Files {
  const config = join(folder, 'tieout.yaml');
  const database = join(folder, 'tieout.db');
  writeFileSync(
    config,
    `service: { url: "${serviceUrl}", guard: 0s, rateLimits: [{ requests: ${nightPerSecond}, per: 1s }] }
database: { url: "sqlite:${database}" }
out: ${join(folder, 'out')}
sources: [{ name: ids, type: file, path: "${ids}" }]
webhooks: { port: 0 }
logLevel: error
`,
  );
  return { folder, config, database };
}

async function ended(child: ChildProcess): Promise<number | null> {
  child.stdout?.resume();
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

async function listening(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    const url = /"url": *"([^"]+)"/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the receiver ended before it listened');
}

/** The burst must meet a run that writes, not one that is still loading. */
async function nightUnderWay(database: string): Promise<void> {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const db = new Database(database, { readonly: true });
    const row = db.prepare('select observed from runs order by run_key desc').get() as { observed: number } | undefined;
    db.close();
    if (row !== undefined && row.observed > 0) return;
    await pause(50);
  }
  throw new Error('the night did not begin');
}

/** Deliveries under way at once. */
const CONNECTIONS = 100;

interface Sent {
  id: string;
  /** Or what the connection ended with instead. */
  status: number | string;
  at: number;
  tookMs: number;
}

async function sendAll(url: string, key: KeyObject, options: BurstOptions, serve: ChildProcess): Promise<Sent[]> {
  const { deliveries, seconds, killAfter } = options;
  const bodies = Array.from({ length: deliveries }, (_, index) => signedDelivery(index, key));
  // A sender keeps its connections; a delivery beyond them waits at the sender, and that wait is counted.
  const agent = new Agent({ connections: CONNECTIONS, headersTimeout: 120_000 });
  const begin = performance.now();
  const answers: Promise<Sent>[] = [];
  for (const [index, { id, body, signature }] of bodies.entries()) {
    const due = begin + (index * seconds * 1000) / deliveries;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    if (killAfter !== undefined && index === Math.floor(deliveries * killAfter)) {
      // On a busy machine none may be answered yet, and a kill before the first answer shows nothing.
      await Promise.race(answers);
      serve.kill('SIGKILL');
    }
    answers.push(deliver(agent, url, id, body, signature));
  }
  const all = await Promise.all(answers);
  await agent.close();
  return all;
}

async function deliver(agent: Agent, url: string, id: string, body: string, signature: string): Promise<Sent> {
  const begin = performance.now();
  const headers = { 'content-type': 'application/json', 'x-body-signature': signature };
  const path = `${url}/webhooks/purchases?userId=${id}`;
  const status = await request(path, { method: 'POST', headers, body, dispatcher: agent }).then(
    async (response) => {
      await response.body.text();
      return response.statusCode;
    },
    (error: unknown) => causeOf(error),
  );
  const at = performance.now();
  return { id, status, at, tookMs: at - begin };
}

/** Written in the order in which it is signed, so that signing needs no code but JSON.stringify. */
function signedDelivery(index: number, key: KeyObject): { id: string; body: string; signature: string } {
  const id = `burst${String(index).padStart(10, '0')}`;
  const body = JSON.stringify({
    purchase: {
      appliedFee: 4.76,
      asset: { address: null, chain: 'ETH', decimals: 18, name: 'Ether', symbol: 'ETH_ETH', type: 'NATIVE' },
      assetExchangeRate: 2500,
      assetExchangeRateEur: 2500,
      baseServiceFee: 3.9,
      createdAt: '2026-11-01T10:00:00.000Z',
      cryptoAmount: '40000000000000000',
      endTime: '2026-11-04T10:00:00.000Z',
      fiatCurrency: 'EUR',
      fiatValue: 104.76,
      id,
      networkFee: 0.86,
      paymentMethodType: 'CARD_PAYMENT',
      purchaseViewToken: `token${id}`,
      receiverAddress: '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c',
      status: 'INITIALIZED',
      updatedAt: '2026-11-01T10:00:01.000Z',
    },
    type: 'CREATED',
  });
  return { id, body, signature: sign('sha256', Buffer.from(body), key).toString('base64') };
}

function summary(
  database: string,
  answers: readonly Sent[],
  exitCodes: { serve: number | null; night: number | null },
  nightEndedAt: number,
): Omit<BurstResult, 'serveCpuSeconds'> {
  const db = new Database(database, { readonly: true });
  const stored = db
    .prepare(
      'select record_id, count(*) as n from tracked_records join deliveries using (record_key) group by record_id',
    )
    .all() as { record_id: string; n: number }[];
  const run = db.prepare('select state, observed from runs order by run_key desc').get() as {
    state: string;
    observed: number;
  };
  db.close();
  const ids = new Set(stored.map(({ record_id }) => record_id));
  const taken = answers.filter(({ status }) => status === 200);
  const times = taken.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const quantile = (share: number) =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  const first = Math.min(...answers.map(({ at, tookMs }) => at - tookMs));
  return {
    sent: answers.length,
    acknowledged: taken.length,
    refused: answers.length - taken.length,
    lost: taken.filter(({ id }) => !ids.has(id)).length,
    doubled: stored.filter(({ n }) => n > 1).length,
    answers: countsOf(answers.map(({ status }) => String(status))),
    seconds: (Math.max(...answers.map(({ at }) => at)) - first) / 1000,
    latencyMs: { median: quantile(0.5), p99: quantile(0.99), worst: quantile(1) },
    duringNight: taken.filter(({ at }) => at < nightEndedAt).length,
    night: { exitCode: exitCodes.night, state: run.state, verified: run.observed },
    serveExitCode: exitCodes.serve,
  };
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** User and system time in clock ticks of 10 ms (fields 14 and 15 of /proc/PID/stat). */
function cpuSecondsOf(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user = '0', system = '0'] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number.parseInt(user, 10) + Number.parseInt(system, 10)) / 100;
  } catch {
    return null;
  }
}

function causeOf(error: unknown): string {
  return (error instanceof Error && (error as NodeJS.ErrnoException).code) || 'no answer';
}

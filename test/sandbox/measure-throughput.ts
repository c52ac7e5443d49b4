/**
 * Measures, and asserts nothing: `node test/sandbox/measure-throughput.ts [records] [seconds]`. The sandbox runs in a
 * process of its own with 300,000 records; this one asks it for single records over 64 connections and reports requests
 * a second, the CPU that the sandbox used for them, and its resident memory.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { NOW } from './a-sandbox.ts';

const CONNECTIONS = 64;

interface Ready {
  origin: string;
  paths: string[];
}

interface Usage {
  cpuMs: number;
  rssMb: number;
}

async function serve(records: number): Promise<void> {
  const sandbox = await createSandbox({ clock: () => NOW, now: NOW, records, defects: 0.03, rateLimits: 'off' });
  const paths: string[] = [];
  const step = Math.max(1, Math.floor(records / 5000));
  let index = 0;
  for (const { kind, id, view_token } of sandbox.trackedLines()) {
    const path = kind === 'purchase' ? 'purchase' : 'offramp/sale';
    if (index++ % step === 0) paths.push(`/api/host-api/${path}/${id}?secret=${view_token}`);
  }
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage().rss / 1e6 } satisfies Usage);
  });
  process.on('disconnect', () => void sandbox.close());
  process.send?.({ origin: sandbox.origin, paths } satisfies Ready);
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

async function measure(records: number, seconds: number): Promise<void> {
  const child = fork(import.meta.filename, ['serve', String(records)]);
  const [{ origin, paths }] = (await once(child, 'message')) as [Ready];
  const pool = new Pool(origin, { connections: CONNECTIONS });
  let done = 0;
  const run = async (ms: number): Promise<void> => {
    const end = performance.now() + ms;
    const worker = async (offset: number): Promise<void> => {
      for (let i = offset; performance.now() < end; i += CONNECTIONS) {
        const { body } = await pool.request({ path: paths[i % paths.length] ?? '/', method: 'GET' });
        await body.dump();
        done++;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, offset) => worker(offset)));
  };
  await run(1000);
  done = 0;
  const before = await usageOf(child);
  const start = performance.now();
  await run(seconds * 1000);
  const elapsed = performance.now() - start;
  const after = await usageOf(child);
  const cpuMs = after.cpuMs - before.cpuMs;
  console.log(
    `${records} records: ${Math.round((done / elapsed) * 1000)} GET/s, ` +
      `${Math.round((done / cpuMs) * 1000)} GET per CPU second of the sandbox, ${Math.round(after.rssMb)} MB resident`,
  );
  await pool.close();
  child.disconnect();
}

const [, , first = '300000', second = '5'] = process.argv;
if (first === 'serve') await serve(Number(second));
else await measure(Number(first), Number(second));

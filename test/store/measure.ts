/**
 * Measures the store on generated records: `node test/store/measure.ts [records=300000] [folder | postgres://…]`. Not a
 * test: prints microseconds per record for importing, saving and reading cases, and the most memory that reading them
 * took. A PostgreSQL database must be an empty one.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fence, NewRun, Store } from '../../src/ports/store/store.ts';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { DUE_POLICY } from '../support/due-rule.ts';
import { idOf, kindOf, lineOf, quoteOf, START, verifiedItem } from './support/population.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const DATE = '2026-11-20';
const RUN: NewRun = {
  job: 'nightly',
  businessDate: DATE,
  selection: { type: 'due' },
  timezone: 'UTC',
  startedAt: START,
  asOf: START,
  terms: '{}',
  rulesHash: 'r',
  configHash: 'c',
  codeVersion: '0',
  sources: [],
};

async function timed(name: string, records: number, work: () => Promise<void>): Promise<void> {
  const from = process.hrtime.bigint();
  const cpuFrom = process.cpuUsage();
  await work();
  const micros = Number((process.hrtime.bigint() - from) / 1_000n);
  const { user, system } = process.cpuUsage(cpuFrom);
  const each = (total: number): string => (total / records).toFixed(1).padStart(8);
  console.log(
    `${name.padEnd(24)} ${each(micros)} µs per record (processor ${each(user + system).trim()}), ${(micros / 1e6).toFixed(1)} s`,
  );
}

async function inBatches(
  records: number,
  size: number,
  work: (from: number, to: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < records; from += size) await work(from, Math.min(records, from + size));
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

async function fetchAll(
  store: Store,
  runId: string,
  fence: Fence,
  numbers: ReadonlyMap<string, number>,
): Promise<{ micros: number; processor: number }> {
  let position = 0;
  let micros = 0;
  let processor = 0;
  for (;;) {
    const page = await store.items.next(runId, position, 300);
    const last = page.at(-1);
    if (last === undefined) return { micros, processor };
    const batch = page.map((item) => {
      const n = numbers.get(`${item.kind} ${item.id}`);
      if (n === undefined) throw new Error(`unplanned ${item.id}`);
      return verifiedItem(n, item.recordKey, START + item.position, DATE);
    });
    // Making the batch is the measurement's own work, and not counted.
    const from = process.hrtime.bigint();
    const cpuFrom = process.cpuUsage();
    await store.items.save(runId, fence, batch);
    const { user, system } = process.cpuUsage(cpuFrom);
    processor += user + system;
    micros += Number((process.hrtime.bigint() - from) / 1_000n);
    position = last.position;
  }
}

async function build(url: string, records: number): Promise<void> {
  const { store } = await openStore({ url, sealer: createSealer([KEY]) });
  await timed('tracked.add', records, () =>
    inBatches(records, 1_000, async (from, to) => {
      await store.tracked.add(range(from, to).map(lineOf), 'import', START);
    }),
  );
  await timed('quotes.add', records, () =>
    inBatches(records, 1_000, async (from, to) => {
      await store.quotes.add(range(from, to).map(quoteOf), START);
    }),
  );
  const lease = await store.leases.acquire('nightly', 'measure', START, 3_600_000);
  if (!('fence' in lease)) throw new Error('no lease');
  const { fence } = lease;
  const run = await store.runs.create(RUN, fence);
  const scope = {
    job: 'nightly',
    businessDate: DATE,
    selection: RUN.selection,
    policy: DUE_POLICY,
    createdFrom: null,
    createdTo: null,
  };
  await timed('items.plan', records, async () => void (await store.items.plan(run.runId, fence, scope)));
  const numbers = new Map(range(0, records).map((n) => [`${kindOf(n)} ${idOf(n)}`, n]));
  const { micros, processor } = await fetchAll(store, run.runId, fence, numbers);
  const saved = `${(micros / records).toFixed(1).padStart(8)} µs per record (processor ${(processor / records).toFixed(1)})`;
  console.log(`${'items.save'.padEnd(24)} ${saved}`);
  await timed('runs.startJudging', records, async () => void (await store.runs.startJudging(run.runId, fence, 'late')));
  await store.close();
  if (!url.startsWith('sqlite:')) return;
  const bytes = statSync(url.slice('sqlite:'.length)).size / records;
  console.log(`${'file'.padEnd(24)} ${bytes.toFixed(0).padStart(8)} bytes per record`);
}

/** From the kernel: `resourceUsage` would count the parent that this process was forked from. */
function peakMegabytes(): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

async function scan(url: string, records: number): Promise<void> {
  const { store } = await openStore({ url, sealer: null });
  const run = await store.runs.get(`nightly-${DATE}-r1`);
  if (run === null) throw new Error('no run');
  for (const page of [1_000, 2_000]) {
    let seen = 0;
    await timed(`items.cases (${page})`, records, async () => {
      let after: Parameters<Store['items']['cases']>[1] = null;
      for (;;) {
        const cases = await store.items.cases(run, after, page);
        const last = cases.at(-1);
        if (last === undefined) break;
        seen += cases.length;
        after = { kind: last.kind, recordId: last.recordId };
      }
    });
    if (seen !== records) throw new Error(`${seen} cases of ${records}`);
  }
  console.log(`${'peak memory'.padEnd(24)} ${peakMegabytes().toFixed(0).padStart(8)} MB while reading cases`);
  await store.close();
}

async function measure(url: string, records: number): Promise<void> {
  await build(url, records);
  // In a process of its own, so that its memory is its own.
  spawnSync(process.execPath, [import.meta.filename, String(records), 'scan', url], { stdio: 'inherit' });
}

const records = Number(process.argv[2] ?? 300_000);
const place = process.argv[3] ?? tmpdir();
if (place === 'scan') await scan(String(process.argv[4]), records);
else if (/^postgres(ql)?:/.test(place)) await measure(place, records);
else {
  const folder = mkdtempSync(join(place, 'tieout-measure-'));
  try {
    await measure(`sqlite:${join(folder, 'tieout.db')}`, records);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

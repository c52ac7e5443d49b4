/**
 * Makes what the replay benchmark reads: a database with one finished run over N records and their quotes, written through
 * the store as any run writes it, and the same figures as the two CSV files that the peer reads.
 * Run by run.ts: `node bench/replay/generate.ts N FOLDER`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings } from '../../config/load.ts';
import { termsOf } from '../../src/app/app.ts';
import { CODE_VERSION } from '../../src/app/version.ts';
import type { Run } from '../../src/domain/run.ts';
import type { QuoteAnswer } from '../../src/ports/service.ts';
import type { Fence, Store, TrackedInput } from '../../src/ports/store/store.ts';
import { advance } from '../../src/reconcile/advance.ts';
import { judge } from '../../src/reconcile/judge.ts';
import { thawRun } from '../../src/reconcile/run-book.ts';
import { planScope } from '../../src/reconcile/select.ts';
import { emptyTally, tallyPage } from '../../src/reconcile/tally.ts';
import { createRuleSet } from '../../src/rules/rule-set.ts';
import { freezeTerms, termsHash, thawTerms } from '../../src/rules/terms.ts';
import { keyFileBeside } from '../../src/store/database-url.ts';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { readOrMakeKeyFile } from '../../src/store/sealing-key.ts';
import { DUE_POLICY } from '../../test/support/due-rule.ts';
import { bodyOf, quoteOf, stateOf } from './facts.ts';
import { type BenchRecord, benchRecord } from './population.ts';
import { RecordsCsv } from './records-csv.ts';

const BUSINESS_DATE = '2026-11-20';
const NIGHT = Date.UTC(2026, 10, 21, 4, 15);
const DAY = 86_400_000;
const PAGE = 2000;

function* pages(total: number): Generator<BenchRecord[]> {
  for (let from = 0; from < total; from += PAGE) {
    const size = Math.min(PAGE, total - from);
    yield Array.from({ length: size }, (_, i) => benchRecord(from + i, total));
  }
}

function trackedOf(record: BenchRecord): TrackedInput {
  return {
    kind: 'purchase',
    id: record.id,
    token: `t${record.id}`.padEnd(16, '0'),
    createdAt: record.createdAt,
    hostReference: null,
    quoteId: record.linkedTo,
    expectedStatus: null,
  };
}

function quoteInput(record: BenchRecord): QuoteAnswer {
  const { chain, symbol, currency, quotedFiat } = record;
  return {
    quote: quoteOf(record),
    request: `{"cryptoAssetSymbol":"${chain}_${symbol}","fiatCurrency":"${currency}","fiatValue":${quotedFiat}}`,
    response: '{}',
  };
}

async function importAll(store: Store, total: number, folder: string): Promise<void> {
  using csv = new RecordsCsv(folder);
  for (const page of pages(total)) {
    await store.quotes.add(page.map(quoteInput), NIGHT - DAY);
    await store.tracked.add(page.map(trackedOf), 'import', NIGHT - DAY);
    for (const record of page) csv.write(record);
  }
}

async function startRun(store: Store, fence: Fence): Promise<Run> {
  const loaded = loadSettings({
    flags: [],
    configFile: undefined,
    env: {},
    readFile: () => {
      throw Object.assign(new Error('a benchmark reads no settings file'), { code: 'ENOENT' });
    },
    known: { rules: createRuleSet().rules.map(({ rule }) => rule.code) },
  });
  const terms = freezeTerms(termsOf(loaded.settings));
  return store.runs.create(
    {
      job: 'nightly',
      businessDate: BUSINESS_DATE,
      selection: { type: 'due' },
      timezone: 'UTC',
      startedAt: NIGHT,
      asOf: Date.UTC(2026, 10, 21),
      terms,
      rulesHash: termsHash(terms),
      configHash: termsHash(terms),
      codeVersion: CODE_VERSION,
      sources: [],
    },
    fence,
  );
}

/** What the fetch would have learned, saved as the fetch saves it. */
async function observeAll(store: Store, run: Run, fence: Fence, total: number): Promise<void> {
  const { statuses } = thawTerms(run.terms);
  for (let after = 0; ; ) {
    const items = await store.items.next(run.runId, after, PAGE);
    const last = items.at(-1);
    if (last === undefined) return;
    const batch = items.map((item) => {
      const record = benchRecord(Number.parseInt(item.id.slice(1), 36), total);
      const state = stateOf(record);
      const evidence = bodyOf(record);
      return {
        recordKey: item.recordKey,
        attempts: 1,
        observed: {
          outcome: 'verified' as const,
          state,
          sha256: createHash('sha256').update(evidence).digest('hex'),
          evidence,
          at: NIGHT,
          httpStatus: 200,
          ...advance(item.projection, state, statuses, NIGHT, BUSINESS_DATE),
        },
      };
    });
    await store.items.save(run.runId, fence, batch);
    after = last.position;
  }
}

async function judgeAll(store: Store, run: Run, fence: Fence): Promise<void> {
  const judged = await store.runs.startJudging(run.runId, fence, 'not reached');
  const tally = emptyTally();
  for await (const page of judge(thawRun(judged), store)) {
    tallyPage(tally, page);
    const events = page.records.flatMap(({ recordKey, events }) => events.map((event) => ({ ...event, recordKey })));
    if (events.length > 0) await store.breaks.stage(run.runId, fence, events);
  }
  await store.runs.settle(run.runId, fence, { verdicts: tally.verdicts, finishedAt: NIGHT + DAY / 24 });
  await store.runs.finish(run.runId, fence, 'complete', null);
  console.log(JSON.stringify({ runId: run.runId, population: tally.population, rules: [...tally.rules] }));
}

const [total = '1000000', folder = 'var/bench'] = process.argv.slice(2);
const count = Number(total);
mkdirSync(folder, { recursive: true });
const file = join(folder, 'tieout.db');
const sealer = createSealer([readOrMakeKeyFile(keyFileBeside(file)).key]);
const { store } = await openStore({ url: `sqlite:${file}`, sealer });
const lease = await store.leases.acquire('nightly', 'bench', NIGHT, DAY);
if (!('fence' in lease)) throw new Error('the database of the benchmark is in use');
await importAll(store, count, folder);
const run = await startRun(store, lease.fence);
await store.items.plan(run.runId, lease.fence, planScope(run, DUE_POLICY));
await observeAll(store, run, lease.fence, count);
await judgeAll(store, run, lease.fence);
await store.leases.release(lease.fence);
await store.close();

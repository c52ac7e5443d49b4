/**
 * What is due among millions of records over PostgreSQL: how long the query takes, whether it only reads
 * (`tieout plan`) or its answer is written down as a run's items, and what the process needs for it.
 *
 * The records are as they are after some years: most have ended long ago and been looked at for the last time, one in a
 * hundred is due tonight. `node bench/due/run.ts [records]`; 5,000,000 by default.
 */

import type { PlanScope } from '../../src/ports/store/store.ts';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { makeDatabase, onServer } from '../../test/store/postgres/database.ts';
import { setup } from '../../test/store/postgres/global-setup.ts';
import { DUE_POLICY } from '../../test/support/due-rule.ts';
import { machine, publishTable, round } from '../support/report.ts';

/** 2026-11-20 as a day number; what has ended did so years before it. */
const TONIGHT = 20_777;
const DATE = '2026-11-20';

/** Of 1,000 records: 990 have ended and are done with, 5 are under way, 3 ended yesterday, 2 were never verified. */
const makeRecords = (records: number): string => `
  insert into tracked_records (kind, record_id, origin, tracked_at, key_id, token, token_fingerprint, status,
    last_verified_at, last_verified_day, terminal_day, body_created_at)
  select case when n % 4 = 0 then 'sale' else 'purchase' end, left(md5(n::text), 15), 'import', n, 'key',
    decode(md5(n::text) || md5(n::text), 'hex'), decode(md5(n::text), 'hex'),
    case when n % 1000 < 998 then case when n % 1000 < 993 then 'RELEASED' else 'FIAT_SENT' end end,
    case when n % 1000 < 998 then 1000000 + n end,
    case when n % 1000 < 998 then case when n % 1000 < 990 then ${TONIGHT} - 400 - n % 900 else ${TONIGHT} - 1 end end,
    case when n % 1000 < 990 then ${TONIGHT} - 440 - n % 900 when n % 1000 < 993 then ${TONIGHT} - 1 end, 1000000 + n
  from generate_series(1, ${records}) as n`;

/** One record in five hundred has an open break. */
const makeBreaks = (records: number): readonly string[] => [
  `insert into breaks (break_id, record_key, kind, record_id, rule, field, state, first_seen_day, events, last_event_key)
   select md5(n::text) || md5(n::text), n * 500, t.kind, t.record_id, 'STATUS_STUCK', 'status', 'open', ${TONIGHT} - 5, 1, n
   from generate_series(1, ${records} / 500) as n join tracked_records as t on t.record_key = n * 500 order by n`,
  `insert into runs (run_id, job, business_day, revision, state, selection, timezone, started_at, as_of, terms, rules_hash,
     config_hash, code_version, requests_sent, planned, population, observed)
   values ('nightly-2026-11-15-r1', 'nightly', ${TONIGHT} - 5, 1, 'complete', '{"type":"due"}', 'UTC', 1, 1, '{}', 'r', 'c', 'v', 0,
     1, 0, 0)`,
  `insert into break_events (break_key, run_key, type, at, who, severity, state, first_seen_day, last_seen_day, times_reopened,
     explanation)
   select break_key, 1, 'opened', 1, 'tieout', 'high', 'open', ${TONIGHT} - 5, ${TONIGHT} - 1, 0, 'why' from breaks order by break_key`,
];

const [records = '5000000'] = process.argv.slice(2);
const down = setup();
try {
  await using database = await makeDatabase();
  const { store } = await openStore({
    url: database.url,
    sealer: createSealer([Buffer.alloc(32, 7).toString('base64')]),
  });
  console.log(machine());
  await onServer(database.url, makeRecords(Number(records)), ...makeBreaks(Number(records)));
  for (const table of ['tracked_records', 'breaks', 'break_events'])
    await onServer(database.url, `vacuum analyze ${table}`);
  const scope: PlanScope = {
    job: 'nightly',
    businessDate: DATE,
    selection: { type: 'due' },
    policy: DUE_POLICY,
    createdFrom: null,
    createdTo: null,
  };
  const rows: { what: string; seconds: number; records: number; 'memory MB': number }[] = [];
  const timed = async (what: string, work: () => Promise<number>) => {
    const began = performance.now();
    const found = await work();
    const seconds = round((performance.now() - began) / 1000, 2);
    rows.push({ what, seconds, records: found, 'memory MB': round(process.memoryUsage.rss() / 2 ** 20, 0) });
  };
  const preview = async () => Object.values(await store.items.preview(scope)).reduce((sum, each) => sum + each, 0);
  await timed('plan, first time', preview);
  await timed('plan, again', preview);
  const now = Date.parse('2026-11-21T04:15:00Z');
  const lease = await store.leases.acquire('nightly', 'bench', now, 3_600_000);
  if (!('fence' in lease)) throw new Error('the lease is held');
  const run = await store.runs.create(
    {
      job: 'nightly',
      businessDate: DATE,
      selection: { type: 'due' },
      timezone: 'UTC',
      startedAt: now,
      asOf: now,
      terms: '{}',
      rulesHash: 'r',
      configHash: 'c',
      codeVersion: 'v',
      sources: [],
    },
    lease.fence,
  );
  await timed('due selection, items written', () => store.items.plan(run.runId, lease.fence, scope));
  publishTable('due', rows);
  await store.close();
} finally {
  down();
}

/**
 * Moves the items of old runs to a file of lines (NDJSON) from which they can be judged again. The file has every row
 * that judging one of these runs reads, the evidence of its records, and the whole history of the breaks that were of
 * account then, without view tokens. Later runs that saw one of these breaks are in it as rows of `runs` alone. Runs,
 * breaks and their events stay in the database, and of each record the items that its month is closed from.
 */
import { createHash } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BusinessDate, Instant } from '../domain/record.ts';
import { encode, FORMAT } from './archive-file.ts';
import { type Cell, dayOf, type Row } from './cells.ts';
import { type Condition, pagesOf } from './copy.ts';
import type { Engine } from './engine.ts';
import { IS_WORKED_ON } from './prune.ts';
import { referenceInUse } from './reference-in-use.ts';
import { changeSealed } from './row-seals.ts';
import { deleteRows } from './rows.ts';
import { TABLE_NAMES, TABLES, type TableName } from './schema/tables.ts';
import { requireCurrentSchema, VERSION } from './schema/upgrade.ts';
import { requireKeysOf } from './sealing-key.ts';
import { findRows } from './statements.ts';

/** Sealed, and of no use to judging: they never leave the database. */
const BLANK: readonly string[] = ['token', 'token_fingerprint'];

export interface ArchivedRun {
  runKey: number;
  runId: string;
  items: number;
}

/** Judged runs with a business date before this one that have items. */
export async function archivableRuns(engine: Engine, before: BusinessDate): Promise<readonly ArchivedRun[]> {
  // A run that was aborted before it was judged cannot be judged from a file either.
  const isJudged = sql`business_day < ${dayOf(before)} and state in ('complete', 'incomplete', 'aborted')
    and archived_at is null and finished_at is not null`;
  const rows = await findRows(engine.db, 'runs', isJudged, ['run_key', 'run_id', 'population'], 'run_key');
  return rows.map(({ run_key: runKey, run_id: runId, population }) => ({ runKey, runId, items: population }));
}

/** Rows by the key of what they belong to. As a subquery it would be answered again for each page. */
interface Members {
  column: 'record_key' | 'content_key' | 'break_key';
  keys: ReadonlySet<number>;
}

type Rule = Members | Condition;

const isMembers = (rule: Rule): rule is Members => 'keys' in rule;
const isOf = ({ keys }: Members, key: Cell | undefined) => typeof key === 'number' && keys.has(key);

/** Rows of a table whose key is one column. */
async function* membersOf(
  engine: Engine,
  table: TableName,
  columns: readonly string[],
  members: Members,
): AsyncGenerator<readonly Row[]> {
  const [key = ''] = TABLES[table].key;
  for await (const page of pagesOf(engine, table, [...new Set([key, members.column])])) {
    const wanted = page.flatMap((row) => (isOf(members, row.at(-1)) ? [Number(row[0])] : []));
    if (wanted.length > 0) yield* pagesOf(engine, table, columns, sql`${engine.inList(key, wanted)}`);
  }
}

/** The rows of the file, by table, one condition after the other; other tables are left out. */
async function conditions(
  engine: Engine,
  runs: readonly ArchivedRun[],
): Promise<Partial<Record<TableName, readonly Rule[]>>> {
  const keys = sql.join(runs.map(({ runKey }) => sql.lit(runKey)));
  const ofRuns = sql`run_key in (${keys})`;
  const marks = await engine.db
    .selectFrom('runs')
    .select(({ fn }) => [
      fn.min('break_watermark').as('first'),
      fn.max('break_watermark').as('last'),
      fn.max('quote_watermark').as('quote'),
      fn.max('reference_watermark').as('reference'),
    ])
    .where(sql<SqlBool>`${ofRuns}`)
    .executeTakeFirstOrThrow();
  const ofRecords = sql`record_key in (select record_key from run_items where ${ofRuns})`;
  const all = sql`1 = 1`;
  // Besides the breaks of the records: what stood on others, which every report counts, and what was on no record.
  const breaks = sql`(record_key is null or ${ofRecords} or exists (
    select 1 from break_events as e where e.break_key = breaks.break_key and e.event_key > ${marks.first ?? 0}
      and e.event_key <= ${marks.last ?? 0}) or 'resolved' <> (
    select e.state from break_events as e where e.break_key = breaks.break_key and e.event_key <= ${marks.first ?? 0}
    order by e.event_key desc limit 1))`;
  const claimed = sql`break_id in (select break_id from breaks where ${breaks})`;
  const ofClaims = sql`claim_key in (select claim_key from claim_items where ${claimed})`;
  const readKeys = (query: RawBuilder<unknown>, read: (row: Row) => void) =>
    engine.each({ compile: () => query.compile(engine.db) }, read);
  const [records, broken, content] = [new Set<number>(), new Set<number>(), new Set<number>()];
  await readKeys(sql`select distinct record_key from run_items where ${ofRuns}`, ([key]) => records.add(Number(key)));
  const inRuns = { column: 'record_key', keys: records } as const;
  const tracked = { column: 'record_key', keys: new Set(records) } as const;
  const ofBreaks = { column: 'break_key', keys: broken } as const;
  await readKeys(sql`select break_key, record_key from breaks where ${breaks}`, ([key, record]) => {
    broken.add(Number(key));
    if (record !== null) tracked.keys.add(Number(record));
  });
  for await (const page of pagesOf(engine, 'contents', ['content_key', 'record_key']))
    for (const [key, record] of page) if (isOf(inRuns, record)) content.add(Number(key));
  // A capture of each hour around the records of the runs, not of all times.
  const judged = { items: sql`i.run_key in (${keys})`, runs: sql`r.run_key in (${keys})` };
  const { captures, contents } = await referenceInUse(engine, judged, marks.reference ?? 0);
  const ofLists = [sql`${engine.inList('content_key', [...contents])}`];
  const ofQuotes = [sql`quote_key <= ${marks.quote ?? 0}`];
  // With the key given, a page begins where the last one ended; with a list of keys all earlier rows would be read again.
  const eachRun = runs.map(({ runKey }) => ({ run_key: runKey }));
  return {
    tracked_records: [tracked],
    contents: [inRuns],
    bodies: [{ column: 'content_key', keys: content }],
    snapshots: [inRuns],
    sealed_bodies: [inRuns],
    quotes: ofQuotes,
    quote_methods: ofQuotes,
    quote_bodies: ofQuotes,
    reference_contents: ofLists,
    reference_captures: [sql`${engine.inList('capture_key', [...captures])}`],
    reference_assets: ofLists,
    reference_methods: ofLists,
    runs: [
      sql`(${ofRuns} or run_key in (select run_key from break_events where break_key in (
      select break_key from breaks where ${breaks})))`,
    ],
    run_items: eachRun,
    status_changes: eachRun,
    breaks: [ofBreaks],
    break_events: [ofBreaks],
    doubted_runs: [ofRuns],
    claims: [ofClaims],
    claim_items: [claimed],
    claim_events: [ofClaims],
    chain_sightings: [all],
    chain_answers: [all],
    delivery_claims: [all],
    payouts: [all],
    run_revenue: [ofRuns],
  };
}

/** The lines of an archive, without their newlines. Finished runs do not change, so no lock is held while they are read. */
export async function* archiveLines(engine: Engine, runs: readonly ArchivedRun[]): AsyncGenerator<string> {
  await requireCurrentSchema(engine);
  const known = await engine.tables();
  const read = await conditions(engine, runs);
  const tables = TABLE_NAMES.filter((table) => read[table] !== undefined);
  const hash = createHash('sha256');
  let rows = 0;
  const hashed = (line: string): string => {
    hash.update(`${line}\n`);
    return line;
  };
  const written = Object.fromEntries(tables.map((table) => [table, known.get(table) ?? []]));
  yield hashed(
    JSON.stringify({ format: FORMAT, schema: VERSION, runs: runs.map(({ runId }) => runId), columns: written }),
  );
  for (const table of tables) {
    const names = written[table] ?? [];
    for (const rule of read[table] ?? []) {
      const pages = isMembers(rule) ? membersOf(engine, table, names, rule) : pagesOf(engine, table, names, rule);
      for await (const page of pages) {
        for (const row of page) {
          const cells = row.map((cell, at) =>
            BLANK.includes(names[at] ?? '') ? encode(new Uint8Array()) : encode(cell),
          );
          rows++;
          yield hashed(JSON.stringify([table, cells]));
        }
      }
    }
  }
  yield JSON.stringify({ rows, sha256: hash.digest('hex') });
}

/**
 * Items that stay: of records with an unresolved break, which they explain; the last one of each record, from which its month is closed;
 * and those that a closed month was stated from, because its sets are made from them again.
 */
const STAYS = sql`(record_key in (select b.record_key from breaks as b where ${IS_WORKED_ON})
  or snapshot_key = (select t.last_snapshot from tracked_records as t where t.record_key = run_items.record_key)
  or exists (select 1 from period_records as p where p.record_key = run_items.record_key
    and (p.look_run = run_items.run_key or p.verified_run = run_items.run_key)))`;

/**
 * Deletes the items of runs that are in a file, and marks the runs first: one that is interrupted here can be judged
 * from the file alone. Continues where it stopped when it is called again. What stays of a run gets a seal of its own.
 */
export async function forgetItems(engine: Engine, runs: readonly ArchivedRun[], now: Instant): Promise<number> {
  await requireKeysOf(engine, engine.sealer);
  for (const { runKey } of runs) {
    await engine.write(({ db }) =>
      db.updateTable('runs').set({ archived_at: now }).where('run_key', '=', runKey).execute(),
    );
  }
  let deleted = 0;
  const marked = await findRows(engine.db, 'runs', sql`archived_at is not null`, ['run_key']);
  for (const { run_key: runKey } of marked) {
    // At once, because the seal is over all that stays.
    deleted += await engine.write(async (tx) => {
      await deleteRows(tx, 'row_seals', { name: `items ${runKey}` });
      const items = sql`delete from run_items where run_key = ${runKey} and not coalesce(${STAYS}, false)`;
      const { numAffectedRows } = await changeSealed(tx, `kept ${runKey}`, () => items.execute(tx.db), true);
      return Number(numAffectedRows ?? 0n);
    });
  }
  return deleted;
}

/**
 * The schema's version: a new database is made from the declarations, and one of an earlier version that landed is brought up to them
 * in one step. Tables, columns and indexes that it lacks are made from the declarations as well, so only what changes rows or
 * definitions is written here, by the version that it came with.
 */

import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  DatabaseUnavailableError,
  SchemaBetweenVersionsError,
  SchemaNewerError,
  SchemaOutdatedError,
} from '../../ports/store/errors.ts';
import type { ColumnTypes } from '../column-types.ts';
import type { Engine, WriteTransaction } from '../engine.ts';
import { queueCells, wordsOf } from './queue-order.ts';
import { TABLE_NAMES, TABLES, type TableName, type Tables } from './tables.ts';

/** The name that a database of this version has in `kysely_migration`, where each version has always been recorded. */
export const VERSION = '0051-odd-steps';

/** Versions that landed, by their last name and the number of their names: they had one for each change. */
export const LANDED = new Map([
  ['0007-due-candidates', 7],
  ['0026-contents-by-record', 23],
  ['0038-sealed-rows', 28],
  ['0041-seals-of-evidence', 31],
  ['0043-figures-of-captures', 33],
  ['0044-sums-of-rows', 34],
  ['0045-one-schema', 1],
  ['0046-returns-and-reviews', 1],
  ['0047-claimed-parts', 1],
  ['0048-words-of-sales', 1],
  ['0049-other-names', 1],
  ['0050-sealed-days', 1],
]);

interface SchemaState {
  applied: readonly string[];
  pending: readonly string[];
}

const versionNames = async (db: Kysely<Tables>): Promise<readonly string[]> => {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
};

function stateOf(engine: Engine, applied: readonly string[]): SchemaState {
  const newer = applied.filter((name) => name > VERSION);
  if (newer.length > 0) throw new SchemaNewerError(engine.location, newer);
  const last = applied.at(-1);
  if (last === VERSION) return { applied, pending: [] };
  if (last !== undefined && LANDED.get(last) !== applied.length)
    throw new SchemaBetweenVersionsError(engine.location, last);
  return { applied, pending: [VERSION] };
}

/** @throws SchemaNewerError, SchemaBetweenVersionsError, DatabaseUnavailableError */
export async function schemaState(engine: Engine): Promise<SchemaState> {
  const tables = await engine.tables();
  if (tables.size === 0) return stateOf(engine, []);
  // The database has tables, but none of Tieout: it belongs to another program.
  if (!tables.has('kysely_migration')) throw new DatabaseUnavailableError(engine.location, 'foreign');
  return stateOf(engine, await versionNames(engine.db));
}

/** @throws SchemaOutdatedError, SchemaNewerError, SchemaBetweenVersionsError, DatabaseUnavailableError */
export async function requireCurrentSchema(engine: Engine): Promise<void> {
  const { pending } = await schemaState(engine);
  if (pending.length > 0) throw new SchemaOutdatedError(engine.location, pending);
  // Where another schema is searched first, some tables would be of one and the rest of the other.
  const tables = await engine.tables();
  if (TABLE_NAMES.some((name) => !tables.has(name))) throw new DatabaseUnavailableError(engine.location, 'incomplete');
}

/**
 * Makes the tables of a new database, or upgrades those of an earlier version, in one transaction; returns the name of the version
 * where anything was done. Safe for concurrent processes: the second one finds nothing pending.
 * @throws SchemaNewerError, SchemaBetweenVersionsError, DatabaseUnavailableError
 */
export async function migrate(engine: Engine): Promise<readonly string[]> {
  if ((await schemaState(engine)).pending.length === 0) return [];
  // Another process that changes them meanwhile leaves nothing pending.
  const known = await engine.tables();
  return engine.write(async (tx) => {
    await sql`create table if not exists kysely_migration (
      name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(tx.db);
    const { applied, pending } = stateOf(engine, await versionNames(tx.db));
    if (pending.length === 0) return [];
    const from = applied.at(-1);
    if (from !== undefined) await changeDefinitions(engine, tx, from);
    await addMissing(engine, tx, known, from);
    await changeRows(tx, from ?? VERSION);
    await sql`delete from kysely_migration`.execute(tx.db);
    await sql`insert into kysely_migration (name, timestamp)
      values (${VERSION}, cast(current_timestamp as varchar(255)))`.execute(tx.db);
    return [VERSION];
  });
}

/** What `alter table … add column` cannot do. */
async function changeDefinitions({ types }: Engine, { db }: WriteTransaction, from: string): Promise<void> {
  if (from < '0017') {
    await types.makeNullable(db, 'breaks', 'record_key');
    await types.makeNullable(db, 'staged_break_events', 'record_key');
  }
  if (from < '0026') await types.reorderUnique(db, 'contents', ['sha256', 'record_key'], ['record_key', 'sha256']);
  // Of another definition today.
  for (const index of ['quotes_captured', 'tracked_records_looks', 'breaks_state', 'breaks_by_state'])
    await sql`drop index if exists ${sql.ref(index)}`.execute(db);
}

type Statement = RawBuilder<unknown>;

/** The definition of a column, as `create table` and `alter table` have it. */
function columnDefinition(t: ColumnTypes, table: TableName, name: string): Statement {
  const column = TABLES[table].columns[name];
  if (column === undefined) throw new RangeError(`table ${table} has no column ${name}`);
  return sql`${sql.ref(name)} ${t[column.is.type]} ${sql.raw(column.is.constraint)}`;
}

/** Of a column that the database computes; null where the table has none. */
function computedDefinition(t: ColumnTypes, table: TableName): Statement | null {
  const { computed } = TABLES[table];
  if (computed === undefined) return null;
  return sql`${sql.ref(computed.column)} ${t.integer} generated always as (${sql.raw(computed.as)}) ${t.computed}`;
}

/** The table without its indexes. */
function tableStatement(t: ColumnTypes, table: TableName): Statement {
  const { columns, key, isGenerated, unique = [], check, clustered } = TABLES[table];
  const list = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  const definitions = [
    ...Object.keys(columns).map((name) => columnDefinition(t, table, name)),
    computedDefinition(t, table),
    isGenerated ? null : sql`primary key (${list(key)})`,
    ...unique.map((names) => sql`unique (${list(names)})`),
    check === undefined ? null : sql`check (${sql.raw(check)})`,
  ].filter((each) => each !== null);
  return sql`create table ${sql.table(table)} (${sql.join(definitions)}) ${clustered === true ? t.clustered : t.end}`;
}

function indexSql(table: TableName): readonly Statement[] {
  return (TABLES[table].indexes ?? []).map((index) => {
    const [name = ''] = index.split(' ');
    return sql`create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(index.slice(name.length))}`;
  });
}

/** @param from undefined: a new database */
async function addMissing(
  { types, words }: Engine,
  { db }: WriteTransaction,
  known: ReadonlyMap<string, readonly string[]>,
  from: string | undefined,
): Promise<void> {
  for (const table of TABLE_NAMES) {
    const columns = known.get(table);
    if (columns === undefined) await tableStatement(types, table).execute(db);
    else {
      const missing = Object.keys(TABLES[table].columns).filter((name) => !columns.includes(name));
      const computed = from !== undefined && from < '0018' ? computedDefinition(types, table) : null;
      for (const definition of [...missing.map((name) => columnDefinition(types, table, name)), computed])
        if (definition !== null) await sql`alter table ${sql.table(table)} add column ${definition}`.execute(db);
    }
    const { storage } = TABLES[table];
    if (storage !== undefined) await types.storage(table, storage)?.execute(db);
    for (const statement of indexSql(table)) await statement.execute(db);
  }
  if (known.has('break_words')) return;
  for (const statement of words.make) await statement.execute(db);
  await words.add(wordsOf(sql`b.last_event_key > 0`)).execute(db);
}

const QUEUE = queueCells('e');

/** What changed rows, by the name that the change had. */
const CHANGES: readonly (readonly [name: string, ...statements: Statement[]])[] = [
  [
    '0008',
    // Breaks that no later run judges stay in the sums of money; differences of rates leave these sums.
    sql`update break_events set unit = case
        when breaks.field like '%rate%' then 'rate' when breaks.field = 'crypto_amount' then 'crypto' else 'money' end
      from breaks where breaks.break_key = break_events.break_key and break_events.difference is not null`,
  ],
  [
    '0013',
    // A body that named no chain was stored with its symbol as the chain. A token's contract proves that wrong; of a v1
    // quote's asset the contract was not kept.
    sql`update contents set asset_chain = '' where asset_chain = asset_symbol and asset_address is not null`,
    sql`update quotes set asset_chain = '' where api = 'v1' and asset_chain = asset_symbol`,
  ],
  // Existing rows have no seal; later rows must have one.
  ['0019', markSince('since', 'break_events', 'event_key')],
  [
    '0020',
    sql`update breaks set created_at = coalesce(t.told_created_at, t.body_created_at)
      from tracked_records as t where t.record_key = breaks.record_key`,
  ],
  [
    '0038',
    markSince('statements since', 'period_statements', 'statement_key'),
    // Rows that are here already are sealed as they are by the first process that has the key.
    sql`insert into row_seals (name) select 'rows older than seals'
      where exists (select 1 from tracked_records) or exists (select 1 from quotes) or exists (select 1 from access_acts)
        or exists (select 1 from payouts)`,
    sql`delete from row_seals where name like 'review %'`,
  ],
  [
    '0039',
    sql`update breaks set severity_rank = s.severity_rank, stake_key = s.stake_key, queue_key = s.queue_key,
        currency = s.currency, is_led = case when s.leading_break_id <> breaks.break_id then 1 else 0 end
      from (select e.event_key, e.leading_break_id, coalesce(e.record_currency, e.currency) as currency,
          ${QUEUE.severityRank} as severity_rank, ${QUEUE.stakeKey} as stake_key, ${QUEUE.queueKey} as queue_key
        from break_events as e) as s
      where s.event_key = breaks.last_event_key`,
  ],
  [
    '0041',
    ...['chain_sightings', 'delivery_claims', 'run_revenue'].map(
      (table) => sql`insert into row_seals (name) select ${sql.lit(`rows older than seals of ${table}`)}
        where exists (select 1 from ${sql.table(table)})`,
    ),
  ],
  [
    '0044',
    sql`insert into row_seals (name) select 'rows older than seals of sums'
      where exists (select 1 from tracked_records) or exists (select 1 from reference_captures)`,
    // More columns of runs and of their records are under the seal now: the seals of before would not hold.
    sql`delete from row_seals where name like 'ran %' or name like 'items %' or name = 'runs since'`,
    markSince('runs since', 'runs', 'run_key'),
  ],
  [
    '0050',
    sql`insert into row_seals (name) select 'rows older than seals of days' where exists (select 1 from tracked_records)`,
  ],
];

function markSince(name: string, table: string, key: string): Statement {
  const newest = sql`max(${sql.ref(key)})`;
  return sql`insert into row_seals (name, upto)
    select ${sql.lit(name)}, ${newest} from ${sql.table(table)} having ${newest} is not null`;
}

/** @param from the name of the version, landed or not, that the rows are of */
export async function changeRows({ db }: WriteTransaction, from: string): Promise<void> {
  for (const [name, ...statements] of CHANGES)
    if (from < name) for (const statement of statements) await statement.execute(db);
}

/** Finds rows behind reports that were changed outside Tieout. */
import { sql } from 'kysely';
import type { RowCheck } from '../ports/store/store.ts';
import { checkSealedRows } from './check-sealed-rows.ts';
import { checkDigest } from './content-digest.ts';
import { columnsOf } from './copy.ts';
import type { Engine } from './engine.ts';
import { checkSeals } from './row-seals.ts';
import { STATE_COLUMNS, stateRow } from './schema/state.ts';
import { TABLE_NAMES, TABLES } from './schema/tables.ts';

const PAGE = 1000;
/** The most problems listed by name; the others are counted. */
const MOST_NAMED = 20;

export async function checkRows(engine: Engine): Promise<RowCheck> {
  const missing = await missingIn(engine);
  // Nothing else could be read.
  if (missing.length > 0) return { checked: 0, unchecked: 0, problems: missing };
  const actors = await engine.actors();
  const contents = await checkContents(engine);
  const problems = [
    ...actors.map((actor) => `${actor}: was made by other means than Tieout, and may change rows as they are written`),
    ...(await checkDecisions(engine)),
    ...(await checkSeals(engine)),
    ...(await sealedRowProblems(engine)),
  ];
  return { ...contents, problems: [...contents.problems, ...problems] };
}

async function missingIn(engine: Engine): Promise<readonly string[]> {
  const found = await columnsOf(engine);
  const tables = await engine.tableNames();
  return TABLE_NAMES.flatMap((table) => {
    if (!tables.includes(table)) return [`${table}: is missing, or no table`];
    const missing = Object.keys(TABLES[table].columns).filter((column) => found.get(table)?.includes(column) !== true);
    return missing.map((column) => `${table}: column ${column} is missing`);
  });
}

async function sealedRowProblems(engine: Engine): Promise<readonly string[]> {
  const problems = await checkSealedRows(engine);
  const more = problems.length - MOST_NAMED;
  return more <= 0 ? problems : [...problems.slice(0, MOST_NAMED), `and ${more} more like these`];
}

/** Compares the figures of each body with their digest. */
async function checkContents(engine: Engine): Promise<RowCheck> {
  const { sealer } = engine;
  const problems: string[] = [];
  let [checked, unchecked, changed] = [0, 0, 0];
  for (let after = 0; ; ) {
    const rows = await engine.db
      .selectFrom('contents as c')
      .innerJoin('tracked_records as t', 't.record_key', 'c.record_key')
      .select(['c.content_key', 'c.sha256', 'c.record_key', 'c.digest', 't.kind', 't.record_id'])
      .select(STATE_COLUMNS.map((column) => `c.${column}` as const))
      .where('c.content_key', '>', after)
      .orderBy('c.content_key')
      .limit(PAGE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.content_key;
    for (const row of rows) {
      const found = checkDigest(sealer, row.digest, row.sha256, row.record_key, stateRow(row));
      if (found === 'unknown') unchecked++;
      else checked++;
      if (found !== 'changed') continue;
      changed++;
      if (changed <= MOST_NAMED)
        problems.push(`contents: ${row.kind} ${row.record_id}: the figures of body ${row.sha256} were changed`);
    }
  }
  // Whoever changes figures could take their digest away, or name a key that never was.
  if (unchecked > 0 && sealer !== null)
    problems.push(
      `contents: ${unchecked} bodies have no digest under a key that is here: nothing proves their figures`,
    );
  if (changed > MOST_NAMED) problems.push(`contents: and ${changed - MOST_NAMED} more`);
  return { checked, unchecked, problems };
}

/** Compares each break with the last event of its history. */
async function checkDecisions(engine: Engine): Promise<readonly string[]> {
  const { rows } = await sql<{ break_id: string; why: string }>`
    select b.break_id, 'its state is not that of its last event' as why from breaks as b
    left join break_events as e on e.event_key = b.last_event_key
    where e.event_key is null or e.break_key <> b.break_key or e.state <> b.state or e.first_seen_day <> b.first_seen_day
      or coalesce(e.assignee, '') <> coalesce(b.assignee, '') or coalesce(e.money_moved, '') <> coalesce(b.money_moved, '')
      or coalesce(e.record_status, '') <> coalesce(b.record_status, '')
    union all
    select b.break_id, 'events were added to its history or taken out of it' as why from breaks as b
    where (b.events, b.last_event_key) not in (
      select count(*), max(e.event_key) from break_events as e where e.break_key = b.break_key)
    limit ${sql.lit(MOST_NAMED)}`.execute(engine.db);
  return rows.map(({ break_id, why }) => `breaks: ${break_id}: ${why}`);
}

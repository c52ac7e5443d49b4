/** Maintenance of a database with any schema version: migrations, status, backup, retention, key rotation, and the search for changes of other hands. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { CLOCKS_DIFFER_MS } from '../domain/plausible-date.ts';
import type { RowCheck, Upkeep } from '../ports/store/store.ts';
import { counted } from '../text/counts.ts';
import { dayOf } from './cells.ts';
import { adoptRows, checkSealedRows } from './check-sealed-rows.ts';
import { checkDigest, contentsOf } from './content-digest.ts';
import type { Engine } from './engine.ts';
import { prune } from './prune.ts';
import { changedCaptures } from './quotes.ts';
import { reseal } from './reseal.ts';
import { checkSeals, firstOf, MOST_NAMED } from './row-seals.ts';
import { COUNTED_TABLES, TABLE_NAMES, TABLES } from './schema/tables.ts';
import { migrate, schemaState } from './schema/upgrade.ts';
import { hasOlderRows } from './sealed-rows.ts';
import { checkValues } from './sealed-values.ts';
import { requireSealer } from './sealing.ts';
import { requireKeysInUse, requireKeysOf, sealingKeysInUse } from './sealing-key.ts';
import { countRows, findRow, findRows } from './statements.ts';
import { changeSummedPages } from './summed-rows.ts';

/** @param stored queries of an embedded database never yield to the event loop: without a turn for each page, no signal is handled */
export async function checkRows(stored: Engine, signal?: AbortSignal): Promise<RowCheck> {
  const turn = async () => {
    await nextTurn();
    signal?.throwIfAborted();
  };
  const engine: Engine = { ...stored, rows: (query) => turn().then(() => stored.rows(query)) };
  const missing = await missingIn(engine);
  // Nothing else could be read.
  if (missing.length > 0) return { checked: 0, unchecked: 0, problems: missing };
  const actors = await engine.actors();
  const contents = await checkContents(engine);
  const problems = [
    ...actors.map((actor) => `${actor}: was made by other means than Tieout, and may change rows as they are written`),
    ...(await checkDecisions(engine)),
    ...(await checkSeals(engine)),
    ...firstOf(await checkSealedRows(engine)),
    ...firstOf(await checkValues(engine, turn)),
    ...firstOf((await changedCaptures(engine)).map((id) => `quote_bodies: quote ${id}: was changed or deleted`)),
  ];
  return { ...contents, problems: [...contents.problems, ...problems] };
}

async function missingIn(engine: Engine): Promise<readonly string[]> {
  const tables = await engine.tables();
  return TABLE_NAMES.flatMap((table) => {
    const found = tables.get(table);
    if (found === undefined) return [`${table}: is missing, or no table`];
    const missing = Object.keys(TABLES[table].columns).filter((column) => !found.includes(column));
    return missing.map((column) => `${table}: column ${column} is missing`);
  });
}

/** Compares the figures of each body with their digest. */
async function checkContents(engine: Engine): Promise<RowCheck> {
  const { sealer } = engine;
  const problems: string[] = [];
  let [checked, unchecked, changed] = [0, 0, 0];
  for await (const page of contentsOf(engine)) {
    for (const { digest, ...content } of page) {
      const found = checkDigest(sealer, digest, content);
      if (found === 'unknown') unchecked++;
      else checked++;
      if (found !== 'changed') continue;
      changed++;
      if (changed > MOST_NAMED) continue;
      const record = await findRow(engine.db, 'tracked_records', { record_key: content.recordKey }, [
        'kind',
        'record_id',
      ]);
      problems.push(
        `contents: ${record?.kind} ${record?.record_id}: the figures of body ${content.sha256} were changed`,
      );
    }
  }
  // An edit by SQL can remove the digest as well, or name a key that does not exist.
  if (unchecked > 0 && sealer !== null)
    problems.push(
      `contents: ${counted(unchecked, 'body has', 'bodies have')} no digest under a key that is here: nothing proves their figures`,
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
      or e.assignee is distinct from b.assignee or e.money_moved is distinct from b.money_moved
      or e.record_status is distinct from b.record_status
    union all
    select b.break_id, 'events were added to its history or taken out of it' as why from breaks as b
    where (b.events, b.last_event_key) not in (
      select count(*), max(e.event_key) from break_events as e where e.break_key = b.break_key)
    limit ${sql.lit(MOST_NAMED)}`.execute(engine.db);
  return rows.map(({ break_id, why }) => `breaks: ${break_id}: ${why}`);
}

async function countTables(engine: Engine): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of COUNTED_TABLES) counts[table] = await countRows(engine.db, table);
  return counts;
}

async function status(engine: Engine): ReturnType<Upkeep['status']> {
  const { applied, pending } = await schemaState(engine);
  const current = pending.length === 0;
  return {
    engine: engine.name,
    location: engine.location,
    applied,
    pending,
    integrity: await engine.integrity(),
    // Tables that a pending migration makes cannot be counted yet.
    counts: current ? await countTables(engine) : {},
    sealingKeys: current ? await sealingKeysInUse(engine) : [],
  };
}

/** The longest lease that can be configured. */
const LONGEST_LEASE_MS = 3_600_000;

/** Corrects times in the future that a run under a wrong clock has stored. */
const healClock =
  (engine: Engine): Upkeep['healClock'] =>
  async (now) => {
    await requireKeysOf(engine, engine.sealer);
    return engine.write(async (tx) => {
      const { db } = tx;
      const isAhead = sql`(started_at > ${now + CLOCKS_DIFFER_MS} or finished_at > ${now + CLOCKS_DIFFER_MS})
        and run_key not in (select run_key from doubted_runs)`;
      const runs = await findRows(db, 'runs', isAhead, ['run_key', 'run_id']);
      for (const { run_key } of runs) await db.insertInto('doubted_runs').values({ run_key }).execute();
      // Tomorrow is a possible day of a record already: business days may be ahead of UTC.
      const tomorrow = dayOf(new Date(now).toISOString().slice(0, 10)) + 1;
      const change = (where: RawBuilder<unknown>, set: RawBuilder<unknown>) =>
        changeSummedPages(tx, 'tracked_records', where, set);
      const verified = await change(sql`last_verified_day > ${tomorrow}`, sql`last_verified_day = null`);
      const ended = await change(sql`terminal_day > ${tomorrow}`, sql`terminal_day = ${tomorrow - 1}`);
      const leases = await sql`
        update leases set holder = null, held_until = 0 where held_until > ${now + LONGEST_LEASE_MS}`.execute(db);
      return {
        runs: runs.map(({ run_id }) => run_id),
        records: Math.max(verified, ended),
        leases: Number(leases.numAffectedRows ?? 0),
      };
    });
  };

export function upkeepOf(engine: Engine): Upkeep {
  return {
    migrate: async () => {
      const applied = await migrate(engine);
      const isUnsealed = await hasOlderRows(engine, null);
      if (!isUnsealed || engine.sealer === null) return { applied, isUnsealed };
      // Seals by a key that opens nothing here would look like proof.
      await requireKeysInUse(engine, engine.sealer);
      await adoptRows(engine);
      return { applied, isUnsealed: false };
    },
    status: () => status(engine),
    check: (signal) => checkRows(engine, signal),
    backup: (path) => engine.copyTo(path),
    prune: prune(engine),
    healClock: healClock(engine),
    reseal: async (onProgress) => reseal(engine, requireSealer(engine.sealer), onProgress ?? (() => undefined)),
    close: () => engine.close(),
  };
}

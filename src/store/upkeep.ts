/** Maintenance of a database with any schema version: migrations, status, backup, retention, key rotation. */
import type { Upkeep } from '../ports/store/store.ts';
import { dayOf } from './cells.ts';
import { checkRows } from './check.ts';
import { adoptRows } from './check-sealed-rows.ts';
import type { Engine } from './engine.ts';
import { prune } from './prune.ts';
import { reseal } from './reseal.ts';
import { COUNTED_TABLES } from './schema/tables.ts';
import { migrate, schemaState } from './schema/upgrade.ts';
import { hasOlderRows } from './sealed-rows.ts';
import { requireSealer } from './sealing.ts';
import { requireKeysInUse, sealingKeysInUse } from './sealing-key.ts';
import { countRows } from './statements.ts';

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

/** Clocks of several machines may differ by this much. */
const SLACK_MS = 5 * 60_000;
/** The longest lease that can be configured. */
const LONGEST_LEASE_MS = 3_600_000;

/** Corrects times in the future that a run under a wrong clock has stored. */
const healClock =
  (engine: Engine): Upkeep['healClock'] =>
  (now) =>
    engine.write(async ({ db }) => {
      const runs = await db
        .selectFrom('runs')
        .select(['run_key', 'run_id'])
        .where((row) => row.or([row('started_at', '>', now + SLACK_MS), row('finished_at', '>', now + SLACK_MS)]))
        .where('run_key', 'not in', (doubted) => doubted.selectFrom('doubted_runs').select('run_key'))
        .execute();
      for (const { run_key } of runs) await db.insertInto('doubted_runs').values({ run_key }).execute();
      // Tomorrow is a possible day of a record already: business days may be ahead of UTC.
      const tomorrow = dayOf(new Date(now).toISOString().slice(0, 10)) + 1;
      const verified = await db
        .updateTable('tracked_records')
        .set({ last_verified_day: null })
        .where('last_verified_day', '>', tomorrow)
        .executeTakeFirst();
      const ended = await db
        .updateTable('tracked_records')
        .set({ terminal_day: tomorrow - 1 })
        .where('terminal_day', '>', tomorrow)
        .executeTakeFirst();
      const leases = await db
        .updateTable('leases')
        .set({ holder: null, held_until: 0 })
        .where('held_until', '>', now + LONGEST_LEASE_MS)
        .executeTakeFirst();
      return {
        runs: runs.map(({ run_id }) => run_id),
        records: Math.max(Number(verified.numUpdatedRows), Number(ended.numUpdatedRows)),
        leases: Number(leases.numUpdatedRows),
      };
    });

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
    check: () => checkRows(engine),
    backup: (path) => engine.copyTo(path),
    prune: prune(engine),
    healClock: healClock(engine),
    reseal: async (onProgress) => reseal(engine, requireSealer(engine.sealer), onProgress ?? (() => undefined)),
    close: () => engine.close(),
  };
}

/** Maintenance of a database with any schema version: migrations, status, backup, retention, key rotation. */
import type { Upkeep } from '../ports/store/store.ts';
import { checkRows } from './check.ts';
import { adoptRows } from './check-sealed-rows.ts';
import type { Engine } from './engine.ts';
import { healClock } from './heal-clock.ts';
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

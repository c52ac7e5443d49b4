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
import { requireKeysInUse, requireSealer, type Sealer, sealingKeysInUse } from './sealing.ts';
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

export function upkeepOf(engine: Engine, sealer: Sealer | null): Upkeep {
  return {
    migrate: async () => {
      const applied = await migrate(engine);
      const isUnsealed = await hasOlderRows(engine, null);
      if (!isUnsealed || sealer === null) return { applied, isUnsealed };
      // Seals by a key that opens nothing here would look like proof.
      await requireKeysInUse(engine, sealer);
      await adoptRows(engine, sealer);
      return { applied, isUnsealed: false };
    },
    status: () => status(engine),
    check: () => checkRows(engine, sealer),
    backup: (path) => engine.copyTo(path),
    prune: prune(engine, sealer),
    healClock: healClock(engine),
    reseal: async (onProgress) => reseal(engine, requireSealer(sealer), onProgress ?? (() => undefined)),
    close: () => engine.close(),
  };
}

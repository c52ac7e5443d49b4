/** Brings a database to the schema of this program, and tells how far one is. */
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { DatabaseUnavailableError, SchemaNewerError, SchemaOutdatedError } from '../ports/store/errors.ts';
import type { Engine } from './engine.ts';
import { migrationsFor } from './migrations/index.ts';

export interface SchemaState {
  applied: readonly string[];
  pending: readonly string[];
}

async function appliedMigrations(engine: Engine): Promise<readonly string[]> {
  const tables = await engine.tableNames();
  if (tables.length === 0) return [];
  if (!tables.includes('kysely_migration')) {
    // Tables, and none of them ours: writing into another program's database would harm both.
    throw new DatabaseUnavailableError(engine.location, 'foreign');
  }
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(engine.db);
  return rows.map((row) => row.name);
}

/** @throws SchemaNewerError, DatabaseUnavailableError */
export async function schemaState(engine: Engine): Promise<SchemaState> {
  const names = Object.keys(migrationsFor(engine.types)).sort();
  const applied = await appliedMigrations(engine);
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new SchemaNewerError(engine.location, unknown);
  return { applied, pending: names.filter((name) => !applied.includes(name)) };
}

/**
 * Applies what is missing, as one transaction, and returns the names applied by this call. Processes may race: the
 * transaction begins with the write lock, so the second one sees what the first has done and finds nothing left.
 * @throws SchemaNewerError, DatabaseUnavailableError
 */
export async function migrate(engine: Engine): Promise<readonly string[]> {
  const { pending } = await schemaState(engine);
  if (pending.length === 0) return [];
  const migrator = new Migrator({
    db: engine.db,
    provider: { getMigrations: async () => migrationsFor(engine.types) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

/** @throws SchemaOutdatedError, SchemaNewerError, DatabaseUnavailableError */
export async function requireCurrentSchema(engine: Engine): Promise<void> {
  const { pending } = await schemaState(engine);
  if (pending.length > 0) throw new SchemaOutdatedError(engine.location, pending);
}

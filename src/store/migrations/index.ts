/** Every migration by the name it has in the database, in order. A new one is a new file and one line here. */

import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { DatabaseUnavailableError, SchemaNewerError, SchemaOutdatedError } from '../../ports/store/errors.ts';
import type { Engine } from '../engine.ts';
import { tracking } from './0001-tracking.ts';
import { quotes } from './0002-quotes.ts';
import { runs } from './0003-runs.ts';
import { breaks } from './0004-breaks.ts';
import { limits } from './0005-limits.ts';
import { periods } from './0006-periods.ts';
import { dueCandidates } from './0007-due-candidates.ts';
import { moneyAtStake } from './0008-money-at-stake.ts';
import { sourcesAndCorrections } from './0010-sources-and-corrections.ts';
import { witnesses } from './0011-witnesses.ts';
import { publications } from './0012-publications.ts';
import { assetEvidence } from './0013-asset-evidence.ts';
import { evidence } from './0014-evidence.ts';
import { workList } from './0015-work-list.ts';
import { shownAndRevenue } from './0017-shown-and-revenue.ts';
import { updatesInPlace } from './0018-updates-in-place.ts';
import { seals } from './0019-seals.ts';
import { search } from './0020-search.ts';
import { redactedHashes } from './0022-redacted-hashes.ts';
import { referringRows } from './0023-referring-rows.ts';
import { payoutsNamed } from './0024-payouts-named.ts';
import { hashesInBlocks } from './0025-hashes-in-blocks.ts';
import { contentsByRecord } from './0026-contents-by-record.ts';
import { surveys } from './0028-surveys.ts';
import { whatIsJudged } from './0029-what-is-judged.ts';
import { moneyMoved } from './0031-money-moved.ts';
import { passesOfCaptures } from './0035-passes-of-captures.ts';
import { sealedRows } from './0038-sealed-rows.ts';
import { queueOrder } from './0039-queue-order.ts';
import { moments } from './0040-moments.ts';
import { sealsOfEvidence } from './0041-seals-of-evidence.ts';
import { linesOfStatements } from './0042-lines-of-statements.ts';
import { figuresOfCaptures } from './0043-figures-of-captures.ts';
import { sumsOfRows } from './0044-sums-of-rows.ts';

function migrationsFor({ types, words }: Engine): Record<string, Migration> {
  return {
    '0001-tracking': tracking(types),
    '0002-quotes': quotes(types),
    '0003-runs': runs(types),
    '0004-breaks': breaks(types),
    '0005-limits': limits(types),
    '0006-periods': periods(types),
    '0007-due-candidates': dueCandidates(),
    '0008-money-at-stake': moneyAtStake(types),
    '0010-sources-and-corrections': sourcesAndCorrections(types),
    '0011-witnesses': witnesses(types),
    '0012-publications': publications(types),
    '0013-asset-evidence': assetEvidence(types),
    '0014-evidence': evidence(types),
    '0015-work-list': workList(types),
    '0017-shown-and-revenue': shownAndRevenue(types),
    '0018-updates-in-place': updatesInPlace(types),
    '0019-seals': seals(types),
    '0020-search': search({ types, words }),
    '0022-redacted-hashes': redactedHashes(),
    '0023-referring-rows': referringRows(),
    '0024-payouts-named': payoutsNamed(types),
    '0025-hashes-in-blocks': hashesInBlocks(),
    '0026-contents-by-record': contentsByRecord(types),
    '0028-surveys': surveys(types),
    '0029-what-is-judged': whatIsJudged(types),
    '0031-money-moved': moneyMoved(types),
    '0035-passes-of-captures': passesOfCaptures(types),
    '0038-sealed-rows': sealedRows(types),
    '0039-queue-order': queueOrder(types),
    '0040-moments': moments(types),
    '0041-seals-of-evidence': sealsOfEvidence(),
    '0042-lines-of-statements': linesOfStatements(types),
    '0043-figures-of-captures': figuresOfCaptures(types),
    '0044-sums-of-rows': sumsOfRows(),
  };
}

/** In the order in which they are applied. */
export const migrationNames = (engine: Engine): readonly string[] => Object.keys(migrationsFor(engine)).sort();

interface SchemaState {
  applied: readonly string[];
  pending: readonly string[];
}

async function appliedMigrations(engine: Engine): Promise<readonly string[]> {
  const tables = await engine.tableNames();
  if (tables.length === 0) return [];
  if (!tables.includes('kysely_migration')) {
    // The database has tables, but none of Tieout: it belongs to another program.
    throw new DatabaseUnavailableError(engine.location, 'foreign');
  }
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(engine.db);
  return rows.map((row) => row.name);
}

/** @throws SchemaNewerError, DatabaseUnavailableError */
export async function schemaState(engine: Engine): Promise<SchemaState> {
  const names = migrationNames(engine);
  const applied = await appliedMigrations(engine);
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new SchemaNewerError(engine.location, unknown);
  return { applied, pending: names.filter((name) => !applied.includes(name)) };
}

/**
 * Applies the pending migrations, all or those up to one, in one transaction and returns their names. Safe for concurrent processes: the
 * transaction begins with the write lock, so the second process finds nothing pending.
 * @throws SchemaNewerError, DatabaseUnavailableError
 */
export async function migrate(engine: Engine, upTo?: string): Promise<readonly string[]> {
  const { pending } = await schemaState(engine);
  if (pending.length === 0) return [];
  const migrator = new Migrator({
    db: engine.db,
    provider: { getMigrations: async () => migrationsFor(engine) },
  });
  const { error, results } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error !== undefined) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

/** @throws SchemaOutdatedError, SchemaNewerError, DatabaseUnavailableError */
export async function requireCurrentSchema(engine: Engine): Promise<void> {
  const { pending } = await schemaState(engine);
  if (pending.length > 0) throw new SchemaOutdatedError(engine.location, pending);
}

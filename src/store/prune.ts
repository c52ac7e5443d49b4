/**
 * Deletes evidence texts, sealed bodies and processed deliveries after their retention. Typed columns, hashes, runs and
 * break events stay, so every run can be replayed and every break explained; only the text behind a hash is gone.
 * Evidence of a break that is not resolved is kept at any age.
 */
import { sql } from 'kysely';
import type { Instant } from '../domain/record.ts';
import type { Upkeep } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';

/** Rows in one transaction, so that other writers can run in between. */
const BATCH = 2000;

/** @param before null keeps that type of data. */
export const prune =
  (engine: Engine): Upkeep['prune'] =>
  async (before, dryRun) => {
    return {
      bodies: before.snapshots === null ? 0 : await forget(engine, dryRun, bodiesBefore(before.snapshots)),
      sealedBodies: before.snapshots === null ? 0 : await forget(engine, dryRun, sealedBefore(before.snapshots)),
      deliveries: before.events === null ? 0 : await forget(engine, dryRun, deliveriesBefore(before.events)),
    };
  };

interface Forgettable {
  table: 'bodies' | 'sealed_bodies' | 'deliveries';
  key: string;
  where: ReturnType<typeof sql>;
}

/** Evidence of breaks that are not resolved. */
const STANDING = sql`(
  select e.evidence_sha256 from breaks as b join break_events as e on e.event_key = b.last_event_key
  where b.state <> 'resolved' and e.evidence_sha256 is not null)`;

function bodiesBefore(at: Instant): Forgettable {
  return {
    table: 'bodies',
    key: 'content_key',
    // Uncorrelated, so that the snapshots are read once and not once for every content.
    where: sql`content_key in (
      select c.content_key from contents as c
      where c.sha256 not in ${STANDING}
        and c.content_key not in (select s.content_key from snapshots as s where s.received_at >= ${at}))`,
  };
}

function sealedBefore(at: Instant): Forgettable {
  return { table: 'sealed_bodies', key: 'sealed_key', where: sql`stored_at < ${at} and sha256 not in ${STANDING}` };
}

function deliveriesBefore(at: Instant): Forgettable {
  return { table: 'deliveries', key: 'delivery_key', where: sql`delivered_at < ${at} and looked_at is not null` };
}

async function forget(engine: Engine, dryRun: boolean, { table, key, where }: Forgettable): Promise<number> {
  if (dryRun) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where ${where}`.execute(
      engine.db,
    );
    return rows[0]?.n ?? 0;
  }
  for (let forgotten = 0; ; ) {
    const gone = await engine.write(async (tx) => {
      const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)} where ${where} limit ${BATCH})`.execute(tx.db);
      return Number(numAffectedRows ?? 0n);
    });
    forgotten += gone;
    if (gone < BATCH) return forgotten;
  }
}

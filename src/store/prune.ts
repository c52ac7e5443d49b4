/**
 * Deletes evidence texts, sealed bodies and processed deliveries after their retention. Typed columns, hashes, runs and
 * break events stay, so every run can be replayed and every break explained; only the text behind a hash is gone.
 * Evidence of a break that is not resolved is kept at any age.
 *
 * Keys are found page by page, by set difference, and deleted in small transactions: other writers run in between, and an
 * interrupted prune goes on where it stopped, because what is left is what is found. `not in (select …)` is not used: on
 * PostgreSQL it takes quadratic time once the inner rows exceed the memory of one operation.
 */
import { sql } from 'kysely';
import type { Instant } from '../domain/record.ts';
import type { Upkeep } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';

/** Keys found by one query. */
const PAGE = 100_000;
/** Rows in one transaction. */
const BATCH = 2000;

type Sql = ReturnType<typeof sql>;

/** @param before null keeps that type of data. */
export const prune =
  (engine: Engine): Upkeep['prune'] =>
  async (before, dryRun) => {
    const { snapshots, events } = before;
    return {
      bodies: snapshots === null ? 0 : await forget(engine, dryRun, bodiesBefore(snapshots)),
      sealedBodies: snapshots === null ? 0 : await forget(engine, dryRun, sealedBefore(snapshots)),
      deliveries: events === null ? 0 : await forget(engine, dryRun, deliveriesBefore(events)),
    };
  };

interface Forgettable {
  table: 'bodies' | 'sealed_bodies' | 'deliveries';
  key: string;
  /** A query of the keys that may be deleted, beyond a key. */
  keysAfter: (after: number) => Sql;
  /** A snapshot newer than the query may refer to a text that it found. */
  isReferredTo?: (newestSnapshot: number) => Sql;
}

/** Hashes of the evidence of breaks that are not resolved. */
const STANDING = sql`select e.evidence_sha256 from breaks as b join break_events as e on e.event_key = b.last_event_key
  where b.state <> 'resolved' and e.evidence_sha256 is not null`;

function bodiesBefore(at: Instant): Forgettable {
  return {
    table: 'bodies',
    key: 'content_key',
    keysAfter: (after) => sql`select content_key as k from bodies where content_key > ${after}
      except select content_key from snapshots where received_at >= ${at}
      except select content_key from contents where sha256 in (${STANDING})`,
    isReferredTo: (newest) => sql`content_key in (select content_key from snapshots where snapshot_key > ${newest})`,
  };
}

function sealedBefore(at: Instant): Forgettable {
  return {
    table: 'sealed_bodies',
    key: 'sealed_key',
    keysAfter: (
      after,
    ) => sql`select sealed_key as k from sealed_bodies where sealed_key > ${after} and stored_at < ${at}
      except select sealed_key from sealed_bodies where sha256 in (${STANDING})`,
  };
}

function deliveriesBefore(at: Instant): Forgettable {
  return {
    table: 'deliveries',
    key: 'delivery_key',
    keysAfter: (after) => sql`select delivery_key as k from deliveries
      where delivery_key > ${after} and delivered_at < ${at} and looked_at is not null`,
  };
}

async function forget(engine: Engine, dryRun: boolean, what: Forgettable): Promise<number> {
  // Under the lock of all writers: while saves run side by side, a lower key may become visible after a higher one.
  const { rows: newest } = await engine.write(({ db }) =>
    sql<{ k: number | null }>`select max(snapshot_key) as k from snapshots`.execute(db),
  );
  let forgotten = 0;
  for (let after = 0; ; ) {
    const { rows } = await sql<{ k: number }>`select k from (${what.keysAfter(after)}) as found order by k
      limit ${PAGE}`.execute(engine.db);
    const keys = rows.map(({ k }) => Number(k));
    const last = keys.at(-1);
    if (last === undefined) return forgotten;
    if (dryRun) forgotten += keys.length;
    else forgotten += await deleteKeys(engine, what, keys, newest[0]?.k ?? 0);
    after = last;
  }
}

async function deleteKeys(
  engine: Engine,
  { table, key, isReferredTo }: Forgettable,
  keys: readonly number[],
  newestSnapshot: number,
): Promise<number> {
  let deleted = 0;
  for (let at = 0; at < keys.length; at += BATCH) {
    deleted += await engine.write(async (tx) => {
      const { numAffectedRows } = await sql`delete from ${sql.table(table)}
        where ${engine.inList(key, keys.slice(at, at + BATCH))}
        ${isReferredTo === undefined ? sql`` : sql`and not (${isReferredTo(newestSnapshot)})`}`.execute(tx.db);
      return Number(numAffectedRows ?? 0n);
    });
  }
  return deleted;
}

/**
 * Deletes evidence texts, sealed bodies and processed deliveries after their retention, and after `db archive` also
 * snapshots without references, the figures of bodies without a snapshot, and captures of reference data. The first,
 * the first terminal and the last snapshot of a record, runs, breaks and their events stay, so every run in the database can be replayed and
 * every break explained. Evidence of an unresolved break, of a claim under way, or of a closed month is kept at any
 * age.
 *
 * Keys are found page by page, by set difference, and deleted in small transactions: other writers run in between,
 * and an interrupted prune continues where it stopped, because it finds the remaining keys. `not in (select …)` is
 * not used: on PostgreSQL it takes quadratic time once the inner rows exceed the memory of one operation.
 */
import { sql } from 'kysely';
import { GIVEN_UP_STATES } from '../domain/claim.ts';
import type { Instant } from '../domain/record.ts';
import type { Upkeep } from '../ports/store/store.ts';
import { MAY_BE_FIXED } from './case-parts.ts';
import type { Engine } from './engine.ts';
import { type Judged, referenceUnused } from './reference-in-use.ts';
import { deleteRows } from './rows.ts';
import { requireKeysOf } from './sealing-key.ts';
import { literals, newestKey } from './statements.ts';
import { keyOf } from './write-rows.ts';

/** Keys found by one query. */
const PAGE = 100_000;
/** Rows in one transaction. */
const BATCH = 2000;

/** Of a break `b`: it is unresolved, or in a claim under way. */
export const IS_WORKED_ON = sql`(b.state <> 'resolved' or b.break_id in (select i.break_id from claim_items as i
  join claims as c on c.claim_key = i.claim_key where c.state not in (${literals([...GIVEN_UP_STATES, 'recovered'])})))`;

/** @param before null keeps that type of data. */
export const prune =
  (engine: Engine): Upkeep['prune'] =>
  async (before, dryRun) => {
    const { snapshots, events } = before;
    if (!dryRun) await requireKeysOf(engine, engine.sealer);
    const deleted = async (table: Forgettable, at: Instant | null) =>
      at === null ? 0 : forget(engine, dryRun, table, at);
    return {
      bodies: await deleted('bodies', snapshots),
      sealedBodies: await deleted('sealed_bodies', snapshots),
      deliveries: await deleted('deliveries', events),
      snapshots: await deleted('snapshots', snapshots),
      contents: await deleted('contents', snapshots),
      captures: snapshots === null ? 0 : await forgetCaptures(engine, dryRun, snapshots),
    };
  };

/**
 * What runs in the database, closed months and breaks that are worked on are judged by, and their explanations. While a run is under way
 * the creation of its records is unknown, and all are kept.
 */
const JUDGED_HERE: Judged = {
  items: sql`(exists (select 1 from runs as r where r.run_key = i.run_key and r.archived_at is null)
    or exists (select 1 from period_records as p where p.record_key = i.record_key
      and (p.look_run = i.run_key or p.verified_run = i.run_key))
    or exists (select 1 from breaks as b where b.record_key = i.record_key and ${IS_WORKED_ON}))`,
  runs: sql`r.archived_at is null`,
};

/** Old captures of reference data, and lists that no capture has any more, in one transaction: their rows are few. */
async function forgetCaptures(engine: Engine, dryRun: boolean, before: Instant): Promise<number> {
  const newest = async ({ db }: Pick<Engine, 'db'>) =>
    [await newestKey(db, 'runs', 'run_key'), await newestKey(db, 'reference_captures', 'capture_key')].join();
  const known = await newest(engine);
  const oldest = sql<{ at: number | null }>`select min(captured_at) as at from reference_captures where not exists (
    select 1 from runs where state in ('fetching', 'judging', 'settled'))`;
  if (((await oldest.execute(engine.db)).rows[0]?.at ?? before) >= before) return 0;
  const { captures, contents } = await referenceUnused(engine, JUDGED_HERE, before);
  if (dryRun || captures.size === 0) return captures.size;
  return engine.write(async (tx) => {
    // A run that began meanwhile may be about records of that time.
    if ((await newest(tx)) !== known) return 0;
    const newestContent = await newestKey(tx.db, 'reference_contents', 'content_key');
    const unlisted = [...contents].filter((key) => key !== newestContent);
    await deleteRows(tx, 'reference_captures', tx.inList('capture_key', [...captures]));
    for (const table of ['reference_assets', 'reference_methods', 'reference_contents'] as const)
      await deleteRows(tx, table, tx.inList('content_key', unlisted));
    return captures.size;
  });
}

/** Hashes of the evidence of such breaks. */
const STANDING = sql`select e.evidence_sha256 from breaks as b join break_events as e on e.event_key = b.last_event_key
  where e.evidence_sha256 is not null and ${IS_WORKED_ON}`;

/** The columns that refer to a snapshot. */
const REFERRING = [
  ['tracked_records', 'first_snapshot'],
  ['tracked_records', 'terminal_snapshot'],
  ['tracked_records', 'last_snapshot'],
  ['run_items', 'snapshot_key'],
  ['run_items', 'before_first_snapshot'],
  ['run_items', 'before_terminal_snapshot'],
  ['deliveries', 'snapshot_key'],
] as const;
const REFERRED = [
  ...REFERRING.map(([table, column]) => sql`except select ${sql.ref(column)} from ${sql.table(table)}`),
  // A run is judged by the first body with a fixed price too, which an archived run may have fetched.
  sql`except select s.snapshot_key from contents as c join snapshots as s on s.content_key = c.content_key
    where ${MAY_BE_FIXED} and s.record_key in (select record_key from run_items)`,
];

/** Queries of the keys that may be deleted, beyond a key, of what is older than an instant. */
const OLD = {
  bodies: (after: number, at: Instant) => sql`select content_key as k from bodies where content_key > ${after}
    except select content_key from snapshots where received_at >= ${at}
    except select content_key from contents where sha256 in (${STANDING})
    except select content_key from period_records`,
  sealed_bodies: (after: number, at: Instant) => sql`
    select sealed_key as k from sealed_bodies where sealed_key > ${after} and stored_at < ${at}
    except select sealed_key from sealed_bodies where sha256 in (${STANDING})
    except select b.sealed_key from sealed_bodies as b join period_records as p on p.record_key = b.record_key
      where p.content_key is null`,
  deliveries: (after: number, at: Instant) => sql`select delivery_key as k from deliveries
    where delivery_key > ${after} and delivered_at < ${at} and looked_at is not null`,
  snapshots: (after: number, at: Instant) => sql`select snapshot_key as k from snapshots
    where snapshot_key > ${after} and received_at < ${at} ${sql.join(REFERRED, sql` `)}`,
  /** In a dry run these are fewer than in a real one, which has deleted snapshots first. Each event of a break may cite its evidence. */
  contents: (after: number) => sql`select content_key as k from contents where content_key > ${after}
    except select content_key from snapshots
    except select content_key from run_items
    except select content_key from period_records
    except select content_key from bodies
    except select content_key from contents where sha256 in (
      select evidence_sha256 from break_events where evidence_sha256 is not null)`,
};
type Forgettable = keyof typeof OLD;

async function forget(engine: Engine, dryRun: boolean, table: Forgettable, at: Instant): Promise<number> {
  // Under the lock of all writers: while saves run side by side, a lower key may become visible after a higher one.
  const newest = await engine.write(({ db }) => newestKey(db, 'snapshots', 'snapshot_key'));
  // A snapshot newer than the query may refer to a text that it found.
  const isLeft =
    table === 'bodies' || table === 'contents'
      ? sql`not (content_key in (select content_key from snapshots where snapshot_key > ${newest}))`
      : sql`1 = 1`;
  let forgotten = 0;
  for (let after = 0; ; ) {
    const { rows } = await sql<{ k: number }>`select k from (${OLD[table](after, at)}) as found order by k
      limit ${PAGE}`.execute(engine.db);
    const keys = rows.map(({ k }) => Number(k));
    const last = keys.at(-1);
    if (last === undefined) return forgotten;
    if (dryRun) forgotten += keys.length;
    else
      for (let from = 0; from < keys.length; from += BATCH)
        forgotten += await engine.write((tx) => {
          const isOne = tx.inList(keyOf(table), keys.slice(from, from + BATCH));
          return deleteRows(tx, table, sql`${isOne} and ${isLeft}`);
        });
    after = last;
  }
}

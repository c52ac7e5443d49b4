/**
 * Seals of rows that have no body as a source: findings of runs, decisions of people, reviews of months. Written with
 * the rows in their transaction, under the sealing key: a process without that key cannot seal changed rows.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Row } from './cells.ts';
import { cellTexts } from './content-digest.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { BREAK_STATE_COLUMNS, EVENT_COLUMNS, IDENTITY_COLUMNS } from './schema/breaks.ts';
import { type Sealer, sameFingerprint } from './sealing.ts';

const PAGE = 2_000;
/** The most problems listed by name; the others are counted. */
const MOST_NAMED = 20;

type Events = { runKey: number } | { eventKey: number };
type Reader = Pick<Engine, 'rows'>;

const nameOf = (events: Events) => ('runKey' in events ? `run ${events.runKey}` : `event ${events.eventKey}`);

/** Of the events with the breaks that they are of, in the order of their keys. */
async function hashOf(engine: Engine, tx: Reader, events: Events): Promise<string> {
  const hash = createHash('sha256');
  for (let after = 0; ; ) {
    const all = engine.db
      .selectFrom('break_events as e')
      .innerJoin('breaks as b', 'b.break_key', 'e.break_key')
      .select(['e.event_key', 'e.run_key'])
      .select(IDENTITY_COLUMNS.map((column) => `b.${column}` as const))
      .select(EVENT_COLUMNS.map((column) => `e.${column}` as const))
      .select(BREAK_STATE_COLUMNS.map((column) => `e.${column}` as const))
      .where('e.event_key', '>', after)
      .orderBy('e.event_key')
      .limit(PAGE);
    const some =
      'runKey' in events ? all.where('e.run_key', '=', events.runKey) : all.where('e.event_key', '=', events.eventKey);
    const page: readonly Row[] = await tx.rows(some);
    for (const row of page) hash.update(`${JSON.stringify(cellTexts(row))}\n`);
    after = Number(page.at(-1)?.[0] ?? 0);
    if (page.length < PAGE) return hash.digest('hex');
  }
}

const fingerprint = (sealer: Sealer, keyId: string, name: string, what: string) =>
  sealer.fingerprint(JSON.stringify(['seal', name, what]), keyId);

async function seal(tx: WriteTransaction, sealer: Sealer | null, name: string, what: string): Promise<void> {
  if (sealer === null) return;
  const digest = fingerprint(sealer, sealer.keyId, name, what);
  await tx.db.insertInto('row_seals').values({ name, key_id: sealer.keyId, digest, upto: null }).execute();
}

export async function sealEvents(
  engine: Engine,
  tx: WriteTransaction,
  sealer: Sealer | null,
  events: Events,
): Promise<void> {
  await seal(tx, sealer, nameOf(events), await hashOf(engine, tx, events));
}

interface Review {
  period: string;
  by: string | null;
  at: number | null;
}

const reviewText = ({ by, at }: Pick<Review, 'by' | 'at'>) => JSON.stringify([by, at]);

export async function sealReview(tx: WriteTransaction, sealer: Sealer | null, review: Review): Promise<void> {
  await seal(tx, sealer, `review ${review.period}`, reviewText(review));
}

/**
 * Seals a page of rows again with the newest key. An invalid seal, or one without its rows, gets only the id of the
 * newest key: it stays invalid, and is still reported. Seals under a missing key stay.
 */
export async function renewSeals(
  engine: Engine,
  tx: WriteTransaction,
  sealer: Sealer,
  { after, limit }: { after: string; limit: number },
): Promise<{ last: string | null; renewed: number }> {
  const rows = await tx.db
    .selectFrom('row_seals')
    .select(['name', 'key_id', 'digest'])
    .where('key_id', '!=', sealer.keyId)
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit)
    .execute();
  const renewed: Row[] = [];
  for (const { name, key_id, digest } of rows) {
    if (key_id === null || digest === null || !sealer.knows(key_id)) continue;
    const what = await sealedText(engine, tx, name);
    const holds = sameFingerprint(fingerprint(sealer, key_id, name, what), digest);
    renewed.push([name, sealer.keyId, holds ? fingerprint(sealer, sealer.keyId, name, what) : digest]);
  }
  await tx.updateMany('row_seals', ['name'], ['key_id', 'digest'], renewed);
  return { last: rows.at(-1)?.name ?? null, renewed: renewed.length };
}

/** The content under the seal of this name, from the present rows. */
async function sealedText(engine: Engine, tx: WriteTransaction, name: string): Promise<string> {
  const [what, key = ''] = name.split(' ');
  if (what !== 'review')
    return hashOf(engine, tx, what === 'run' ? { runKey: Number(key) } : { eventKey: Number(key) });
  const review = await tx.db
    .selectFrom('periods')
    .select(['reviewed_by as by', 'reviewed_at as at'])
    .where('period', '=', key)
    .executeTakeFirst();
  return review === undefined ? '' : reviewText(review);
}

/** Compares every event and review with its seal. */
export async function checkSeals(engine: Engine, sealer: Sealer | null): Promise<readonly string[]> {
  const stored = await engine.db.selectFrom('row_seals').selectAll().execute();
  const seals = new Map(stored.map((row) => [row.name, row]));
  const since = seals.get('since')?.upto ?? 0;
  const problems: string[] = [];
  const tell = async (name: string, what: string, text: () => Promise<string>) => {
    const row = seals.get(name);
    seals.delete(name);
    if (row === undefined)
      problems.push(`${what}: has no seal: it was written without the sealing key, or by other means`);
    else if (sealer === null || row.key_id === null || row.digest === null || !sealer.knows(row.key_id)) return;
    else if (!sameFingerprint(fingerprint(sealer, row.key_id, name, await text()), row.digest))
      problems.push(`${what}: was changed by other means than Tieout`);
  };
  for (const { run_key, run_id } of await runsWithEvents(engine, since)) {
    const events: Events = { runKey: run_key };
    await tell(nameOf(events), `findings of ${run_id}`, () => hashOf(engine, engine, events));
  }
  for (const { event_key, break_id, who } of await decisions(engine, since)) {
    const events: Events = { eventKey: event_key };
    await tell(nameOf(events), `decision of ${who} on break ${break_id}`, () => hashOf(engine, engine, events));
  }
  const reviewed = await engine.db
    .selectFrom('periods')
    .select(['period', 'reviewed_by as by', 'reviewed_at as at'])
    .where('state', '=', 'reviewed')
    .execute();
  for (const review of reviewed) {
    await tell(`review ${review.period}`, `review of ${review.period} by ${review.by}`, async () => reviewText(review));
  }
  for (const name of seals.keys()) {
    if (name !== 'since') problems.push(`${name}: was sealed, and its rows are gone`);
  }
  const named = problems.slice(0, MOST_NAMED);
  return problems.length > MOST_NAMED ? [...named, `and ${problems.length - MOST_NAMED} more like these`] : named;
}

/** Events of a run that were stored before seals were kept leave the run out; so do runs that found nothing. */
async function runsWithEvents(engine: Engine, since: number) {
  const { rows } = await sql<{ run_key: number; run_id: string }>`
    select r.run_key, r.run_id from runs as r
    where exists (select 1 from break_events as e where e.run_key = r.run_key and e.event_key > ${since})
    order by r.run_key`.execute(engine.db);
  return rows;
}

async function decisions(engine: Engine, since: number) {
  return engine.db
    .selectFrom('break_events as e')
    .innerJoin('breaks as b', 'b.break_key', 'e.break_key')
    .select(['e.event_key', 'b.break_id', 'e.who'])
    .where('e.run_key', 'is', null)
    .where('e.event_key', '>', since)
    .orderBy('e.event_key')
    .execute();
}

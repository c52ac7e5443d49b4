/**
 * Seals of many rows under one name: the findings of a run, a decision, what a run was and its items, a sealed statement with
 * its records. Written with the rows in their transaction, under the sealing key: a process without that key cannot seal
 * changed rows. Single rows: `sealed-rows.ts`.
 */
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Cell, Row } from './cells.ts';
import { cellTexts } from './content-digest.ts';
import type { Engine, Reader, WriteTransaction } from './engine.ts';
import { BREAK_STATE, BREAKS, EVENT, IDENTITY, sealedPart } from './schema/breaks.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { ownedColumns } from './schema/tables.ts';
import { requireSealer, type Sealer, sameFingerprint } from './sealing.ts';
import { findRow } from './statements.ts';
import { updateRows } from './write-rows.ts';

const PAGE = 2_000;
/** The most problems listed by name; the others are counted. */
const MOST_NAMED = 20;

/** In the order of the seal. */
const EVENTS = selection({
  own: of('e', only(BREAKS.break_events.columns, 'event_key', 'run_key')),
  identity: of('b', IDENTITY),
  event: of('e', EVENT),
  state: of('e', BREAK_STATE),
});

type Events = { runKey: number } | { eventKey: number };

const nameOf = (events: Events) => ('runKey' in events ? `run ${events.runKey}` : `event ${events.eventKey}`);

/** Of the events with the breaks that they are of, in the order of their keys. */
async function hashOf(tx: Reader, events: Events): Promise<string> {
  const hash = createHash('sha256');
  for (let after = 0; ; ) {
    const all = tx.db
      .selectFrom('break_events as e')
      .innerJoin('breaks as b', 'b.break_key', 'e.break_key')
      .select(EVENTS.columns)
      .where('e.event_key', '>', after)
      .orderBy('e.event_key')
      .limit(PAGE);
    const some =
      'runKey' in events ? all.where('e.run_key', '=', events.runKey) : all.where('e.event_key', '=', events.eventKey);
    const page: readonly Row[] = await tx.rows(some);
    for (const row of page) hash.update(`${JSON.stringify(cellTexts(sealedPart(row)))}\n`);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return hash.digest('hex');
    after = cell(last, EVENTS.at.own.event_key);
  }
}

const fingerprint = (sealer: Sealer, keyId: string, name: string, what: string) =>
  sealer.fingerprint(JSON.stringify(['seal', name, what]), keyId);

async function seal(tx: WriteTransaction, name: string, what: string): Promise<void> {
  const { sealer } = tx;
  if (sealer === null) return;
  const digest = fingerprint(sealer, sealer.keyId, name, what);
  await tx.db.insertInto('row_seals').values({ name, key_id: sealer.keyId, digest, upto: null }).execute();
}

export async function sealEvents(tx: WriteTransaction, events: Events): Promise<void> {
  await seal(tx, nameOf(events), await hashOf(tx, events));
}

const RUN = ownedColumns('runs');
const ITEM = ownedColumns('run_items');
const STATEMENT = ownedColumns('period_statements');
const RECORD = ownedColumns('period_records');

const textOf = (row: Row) => JSON.stringify(cellTexts(row));

async function runText(tx: Reader, runKey: number): Promise<string> {
  const rows = await tx.rows(tx.db.selectFrom('runs').select(RUN).where('run_key', '=', runKey));
  return rows.map(textOf).join();
}

/** Rows of one owner in the order of kind and id, page by page. @param columns begin with kind and id */
async function hashOfRecords(
  tx: Reader,
  table: 'run_items' | 'period_records',
  columns: readonly string[],
  isOfOwner: RawBuilder<unknown>,
): Promise<string> {
  const hash = createHash('sha256');
  for (let [kind, recordId]: (Cell | undefined)[] = ['', '']; ; ) {
    const page = sql`select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
      where ${isOfOwner} and (kind, record_id) > (${kind}, ${recordId}) order by kind, record_id limit ${sql.lit(PAGE)}`;
    const rows: readonly Row[] = await tx.rows({ compile: () => page.compile(tx.db) });
    for (const row of rows) hash.update(`${textOf(row)}\n`);
    if (rows.length < PAGE) return hash.digest('hex');
    [kind, recordId] = rows.at(-1) ?? [];
  }
}

const itemsHash = (tx: Reader, runKey: number) => hashOfRecords(tx, 'run_items', ITEM, sql`run_key = ${runKey}`);

async function statementText(tx: Reader, key: number): Promise<string> {
  const rows = await tx.rows(tx.db.selectFrom('period_statements').select(STATEMENT).where('statement_key', '=', key));
  const records = await hashOfRecords(tx, 'period_records', RECORD, sql`statement_key = ${key}`);
  return `${rows.map(textOf).join()} ${records}`;
}

/** When a run is settled: what it was, and what it saw of each record. */
export async function sealRun(tx: WriteTransaction, runKey: number) {
  await seal(tx, `ran ${runKey}`, await runText(tx, runKey));
  await seal(tx, `items ${runKey}`, await itemsHash(tx, runKey));
}

/** Changes a settled run; its seal follows where it held before. */
export async function changeRun<T>(tx: WriteTransaction, runKey: number, change: () => Promise<T>): Promise<T> {
  const { sealer } = tx;
  const name = `ran ${runKey}`;
  const known = sealer === null ? undefined : await findRow(tx.db, 'row_seals', { name }, ['key_id', 'digest']);
  const held =
    sealer !== null &&
    known?.key_id != null &&
    known.digest !== null &&
    sealer.knows(known.key_id) &&
    sameFingerprint(fingerprint(sealer, known.key_id, name, await runText(tx, runKey)), known.digest);
  const result = await change();
  if (!held) return result;
  await tx.db.deleteFrom('row_seals').where('name', '=', name).execute();
  await seal(tx, name, await runText(tx, runKey));
  return result;
}

export async function sealMonthSet(tx: WriteTransaction, key: number) {
  await seal(tx, `statement ${key}`, await statementText(tx, key));
}

/**
 * Seals a page of rows again with the newest key. An invalid seal, or one without its rows, gets only the id of the
 * newest key: it stays invalid, and is still reported. Seals under a missing key stay.
 */
export async function renewSeals(
  tx: WriteTransaction,
  { after, limit }: { after: string; limit: number },
): Promise<{ last: string | null; renewed: number }> {
  const sealer = requireSealer(tx.sealer);
  const rows = await tx.db
    .selectFrom('row_seals')
    .select(['name', 'key_id', 'digest'])
    .where('key_id', '!=', sealer.keyId)
    .where('name', '>', after)
    .where('name', 'not like', 'rows of %')
    .where('name', 'not like', 'sum %')
    .orderBy('name')
    .limit(limit)
    .execute();
  const renewed: { name: string; key_id: string; digest: Uint8Array }[] = [];
  for (const { name, key_id, digest } of rows) {
    if (key_id === null || digest === null || !sealer.knows(key_id)) continue;
    const what = await sealedText(tx, name);
    const holds = sameFingerprint(fingerprint(sealer, key_id, name, what), digest);
    const { keyId } = sealer;
    renewed.push({ name, key_id: keyId, digest: holds ? fingerprint(sealer, keyId, name, what) : digest });
  }
  await updateRows(tx, 'row_seals', renewed);
  return { last: rows.at(-1)?.name ?? null, renewed: renewed.length };
}

/** The content under the seal of this name, from the present rows. */
async function sealedText(tx: Reader, name: string): Promise<string> {
  const [what, key = ''] = name.split(' ');
  switch (what) {
    case 'ran':
      return runText(tx, Number(key));
    case 'items':
      return itemsHash(tx, Number(key));
    case 'statement':
      return statementText(tx, Number(key));
    default:
      return hashOf(tx, what === 'run' ? { runKey: Number(key) } : { eventKey: Number(key) });
  }
}

/** Compares every event, run and sealed statement with its seal. */
export async function checkSeals(engine: Engine): Promise<readonly string[]> {
  const { sealer } = engine;
  const stored = await engine.db.selectFrom('row_seals').selectAll().execute();
  const seals = new Map(stored.map((row) => [row.name, row]));
  const since = seals.get('since')?.upto ?? 0;
  const problems: string[] = [];
  const tell = async (name: string, what: string, text: () => Promise<string>) => {
    const row = seals.get(name);
    seals.delete(name);
    if (row === undefined)
      problems.push(`${what}: has no seal: it was written without the sealing key, or by other means`);
    else if (sealer === null) return;
    else if (row.key_id === null || row.digest === null || !sealer.knows(row.key_id))
      problems.push(`${what}: its seal is under the key ${row.key_id ?? '(none)'}, which is not here`);
    else if (!sameFingerprint(fingerprint(sealer, row.key_id, name, await text()), row.digest))
      problems.push(`${what}: was changed by other means than Tieout`);
  };
  for (const { run_key, run_id } of await runsWithEvents(engine, since)) {
    const events: Events = { runKey: run_key };
    await tell(nameOf(events), `findings of ${run_id}`, () => hashOf(engine, events));
  }
  for (const { event_key, break_id, who } of await decisions(engine, since)) {
    const events: Events = { eventKey: event_key };
    await tell(nameOf(events), `decision of ${who} on break ${break_id}`, () => hashOf(engine, events));
  }
  const runs = await engine.db
    .selectFrom('runs')
    .select(['run_key', 'run_id', 'archived_at'])
    .where('run_key', '>', Number(seals.get('runs since')?.upto ?? 0))
    .where('state', 'in', ['settled', 'complete', 'incomplete'])
    .orderBy('run_key')
    .execute();
  for (const { run_key: key, run_id: runId, archived_at: archivedAt } of runs) {
    await tell(`ran ${key}`, `run ${runId}`, () => runText(engine, key));
    // The items of an archived run are in its file.
    if (archivedAt === null) await tell(`items ${key}`, `records of ${runId}`, () => itemsHash(engine, key));
    else seals.delete(`items ${key}`);
  }
  const statements = await engine.db
    .selectFrom('period_statements')
    .select(['statement_key', 'period'])
    .where('statement_key', '>', Number(seals.get('statements since')?.upto ?? 0))
    .where('state', '=', 'sealed')
    .orderBy('statement_key')
    .execute();
  for (const { statement_key: key, period } of statements)
    await tell(`statement ${key}`, `sealed figures of ${period}`, () => statementText(engine, key));
  for (const name of seals.keys()) {
    const isMark = name.endsWith('since') || name.startsWith('rows ') || name.startsWith('sum ');
    if (!isMark) problems.push(`${name}: was sealed, and its rows are gone`);
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

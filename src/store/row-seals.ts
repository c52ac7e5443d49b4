/**
 * Seals of many rows under one name: the findings of a run, a decision, what a run was and its items, a sealed statement with
 * its records. Written with the rows in their transaction, under the sealing key: a process without that key cannot seal
 * changed rows. Single rows: `sealed-rows.ts`.
 */
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Cell, Row } from './cells.ts';
import { cellTexts } from './content-digest.ts';
import { pagesOf } from './copy.ts';
import type { Engine, Reader, WriteTransaction } from './engine.ts';
import { deleteRows } from './rows.ts';
import { BREAK_STATE, BREAKS, EVENT, IDENTITY, sealedPart } from './schema/breaks.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { ownedColumns, type RowOf } from './schema/tables.ts';
import { read } from './sealed-rows.ts';
import { requireSealer, type Sealer, sameFingerprint } from './sealing.ts';
import { findRow, findRows } from './statements.ts';
import { insertRows, updateRows } from './write-rows.ts';

const PAGE = 2_000;
/** The most problems listed by name; the others are counted. */
export const MOST_NAMED = 20;

export function firstOf(problems: readonly string[]): readonly string[] {
  const more = problems.length - MOST_NAMED;
  return more <= 0 ? problems : [...problems.slice(0, MOST_NAMED), `and ${more} more like these`];
}

/** In the order of the seal. */
const EVENTS = selection({
  own: of('e', only(BREAKS.break_events.columns, 'event_key', 'run_key')),
  identity: of('b', IDENTITY),
  event: of('e', EVENT),
  state: of('e', BREAK_STATE),
});

/**
 * The findings of a run, a decision, what a run was, what it saw of each record, what stayed of that when the run was archived, a
 * statement with its records.
 */
type SealName = `${'run' | 'event' | 'ran' | 'items' | 'kept' | 'statement'} ${number}`;

/** Of the events with the breaks that they are of, in the order of their keys. */
async function hashOfEvents(tx: Reader, column: 'e.run_key' | 'e.event_key', key: number): Promise<string> {
  const hash = createHash('sha256');
  for (let after = 0; ; ) {
    const page: readonly Row[] = await tx.rows(
      tx.db
        .selectFrom('break_events as e')
        .innerJoin('breaks as b', 'b.break_key', 'e.break_key')
        .select(EVENTS.columns)
        .where(column, '=', key)
        .where('e.event_key', '>', after)
        .orderBy('e.event_key')
        .limit(PAGE),
    );
    hash.update(page.map((row) => lineOf(sealedPart(row))).join(''));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return hash.digest('hex');
    after = cell(last, EVENTS.at.own.event_key);
  }
}

const textOf = (row: Row) => JSON.stringify(cellTexts(row));
const lineOf = (row: Row) => `${textOf(row)}\n`;

async function textOfOne(tx: Reader, table: 'runs' | 'period_statements', isOne: RawBuilder<unknown>): Promise<string> {
  return (await read(tx, table, ownedColumns(table), isOne)).map(textOf).join();
}

/** Rows of one owner in the order of kind and id. */
async function hashOfRecords(tx: Reader, table: 'run_items' | 'period_records', owner: Record<string, number>) {
  const hash = createHash('sha256');
  for await (const page of pagesOf(tx, table, ownedColumns(table), owner)) hash.update(page.map(lineOf).join(''));
  return hash.digest('hex');
}

/** The content under the seal of this name, from the present rows. */
async function sealedText(tx: Reader, name: string): Promise<string> {
  const [what, text = ''] = name.split(' ');
  const key = Number(text);
  switch (what) {
    case 'ran':
      return textOfOne(tx, 'runs', sql`run_key = ${key}`);
    case 'items':
    case 'kept':
      return hashOfRecords(tx, 'run_items', { run_key: key });
    case 'statement': {
      const own = await textOfOne(tx, 'period_statements', sql`statement_key = ${key}`);
      return `${own} ${await hashOfRecords(tx, 'period_records', { statement_key: key })}`;
    }
    default:
      return hashOfEvents(tx, what === 'run' ? 'e.run_key' : 'e.event_key', key);
  }
}

const fingerprint = (sealer: Sealer, keyId: string, name: string, what: string) =>
  sealer.fingerprint(JSON.stringify(['seal', name, what]), keyId);

export async function seal(tx: WriteTransaction, name: SealName): Promise<void> {
  const { sealer } = tx;
  if (sealer === null) return;
  const digest = fingerprint(sealer, sealer.keyId, name, await sealedText(tx, name));
  await insertRows(tx, 'row_seals', [{ name, key_id: sealer.keyId, digest, upto: null }]);
}

/** `unknown` where nothing is sealed, or its key is not here. */
async function compare(
  tx: Reader,
  row: Pick<RowOf<'row_seals'>, 'name' | 'key_id' | 'digest'>,
): Promise<'holds' | 'changed' | 'unknown'> {
  const { name, key_id: keyId, digest } = row;
  if (tx.sealer === null || keyId === null || digest === null || !tx.sealer.knows(keyId)) return 'unknown';
  const found = fingerprint(tx.sealer, keyId, name, await sealedText(tx, name));
  return sameFingerprint(found, digest) ? 'holds' : 'changed';
}

const NAMED = ['name', 'key_id', 'digest'] as const;

/** Changes sealed rows; their seal follows where it held before. @param isNew they may have none yet */
export async function changeSealed<T>(
  tx: WriteTransaction,
  name: SealName,
  change: () => Promise<T>,
  isNew = false,
): Promise<T> {
  const known = await findRow(tx.db, 'row_seals', { name }, NAMED);
  const held = known === undefined ? isNew : (await compare(tx, known)) === 'holds';
  const result = await change();
  if (!held) return result;
  await deleteRows(tx, 'row_seals', { name });
  await seal(tx, name);
  return result;
}

/**
 * Seals a page of rows again with the newest key. An invalid seal, or one without its rows, gets only the id of the
 * newest key: it stays invalid, and is still reported. Seals under a missing key stay.
 */
export async function renewSeals(
  tx: WriteTransaction,
  after: Cell = '',
  limit = PAGE,
): Promise<{ last: Cell | undefined; renewed: number }> {
  const sealer = requireSealer(tx.sealer);
  const isOld = sql`key_id <> ${sealer.keyId} and name > ${after} and name not like 'rows of %' and name not like 'sum %'`;
  const rows = await findRows(tx.db, 'row_seals', isOld, NAMED, 'name', { limit });
  const renewed: { name: string; key_id: string; digest: Uint8Array }[] = [];
  for (const row of rows) {
    const { name, digest } = row;
    const found = await compare(tx, row);
    if (found === 'unknown' || digest === null) continue;
    const { keyId } = sealer;
    const holds = found === 'holds';
    const next = holds ? fingerprint(sealer, keyId, name, await sealedText(tx, name)) : digest;
    renewed.push({ name, key_id: keyId, digest: next });
  }
  await updateRows(tx, 'row_seals', renewed);
  return { last: rows.at(-1)?.name, renewed: renewed.length };
}

/** Compares every event, run and sealed statement with its seal. */
export async function checkSeals(engine: Engine): Promise<readonly string[]> {
  const stored = await findRows(engine.db, 'row_seals', {}, [...NAMED, 'upto']);
  const seals = new Map(stored.map((row) => [row.name, row]));
  const since = seals.get('since')?.upto ?? 0;
  const problems: string[] = [];
  const tell = async (name: SealName, what: string) => {
    const row = seals.get(name);
    seals.delete(name);
    if (row === undefined)
      return problems.push(`${what}: has no seal: it was written without the sealing key, or by other means`);
    const found = await compare(engine, row);
    if (found === 'changed') problems.push(`${what}: was changed by other means than Tieout`);
    if (found === 'unknown' && engine.sealer !== null)
      problems.push(`${what}: its seal is under the key ${row.key_id ?? '(none)'}, which is not here`);
  };
  for (const { run_key, run_id } of await runsWithEvents(engine, since))
    await tell(`run ${run_key}`, `findings of ${run_id}`);
  for (const { event_key, break_id, who } of await decisions(engine, since))
    await tell(`event ${event_key}`, `decision of ${who} on break ${break_id}`);
  const isSettled = sql`run_key > ${Number(seals.get('runs since')?.upto ?? 0)}
    and state in ('settled', 'complete', 'incomplete')`;
  const runs = await findRows(engine.db, 'runs', isSettled, ['run_key', 'run_id', 'archived_at'], 'run_key');
  for (const { run_key: key, run_id: runId, archived_at: archivedAt } of runs) {
    await tell(`ran ${key}`, `run ${runId}`);
    await tell(`${archivedAt === null ? 'items' : 'kept'} ${key}`, `records of ${runId}`);
    // Runs that an earlier version archived have the seal of what they were.
    if (archivedAt !== null) seals.delete(`items ${key}`);
  }
  // Of runs that are older than the seals of runs.
  const isKept = (name: string): name is `kept ${number}` => name.startsWith('kept ');
  for (const name of [...seals.keys()].filter(isKept)) await tell(name, `${name}: records of an archived run`);
  const isSealed = sql`statement_key > ${Number(seals.get('statements since')?.upto ?? 0)} and state = 'sealed'`;
  const named = ['statement_key', 'period'] as const;
  const statements = await findRows(engine.db, 'period_statements', isSealed, named, 'statement_key');
  for (const { statement_key: key, period } of statements)
    await tell(`statement ${key}`, `sealed figures of ${period}`);
  for (const name of seals.keys()) {
    const isMark = name.endsWith('since') || name.startsWith('rows ') || name.startsWith('sum ');
    if (!isMark) problems.push(`${name}: was sealed, and its rows are gone`);
  }
  return firstOf(problems);
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
  const { rows } = await sql<{ event_key: number; break_id: string; who: string }>`
    select e.event_key, b.break_id, e.who from break_events as e join breaks as b on b.break_key = e.break_key
    where e.run_key is null and e.event_key > ${since} order by e.event_key`.execute(engine.db);
  return rows;
}

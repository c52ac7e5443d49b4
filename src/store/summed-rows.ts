/**
 * Keyed sums over tables that grow with each night, declared beside their columns. Each row weighs a keyed digest of 128 bits, and
 * the sum of a table modulo 2^128 is under the sealing key: a row that was changed, added, deleted, copied or put back breaks it.
 * Sums cost two digests a changed row and no row of their own, but name the table alone; rows that few people change have a seal
 * each (`sealed-rows.ts`).
 *
 * The sums are kept in lanes, so that saves side by side on PostgreSQL seldom wait for each other; those of all lanes belong together.
 */
import { type RawBuilder, sql } from 'kysely';
import { type Cell, cellsIn, type Row } from './cells.ts';
import { pagesOf } from './copy.ts';
import type { Engine, Reader, WriteTransaction } from './engine.ts';
import { SUMS, type Sum, summedColumns, sumsOver, type TableName } from './schema/tables.ts';
import { modulo } from './seal-sums.ts';
import { OLDER, read, type Where } from './sealed-rows.ts';
import { requireSealer, type Sealer, sameFingerprint, WrongKeyError } from './sealing.ts';
import { noteSealingKey } from './sealing-key.ts';
import { insertRows, keyOf, updateRows } from './write-rows.ts';

const LANES = 8;
const SEAL_BYTES = 16;
/** Set by the migration that brought the sums, until `db migrate` or `db reseal` with the key has summed what was there. */
const OLDER_ROWS = `${OLDER} of sums`;

/** By the name of the sum. */
type Sums = Map<string, bigint>;
/** In every lane, once the rows that are older than such a sum are under it. */
const LATER = SUMS.filter(({ isLater }) => isLater);
const NONE: Sums = new Map(LATER.map(({ name }) => [name, 0n]));

function add(sums: Sums, name: string, by: bigint): void {
  sums.set(name, modulo((sums.get(name) ?? 0n) + by));
}

interface Lane {
  name: string;
  keyId: string;
  sums: Sums;
}

const laneName = (number: number) => `sum ${number}`;
/** The lane of a batch of records. */
export const laneOf = (recordKeys: readonly number[]): number => (recordKeys[0] ?? 0) % LANES;

const textOf = (cell: Cell): string | null => {
  if (cell === null) return null;
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('base64') : String(cell);
};

/** By how much a sum moves. A row that is as it was moves nothing: the days of a record that is verified twice in a day. */
function movedBy(sealer: Sealer, keyId: string, { name, places }: Sum, { was = [], is = [] }: Partial<Moved>): bigint {
  const json = (row: Row) => {
    const texts: (string | null)[] = [name];
    for (const place of places) texts.push(textOf(row[place] ?? null));
    return JSON.stringify(texts);
  };
  const [before, after] = [was.map(json), is.map(json)];
  const weigh = (rows: readonly string[], others: readonly string[]) =>
    rows.reduce((sum, row, at) => (row === others[at] ? sum : sum + sealer.weigh(row, keyId)), 0n);
  return weigh(after, before) - weigh(before, after);
}

function sealed(sealer: Sealer, { name, keyId, sums }: Lane): Uint8Array {
  const text = JSON.stringify([...sums].map(([of, sum]) => [of, sum.toString(16)]));
  return Buffer.concat([sealer.fingerprint(JSON.stringify(['sums', name, text]), keyId), Buffer.from(text)]);
}

/** Null where the seal does not hold, or its key is not here: nothing is added to it then, and it is still reported. */
function unsealed(sealer: Sealer, [name, keyId, digest]: Row): Lane | null {
  if (typeof keyId !== 'string' || !(digest instanceof Uint8Array) || !sealer.knows(keyId)) return null;
  const text = Buffer.from(digest.subarray(SEAL_BYTES)).toString();
  const seal = sealer.fingerprint(JSON.stringify(['sums', name, text]), keyId);
  if (!sameFingerprint(seal, digest.subarray(0, SEAL_BYTES))) return null;
  const sums = (JSON.parse(text) as [string, string][]).map(([of, sum]) => [of, BigInt(`0x${sum}`)] as const);
  return { name: String(name), keyId, sums: new Map(sums) };
}

/** `unmade`: nothing was summed yet. `closed`: not to be added to. */
type OpenLane = Lane | 'unmade' | 'closed';

/** Sent at once, so that a save waits for it together with its other reads. @throws WrongKeyError */
export async function openLane(tx: WriteTransaction, number = 0): Promise<OpenLane> {
  const { sealer } = tx;
  if (sealer === null) return 'closed';
  const name = laneName(number);
  const [, rows] = await Promise.all([
    tx.lockRows('row_seals', 'name', [name]),
    read(tx, 'row_seals', ['name', 'key_id', 'digest'], sql`name in (${name}, ${OLDER_ROWS})`),
  ]);
  const lane = rows.find(([is]) => is === name);
  if (rows.some(([is]) => is === OLDER_ROWS)) return 'closed';
  if (lane === undefined) return 'unmade';
  // After a rotation: rows that this process wrote beside the sum would look like those of another hand.
  const keyId = String(lane[1]);
  if (!sealer.knows(keyId)) throw new WrongKeyError([keyId]);
  return unsealed(sealer, lane) ?? 'closed';
}

export interface Moved {
  table: TableName;
  /** Rows that are no more, and rows that are there now: their summed columns. */
  was?: readonly Row[];
  is?: readonly Row[];
}

export const summedCells = (table: TableName, rows: readonly object[]) => cellsIn(summedColumns(table), rows);

/** Adds to the sums of a lane; to be sent with the rows, in their transaction. */
export async function addToLane(tx: WriteTransaction, lane: OpenLane, moved: readonly Moved[]): Promise<void> {
  const { sealer } = tx;
  if (sealer === null || typeof lane === 'string') return;
  for (const each of moved)
    for (const sum of sumsOver(each.table))
      if (!sum.isLater || lane.sums.has(sum.name)) add(lane.sums, sum.name, movedBy(sealer, lane.keyId, sum, each));
  await updateRows(tx, 'row_seals', [{ name: lane.name, digest: sealed(sealer, lane) }]);
}

async function makeLanes(tx: WriteTransaction, sums: Sums): Promise<void> {
  const sealer = requireSealer(tx.sealer);
  const rows = Array.from({ length: LANES }, (_, number) => {
    const lane = { name: laneName(number), keyId: sealer.keyId, sums: number === 0 ? sums : NONE };
    return { name: lane.name, key_id: lane.keyId, digest: sealed(sealer, lane) };
  });
  await noteSealingKey(tx);
  await insertRows(tx, 'row_seals', rows);
}

/** The same for writers that exclude all others (`engine.write`); makes the lanes of a new database. */
export async function sumRows(tx: WriteTransaction, moved: readonly Moved[]): Promise<void> {
  if (tx.sealer === null || moved.every(({ was = [], is = [] }) => was.length + is.length === 0)) return;
  let lane = await openLane(tx);
  if (lane === 'unmade') {
    // Where a lane alone is gone, the others show it: the new ones would clash with them.
    if ((await read(tx, 'row_seals', ['name'], sql`name like 'sum %'`)).length > 0) return;
    await makeLanes(tx, NONE);
    lane = await openLane(tx);
  }
  await addToLane(tx, lane, moved);
}

/** Changes rows of a summed table. `where` must hold for the same rows before and after, as a condition on their keys does. */
export async function changeSummed<T>(
  tx: WriteTransaction,
  table: TableName,
  where: Where,
  change: () => Promise<T>,
): Promise<T> {
  if (tx.sealer === null) return change();
  const rows = () => read(tx, table, summedColumns(table), where);
  const was = await rows();
  const result = await change();
  if (was.length > 0) await sumRows(tx, [{ table, was, is: await rows() }]);
  return result;
}

/** The same of many rows, page by page; `where` need not hold afterwards. Returns their number. */
export async function changeSummedPages(
  tx: WriteTransaction,
  table: TableName,
  where: RawBuilder<unknown>,
  set: RawBuilder<unknown>,
): Promise<number> {
  const key = keyOf(table);
  let changed = 0;
  for await (const page of pagesOf(tx, table, [key], where)) {
    const keys = page.map(([cell]) => Number(cell));
    const isOne = tx.inList(key, keys);
    await changeSummed(tx, table, isOne, () =>
      sql`update ${sql.table(table)} set ${set} where ${isOne}`.execute(tx.db),
    );
    changed += page.length;
  }
  return changed;
}

async function sumsOf(tx: Reader, keyIds: readonly string[], of: readonly Sum[] = SUMS): Promise<Sums[]> {
  const sealer = requireSealer(tx.sealer);
  const sums = keyIds.map((): Sums => new Map(of.map(({ name }) => [name, 0n])));
  for (const table of new Set(of.map((sum) => sum.table))) {
    for await (const page of pagesOf(tx, table, summedColumns(table)))
      for (const sum of of.filter((each) => each.table === table))
        for (const [at, keyId] of keyIds.entries())
          add(sums[at] as Sums, sum.name, movedBy(sealer, keyId, sum, { is: page }));
  }
  return sums;
}

const lanesIn = async (tx: Reader) => read(tx, 'row_seals', ['name', 'key_id', 'digest'], sql`name like 'sum %'`);

/** The sums over all lanes, under one key; null where a lane is missing, changed, or under a key that is not here. */
function total(sealer: Sealer, lanes: readonly Row[]): { keyId: string; sums: Sums } | null {
  const held = lanes.map((row) => unsealed(sealer, row));
  const names = new Set(held.map((lane) => lane?.name));
  const keyId = held[0]?.keyId;
  if (keyId === undefined || held.some((lane) => lane?.keyId !== keyId)) return null;
  if (!Array.from({ length: LANES }, (_, number) => laneName(number)).every((name) => names.has(name))) return null;
  const sums: Sums = new Map();
  for (const lane of held) for (const [of, sum] of lane?.sums ?? []) add(sums, of, sum);
  return { keyId, sums };
}

/** Compares the sum of every table with its rows. */
export async function checkSums(engine: Engine): Promise<readonly string[]> {
  const { sealer } = engine;
  if (sealer === null) return [];
  const lanes = await lanesIn(engine);
  const held = total(sealer, lanes);
  const [found] = await sumsOf(engine, [held?.keyId ?? sealer.keyId]);
  const isEmpty = [...(found?.values() ?? [])].every((sum) => sum === 0n);
  if (lanes.length === 0)
    return isEmpty ? [] : ['snapshots and lists have no sums: `tieout db reseal` sums them as they are'];
  if (held === null)
    return ['sums of rows were changed by other means than Tieout, or are under a key that is not here'];
  return [...(found ?? [])]
    .filter(([of, sum]) => sum !== (held.sums.get(of) ?? 0n))
    .map(([of]) => `${of}: rows were changed, added or deleted by other means than Tieout`);
}

/** Puts rows under the sums that are later than the lanes. */
async function adoptLater(tx: WriteTransaction, rows: readonly Row[]): Promise<void> {
  const sealer = requireSealer(tx.sealer);
  const held = total(sealer, rows);
  const missing = held === null ? [] : LATER.filter(({ name }) => !held.sums.has(name));
  if (held === null || missing.length === 0) return;
  const [sums] = await sumsOf(tx, [held.keyId], missing);
  const lanes = rows.map((row) => unsealed(sealer, row)).filter((lane) => lane !== null);
  for (const lane of lanes)
    for (const { name } of missing) lane.sums.set(name, lane.name === laneName(0) ? (sums?.get(name) ?? 0n) : 0n);
  const seals = lanes.map((lane) => ({ name: lane.name, digest: sealed(sealer, lane) }));
  await updateRows(tx, 'row_seals', seals);
}

/** Sums the rows as they are, where nothing was summed yet; says whether there was anything. */
export async function adoptSums(tx: WriteTransaction): Promise<boolean> {
  const lanes = await lanesIn(tx);
  if (lanes.length > 0) {
    await adoptLater(tx, lanes);
    return false;
  }
  const [sums] = await sumsOf(tx, [requireSealer(tx.sealer).keyId]);
  const isAny = [...(sums?.values() ?? [])].some((sum) => sum !== 0n);
  if (isAny) await makeLanes(tx, sums ?? new Map());
  return isAny;
}

/** Sums all rows with the newest key. A sum that did not hold before does not hold afterwards. */
export async function renewSums(tx: WriteTransaction): Promise<void> {
  const sealer = requireSealer(tx.sealer);
  const lanes = await lanesIn(tx);
  const held = total(sealer, lanes);
  if (held === null || held.keyId === sealer.keyId) return;
  const [before, after] = await sumsOf(tx, [held.keyId, sealer.keyId]);
  const renewed: Sums = new Map();
  for (const [of, sum] of after ?? [])
    renewed.set(of, before?.get(of) === (held.sums.get(of) ?? 0n) ? sum : modulo(sum + 1n));
  await sql`delete from row_seals where name like 'sum %'`.execute(tx.db);
  await makeLanes(tx, renewed);
}

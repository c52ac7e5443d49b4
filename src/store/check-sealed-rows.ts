/** The upkeep of seals of single rows (`sealed-rows.ts`): comparing them, sealing older rows, and new keys. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { type Cell, inflateText, type Row } from './cells.ts';
import { contentDigest, contentsOf } from './content-digest.ts';
import { pagesOf } from './copy.ts';
import type { Engine, Reader, WriteTransaction } from './engine.ts';
import { SEALED_TABLES, sealedColumns, TABLES, type TableName } from './schema/tables.ts';
import { heldCount, movedBy, sumOfSeals } from './seal-sums.ts';
import {
  addSeals,
  compare,
  count,
  hasOlderRows,
  keysInUse,
  numberName,
  OLDER,
  PAGE,
  read,
  takeSeals,
} from './sealed-rows.ts';
import { requireSealer, type Sealer } from './sealing.ts';
import { findRow } from './statements.ts';
import { adoptSums, changeSummed, checkSums } from './summed-rows.ts';
import { updateRows } from './write-rows.ts';

/** Pages of a table in the order of its key; rows with one first key come together. */
async function pageAfter(tx: Reader, table: TableName, after: Cell): Promise<readonly Row[]> {
  const [first = '', ...rest] = TABLES[table].key;
  const order = sql.join([first, ...rest].map((column) => sql.ref(column)));
  const isFurther = sql`${sql.ref(first)} > ${after} order by ${order} limit ${sql.lit(PAGE)}`;
  const rows = await read(tx, table, [first, ...sealedColumns(table)], isFurther);
  const last = rows.at(-1)?.[0];
  const whole = rows.length < PAGE ? rows : rows.filter((row) => row[0] !== last);
  return whole.length > 0 ? whole : rows;
}

/**
 * Seals the rows of tables that have no number of seals yet, as they are found: they were written before rows were sealed, or
 * a person asks for it (`db reseal`).
 */
export async function adoptRows(engine: Engine): Promise<number> {
  return engine.write(async (tx) => {
    await tx.db.deleteFrom('row_seals').where('name', 'like', `${OLDER}%`).execute();
    let adopted = 0;
    for (const table of SEALED_TABLES) {
      if ((await findRow(tx.db, 'row_seals', { name: numberName(table) }, ['name'])) !== undefined) continue;
      for await (const page of pagesOf(tx, table, sealedColumns(table))) {
        await addSeals(tx, table, page);
        adopted += page.length;
      }
    }
    if (await adoptSums(tx)) await adoptDigests(tx);
    await adoptHashes(tx);
    return adopted;
  });
}

/** Bodies of before digests get that of their figures as they are. */
async function adoptDigests(tx: WriteTransaction): Promise<void> {
  const sealer = requireSealer(tx.sealer);
  for await (const page of contentsOf(tx, sql`digest is null`)) {
    const digests = page.map(({ content_key, ...content }) => ({
      content_key,
      digest: contentDigest(sealer, content),
    }));
    await updateRows(tx, 'contents', digests);
  }
}

/** The first version kept no hash of a text: from here on a changed one is found. */
async function adoptHashes(tx: WriteTransaction): Promise<void> {
  const isWithout = sql`content_key in (select content_key from contents where redacted_sha256 is null)`;
  for await (const page of pagesOf(tx, 'bodies', ['content_key', 'deflated'], isWithout)) {
    const hashes = page.map(([key, deflated]) => ({
      content_key: Number(key),
      redacted_sha256: hash('sha256', inflateText(deflated as Uint8Array)),
    }));
    const isOne = tx.inList(
      'content_key',
      hashes.map(({ content_key }) => content_key),
    );
    await changeSummed(tx, 'contents', isOne, () => updateRows(tx, 'contents', hashes));
  }
}

/** Seals a page of rows of a table again with the newest key. A row without a valid seal gets none. */
export async function renewRows(
  tx: WriteTransaction,
  table: TableName,
  after: Cell | undefined,
): Promise<{ last: Cell | undefined; renewed: number }> {
  const sealer = requireSealer(tx.sealer);
  const page = await pageAfter(tx, table, after ?? (table === 'periods' ? '' : -1));
  const cells = page.map((row) => row.slice(1));
  const old = (await keysInUse(tx)).filter((keyId) => keyId !== sealer.keyId);
  if (page.length === 0 && old.length > 0) {
    // Seals without their rows: they get the newest key's id alone, and are still reported.
    const isOld = sql`table_name = ${table} and key_id in (${sql.join(old)})`;
    const left = (await read(tx, 'sealed_rows', ['digest', 'key_id', 'n'], isOld)).map(([digest, keyId, n]) => {
      const was = { digest: String(digest), keyId: String(keyId), n: Number(n) };
      return { was, is: { ...was, keyId: sealer.keyId } };
    });
    await sql`update sealed_rows set key_id = ${sealer.keyId} where ${isOld}`.execute(tx.db);
    await count(tx, table, 0, movedBy(sealer, table, left));
  }
  const { held } = await compare(tx, table, cells, old);
  const renewed = cells.filter((_, index) => held[index]);
  await takeSeals(tx, table, renewed);
  await addSeals(tx, table, renewed);
  return { last: page.at(-1)?.[0], renewed: renewed.length };
}

/** Compares every row with the seals of its table. */
export async function checkSealedRows(engine: Engine): Promise<readonly string[]> {
  const { sealer } = engine;
  if (sealer === null) return [];
  if (await hasOlderRows(engine, null))
    return ['rows are older than their seals: `tieout db migrate` with the sealing key seals them as they are'];
  const keys = await keysInUse(engine);
  const problems: string[] = [];
  for (const table of SEALED_TABLES) problems.push(...(await checkTable(engine, sealer, table, keys)));
  return [...problems, ...(await checkSums(engine))];
}

async function checkTable(engine: Engine, sealer: Sealer, table: TableName, keys: readonly string[]) {
  const isGone = sql`table_name = ${table} and key_id not in (${sql.join(keys)})`;
  const gone = await findRow(engine.db, 'sealed_rows', isGone, ['key_id']);
  const [[all = 0] = []] = await engine.rows(
    engine.db
      .selectFrom('sealed_rows')
      .select(({ fn }) => fn.sum<number>('n').as('n'))
      .where('table_name', '=', table),
  );
  const number = await findRow(engine.db, 'row_seals', { name: numberName(table) }, ['key_id', 'digest', 'upto']);
  const named = sealedColumns(table).slice(0, 3);
  const nameOf = (row: Row) => named.map((column, at) => `${column} ${row[at] ?? '(none)'}`).join(', ');
  const unsealed: string[] = [];
  const used = new Map<string, number>();
  let rows = 0;
  for await (const page of pagesOf(engine, table, sealedColumns(table))) {
    const found = await compare(engine, table, page, keys);
    for (const [digest, n] of found.used) {
      if ((used.get(digest) ?? 0) + n > (found.seals.get(digest)?.n ?? 0)) unsealed.push('a row was copied');
      if ((found.seals.get(digest)?.n ?? 0) > 1) used.set(digest, (used.get(digest) ?? 0) + n);
    }
    for (const [index, row] of page.entries()) if (found.held[index] !== true) unsealed.push(nameOf(row));
    rows += found.held.filter((held) => held).length;
  }
  if (number === undefined && Number(all) === 0) {
    const [have, them] = unsealed.length === 1 ? ['row has', 'it as it is'] : ['rows have', 'them as they are'];
    return unsealed.length === 0
      ? []
      : [`${table}: ${unsealed.length} ${have} no seal; \`tieout db reseal\` seals ${them}`];
  }
  // Such seals cannot be compared. An attacker who can write to the database can also name a key that does not exist.
  if (gone !== undefined)
    return [
      `${table}: seals are under the key ${gone.key_id}, which is not here: \`tieout db reseal\` with it compares them`,
    ];
  const held = number === undefined ? null : heldCount(sealer, table, number);
  const counted = held?.n === Number(all) && (held.sum === null || held.sum === (await sumOfSeals(engine, table)));
  // A changed row left its seal behind; more of them are of rows that are gone.
  const left = Number(all) - rows - unsealed.length;
  return [
    ...unsealed.map((row) => `${table}: ${row}: was changed or added by other means than Tieout`),
    ...(left > 0 ? [`${table}: ${left} sealed rows were deleted by other means than Tieout`] : []),
    ...(counted ? [] : [`${table}: seals were added or taken out by other means than Tieout`]),
  ];
}

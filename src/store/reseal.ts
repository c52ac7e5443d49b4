/** Key rotation: seals every value again that an older key sealed, with the newest key, in batches. */
import { sql } from 'kysely';
import type { Cell } from './cells.ts';
import { adoptRows, renewRows } from './check-sealed-rows.ts';
import { contentsOf, renewedDigest } from './content-digest.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { renewSeals } from './row-seals.ts';
import { SEALED_TABLES } from './schema/tables.ts';
import { BATCH, type SecretValues, VALUES, valuesWhere } from './sealed-values.ts';
import type { Sealer } from './sealing.ts';
import { noteSealingKey } from './sealing-key.ts';
import { renewSums } from './summed-rows.ts';
import { keyOf, updateRows } from './write-rows.ts';

type Step = (tx: WriteTransaction, sealer: Sealer) => Promise<number>;

const resealValues =
  (values: SecretValues): Step =>
  async (tx, sealer) => {
    const { table, what } = values;
    const [key, column] = [keyOf(table), what === 'token' ? 'token' : 'sealed'];
    const rows = (await valuesWhere(tx, values, sql`v.key_id <> ${sealer.keyId}`)).map((value) => {
      const secret = sealer.unseal(value, { what, ...value });
      const { keyId, bytes } = sealer.seal(secret, { what, ...value });
      const fingerprint = () => sealer.fingerprint(Buffer.from(secret).toString(), keyId);
      const cells = { [key]: value.key, key_id: keyId, [column]: bytes };
      return what === 'token' ? { ...cells, token_fingerprint: fingerprint() } : cells;
    });
    await updateRows(tx, table, rows);
    return rows.length;
  };

/** Digests under a missing key are skipped, so each page begins after the last row. */
function resealDigests(): Step {
  let after = 0;
  return async (tx, sealer) => {
    const isOlder = sql`substr(digest, 1, 8) <> ${Buffer.from(sealer.keyId, 'hex')} and content_key > ${after}`;
    for await (const page of contentsOf(tx, isOlder)) {
      after = page.at(-1)?.content_key ?? after;
      const renewed = page.flatMap(({ content_key, digest: old, ...content }) => {
        const digest = old === null ? null : renewedDigest(sealer, old, content);
        return digest === null ? [] : [{ content_key, digest }];
      });
      await updateRows(tx, 'contents', renewed);
      if (renewed.length > 0) return renewed.length;
    }
    return 0;
  };
}

/** @param renew the page behind a place; one without a last place is the end */
function resealPages(
  renew: (tx: WriteTransaction, after: Cell | undefined) => Promise<{ last: Cell | undefined; renewed: number }>,
): Step {
  let after: Cell | undefined;
  return async (tx) => {
    for (;;) {
      const { last, renewed } = await renew(tx, after);
      after = last;
      if (renewed > 0 || last === undefined) return renewed;
    }
  };
}

/** @throws WrongKeyError, BrokenSealError; batches committed before stay. */
export async function reseal(
  engine: Engine,
  sealer: Sealer,
  onProgress: (renewed: number) => unknown,
): Promise<number> {
  let renewed = await adoptRows(engine);
  const ofTables = SEALED_TABLES.map((table) => resealPages((tx, after) => renewRows(tx, table, after)));
  const ofNames = resealPages((tx, after) => renewSeals(tx, after, BATCH));
  for (const step of [...VALUES.map(resealValues), resealDigests(), ofNames, ...ofTables]) {
    let done: number;
    do {
      done = await engine.write(async (tx) => {
        await noteSealingKey(tx);
        return step(tx, sealer);
      });
      renewed += done;
      if (done > 0) await onProgress(renewed);
    } while (done > 0);
  }
  await engine.write(renewSums);
  await engine.write((tx) => forgetRetiredKeys(tx, sealer));
  return renewed;
}

/** Deletes the ids of older keys, unless a row still uses one: another process may have sealed with it meanwhile. */
async function forgetRetiredKeys(tx: WriteTransaction, sealer: Sealer): Promise<void> {
  for (const { table } of VALUES) {
    const { rows } = await sql`select 1 from ${sql.table(table)} where key_id <> ${sealer.keyId} limit 1`.execute(
      tx.db,
    );
    if (rows.length > 0) return;
  }
  await tx.db.deleteFrom('sealing_keys').where('key_id', '!=', sealer.keyId).execute();
}

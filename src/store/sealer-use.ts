/** The sealer where it meets rows: demanded where a token is needed, and its key noted in the database. */
import type { Engine, WriteTransaction } from './engine.ts';
import type { Sealer } from './sealing.ts';
import { MissingKeyError, WrongKeyError } from './sealing-errors.ts';

/** @throws MissingKeyError */
export function requireSealer(sealer: Sealer | null): Sealer {
  if (sealer === null) throw new MissingKeyError();
  return sealer;
}

/** Remembers that something is sealed with the newest key, so that a lost key is noticed when the database is opened. */
export async function noteSealingKey(tx: WriteTransaction, sealer: Sealer): Promise<void> {
  await tx.insertMany('sealing_keys', ['key_id'], [[sealer.keyId]], { skipKnown: true });
}

export async function sealingKeysInUse(engine: Engine): Promise<readonly string[]> {
  const rows = await engine.db.selectFrom('sealing_keys').select('key_id').orderBy('key_id').execute();
  return rows.map((row) => row.key_id);
}

/** A key that is missing at the start would otherwise stop a night in its middle. @throws WrongKeyError */
export async function requireKeysInUse(engine: Engine, sealer: Sealer): Promise<void> {
  const missing = (await sealingKeysInUse(engine)).filter((keyId) => !sealer.knows(keyId));
  if (missing.length > 0) throw new WrongKeyError(missing);
}

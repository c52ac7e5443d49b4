/** Transactions that bodies of several records name for one receiver and asset, found in one pass over the stored bodies. */
import { sql } from 'kysely';
import type { Asset } from '../domain/asset.ts';
import { nameOfTx, type ReusedTx } from '../domain/survey.ts';
import type { Engine } from './engine.ts';

/** A flood of them is one defect: so many rows prove it, and no more are kept with a run. */
const MOST_ROWS = 20_000;
/** Records that a finding can name. */
const MOST_NAMED = 20;

export const reusedTx = (engine: Engine) => async (): Promise<readonly ReusedTx[]> => {
  const rows = await engine.db
    .selectFrom('contents as c')
    .innerJoin('tracked_records as r', 'r.record_key', 'c.record_key')
    .select(['r.kind', 'r.record_id', 'c.final_tx_hash', 'c.receiver_address', 'c.asset_address', 'c.asset_symbol'])
    .distinct()
    .where('r.retracted_at', 'is', null)
    .where('c.receiver_address', 'is not', null)
    .where(
      sql<boolean>`lower(c.final_tx_hash) in (select lower(final_tx_hash) from contents
        where final_tx_hash is not null group by lower(final_tx_hash) having min(record_key) <> max(record_key))`,
    )
    .orderBy('r.kind')
    .orderBy('r.record_id')
    .limit(MOST_ROWS)
    .execute();
  const claims = new Map<string, Set<string>>();
  for (const row of rows) {
    const asset = { address: row.asset_address, symbol: row.asset_symbol } as Asset;
    const tx = nameOfTx({ finalTxHash: row.final_tx_hash, receiverAddress: row.receiver_address, asset });
    if (tx === null) continue;
    const records = claims.get(tx) ?? new Set();
    if (records.size < MOST_NAMED) claims.set(tx, records.add(`${row.kind} ${row.record_id}`));
  }
  return [...claims].flatMap(([tx, records]) => (records.size > 1 ? [{ tx, records: [...records] }] : []));
};

/** Moves of prices that no market explains. */
import { sql } from 'kysely';
import type { KeptMove, MoveStore } from '../ports/store/store.ts';
import { readDecimal } from './cells.ts';
import type { Engine } from './engine.ts';
import { checkFence } from './leases.ts';
import { addRows, deleteRows } from './rows.ts';

const MOVE = [
  'record_key as recordKey',
  'market',
  'from_hour as fromHour',
  'to_hour as toHour',
  'share',
  'loss',
] as const;
const PAGE = 5000;

export function moveStore(engine: Engine): MoveStore {
  const lasts = sql<number>`to_hour - from_hour`;
  return {
    keep: (fence, moves) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        const keys = moves.map(({ recordKey }) => recordKey);
        await deleteRows(tx, 'price_moves', tx.inList('record_key', keys));
        const rows = moves.map((each) => ({
          record_key: each.recordKey,
          market: each.market,
          from_hour: each.fromHour,
          to_hour: each.toHour,
          share: each.share.toString(),
          loss: each.loss.toString(),
        }));
        await addRows(tx, 'price_moves', rows);
      }),
    pages: async function* ({ from, to }) {
      let last: KeptMove | undefined;
      for (;;) {
        const all = engine.db
          .selectFrom('price_moves')
          .select(MOVE)
          .where('to_hour', '>=', from)
          .where('to_hour', '<=', to);
        const further =
          last === undefined
            ? all
            : all.where(
                sql<boolean>`(market, ${lasts}, record_key) > (${last.market}, ${last.toHour - last.fromHour}, ${last.recordKey})`,
              );
        const rows = await further.orderBy('market').orderBy(lasts).orderBy('record_key').limit(PAGE).execute();
        const page = rows.map((row): KeptMove => ({ ...row, share: BigInt(row.share), loss: readDecimal(row.loss) }));
        if (page.length > 0) yield page;
        last = page.at(-1);
        if (page.length < PAGE) return;
      }
    },
    forget: (fence, before) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        await deleteRows(tx, 'price_moves', sql`to_hour < ${before}`);
      }),
  };
}

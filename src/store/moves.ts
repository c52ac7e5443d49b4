/** Moves of prices that no market explains. */
import { sql } from 'kysely';
import type { KeptMove, MoveStore } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';
import { writeUnder } from './leases.ts';
import { addRows, deleteRows } from './rows.ts';
import { namesOf } from './schema/column.ts';
import { EVIDENCE } from './schema/evidence.ts';
import { readerOf, writerOf } from './schema/places.ts';

const MOVE = EVIDENCE.price_moves.columns;
const PAGE = 5000;

export function moveStore(engine: Engine): MoveStore {
  const lasts = sql<number>`to_hour - from_hour`;
  return {
    keep: (fence, moves) =>
      writeUnder(engine, fence, async (tx) => {
        const keys = moves.map(({ recordKey }) => recordKey);
        await deleteRows(tx, 'price_moves', tx.inList('record_key', keys));
        await addRows(tx, 'price_moves', moves.map(writerOf(MOVE)));
      }),
    pages: async function* ({ from, to }) {
      let last: KeptMove | undefined;
      for (;;) {
        const all = engine.db
          .selectFrom('price_moves')
          .select(namesOf(MOVE))
          .where('to_hour', '>=', from)
          .where('to_hour', '<=', to);
        const further =
          last === undefined
            ? all
            : all.where(
                sql<boolean>`(market, ${lasts}, record_key) > (${last.market}, ${last.toHour - last.fromHour}, ${last.recordKey})`,
              );
        const rows = await further.orderBy('market').orderBy(lasts).orderBy('record_key').limit(PAGE).execute();
        const page = rows.map(readerOf(MOVE));
        if (page.length > 0) yield page;
        last = page.at(-1);
        if (page.length < PAGE) return;
      }
    },
    forget: (fence, before) =>
      writeUnder(engine, fence, async (tx) => {
        await deleteRows(tx, 'price_moves', sql`to_hour < ${before}`);
      }),
  };
}

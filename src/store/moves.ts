/** Moves of prices that no market explains. */
import { sql } from 'kysely';
import type { KeptMove, MoveStore } from '../ports/store/store.ts';
import { readDecimal } from './cells.ts';
import type { Engine } from './engine.ts';
import { checkFence } from './leases.ts';
import type { Sealer } from './sealing.ts';
import { changeSummed } from './summed-rows.ts';

const COLUMNS = ['record_key', 'market', 'from_hour', 'to_hour', 'share', 'loss'] as const;
const PAGE = 5000;

export function moveStore(engine: Engine, sealer: Sealer | null): MoveStore {
  const lasts = sql<number>`to_hour - from_hour`;
  return {
    keep: (fence, moves) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        const keys = moves.map(({ recordKey }) => recordKey);
        const ofRecords = engine.inList('record_key', keys);
        await changeSummed(tx, sealer, 'price_moves', sql`${ofRecords}`, async () => {
          await tx.db.deleteFrom('price_moves').where(ofRecords).execute();
          await tx.insertMany(
            'price_moves',
            COLUMNS,
            moves.map((each) => [
              ...[each.recordKey, each.market, each.fromHour, each.toHour],
              ...[each.share.toString(), each.loss.toString()],
            ]),
          );
        });
      }),
    pages: async function* ({ from, to }) {
      let last: KeptMove | undefined;
      for (;;) {
        const all = engine.db
          .selectFrom('price_moves')
          .select(COLUMNS)
          .where('to_hour', '>=', from)
          .where('to_hour', '<=', to);
        const further =
          last === undefined
            ? all
            : all.where(
                sql<boolean>`(market, ${lasts}, record_key) > (${last.market}, ${last.toHour - last.fromHour}, ${last.recordKey})`,
              );
        const page = await engine.each(
          further.orderBy('market').orderBy(lasts).orderBy('record_key').limit(PAGE),
          (row): KeptMove => ({
            recordKey: row[0] as number,
            market: row[1] as string,
            fromHour: row[2] as number,
            toHour: row[3] as number,
            share: BigInt(row[4] as string),
            loss: readDecimal(row[5]),
          }),
        );
        if (page.length > 0) yield page;
        last = page.at(-1);
        if (page.length < PAGE) return;
      }
    },
    forget: (fence, before) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        await changeSummed(tx, sealer, 'price_moves', sql`to_hour < ${before}`, () =>
          tx.db.deleteFrom('price_moves').where('to_hour', '<', before).execute(),
        );
      }),
  };
}

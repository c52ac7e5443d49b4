/** Claims, their breaks and their events. */
import { sql } from 'kysely';
import type { ClaimEvent, ClaimItem } from '../domain/claim.ts';
import { ClaimMovedOnError } from '../ports/store/errors.ts';
import type { ClaimStore } from '../ports/store/store.ts';
import { appendEvent } from './breaks.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { addForKeys, addRows, deleteRows, setRows } from './rows.ts';
import { writerOf } from './schema/places.ts';
import { CLAIM, CLAIM_EVENT, CLAIM_ITEM } from './schema/work-list.ts';
import { findObjects, findRow } from './statements.ts';

const [claimCells, itemCells, eventCells] = [writerOf(CLAIM), writerOf(CLAIM_ITEM), writerOf(CLAIM_EVENT)];
const ofClaim = (claimId: string) => sql`claim_key in (select claim_key from claims where claim_id = ${claimId})`;

async function set(
  tx: WriteTransaction,
  claim_key: number,
  items: readonly ClaimItem[],
  event: ClaimEvent,
  breaks: Parameters<ClaimStore['open']>[3],
): Promise<void> {
  await deleteRows(tx, 'claim_items', { claim_key });
  const rows = items.map((item) => ({ claim_key, ...itemCells(item) }));
  await addRows(tx, 'claim_items', rows);
  await addRows(tx, 'claim_events', [{ claim_key, ...eventCells(event) }]);
  for (const each of breaks) await appendEvent(tx, each);
}

export function claimStore(engine: Engine): ClaimStore {
  return {
    open: (claim, items, event, breaks) =>
      engine.write(async (tx) => {
        const [key] = await addForKeys(tx, 'claims', [claimCells({ ...claim, events: 1 })]);
        if (key === undefined) throw new Error('the claim got no key');
        await set(tx, key, items, event, breaks);
      }),
    get: async (claimId) => {
      const isBegun = sql`claim_id >= ${claimId} and claim_id < ${`${claimId}g`}`;
      const [claim = null, other] = await findObjects(engine.db, 'claims', CLAIM, isBegun, { limit: 2 });
      return other === undefined ? claim : null;
    },
    list: ({ states, limit }) => {
      const isIn = states === undefined ? {} : engine.inList('state', states);
      return findObjects(engine.db, 'claims', CLAIM, isIn, 'claim_key desc', { limit });
    },
    items: (claimId) => findObjects(engine.db, 'claim_items', CLAIM_ITEM, ofClaim(claimId), 'break_id'),
    events: (claimId) => findObjects(engine.db, 'claim_events', CLAIM_EVENT, ofClaim(claimId), 'event_key'),
    ofBreaks: async (breakIds) => {
      const rows = await engine.db
        .selectFrom('claim_items as i')
        .innerJoin('claims as c', 'c.claim_key', 'i.claim_key')
        .select(['i.break_id', 'c.claim_id'])
        .where(engine.inList('i.break_id', breakIds))
        // What was recovered stays claimed, also where the rest was rejected.
        .where(({ eb, or }) => or([eb('c.state', '!=', 'rejected'), eb('i.recovered', '!=', '0')]))
        .orderBy('c.claim_key')
        .execute();
      return new Map(rows.map((row) => [row.break_id, row.claim_id]));
    },
    update: (claim, items, event, expectedEvents, breaks) =>
      engine.write(async (tx) => {
        const known = await findRow(tx.db, 'claims', { claim_id: claim.claimId }, ['claim_key', 'events']);
        if (known?.events !== expectedEvents) throw new ClaimMovedOnError(claim.claimId);
        const { claim_key } = known;
        await setRows(tx, 'claims', { claim_key }, claimCells({ ...claim, events: expectedEvents + 1 }));
        await set(tx, claim_key, items, event, breaks);
      }),
  };
}

/** Claims, their breaks and their events. */
import type { ClaimEvent, ClaimItem } from '../domain/claim.ts';
import { ClaimMovedOnError } from '../ports/store/errors.ts';
import type { ClaimStore } from '../ports/store/store.ts';
import { appendEvent } from './breaks.ts';
import { readDecimal } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { addForKeys, addRows, deleteRows, setRows } from './rows.ts';
import { findRow } from './statements.ts';

const CLAIM = [
  'claim_id as claimId',
  'title',
  'state',
  'reference',
  'opened_at as openedAt',
  'opened_by as openedBy',
  'remind_on as remindOn',
  'events',
] as const;
const EVENT = ['at', 'state', 'name', 'account', 'proof', 'reason'] as const;

async function addEvent(tx: WriteTransaction, claimKey: number, event: ClaimEvent): Promise<void> {
  const { at, state, name, account, proof, reason } = event;
  await addRows(tx, 'claim_events', [{ claim_key: claimKey, at, state, name, account, proof, reason }]);
}

async function setItems(tx: WriteTransaction, claimKey: number, items: readonly ClaimItem[]): Promise<void> {
  await deleteRows(tx, 'claim_items', { claim_key: claimKey });
  await addRows(
    tx,
    'claim_items',
    items.map(({ breakId, currency, claimed, recovered }) => ({
      claim_key: claimKey,
      break_id: breakId,
      currency,
      claimed: claimed.toString(),
      recovered: recovered.toString(),
    })),
  );
}

export function claimStore(engine: Engine): ClaimStore {
  return {
    open: (claim, items, event, breaks) =>
      engine.write(async (tx) => {
        const { claimId, title, state, reference, openedAt, openedBy, remindOn } = claim;
        const [key] = await addForKeys(tx, 'claims', [
          {
            claim_id: claimId,
            title,
            state,
            reference,
            opened_at: openedAt,
            opened_by: openedBy,
            remind_on: remindOn,
            events: 1,
          },
        ]);
        if (key === undefined) throw new Error('the claim got no key');
        await setItems(tx, key, items);
        await addEvent(tx, key, event);
        for (const each of breaks) await appendEvent(tx, each);
      }),
    get: async (claimId) => {
      const [claim = null, other] = await engine.db
        .selectFrom('claims')
        .select(CLAIM)
        .where('claim_id', '>=', claimId)
        .where('claim_id', '<', `${claimId}g`)
        .limit(2)
        .execute();
      return other === undefined ? claim : null;
    },
    list: async ({ states, limit }) => {
      let query = engine.db.selectFrom('claims').select(CLAIM).orderBy('claim_key', 'desc').limit(limit);
      if (states !== undefined) query = query.where(engine.inList('state', states));
      return query.execute();
    },
    items: async (claimId) => {
      const rows = await engine.db
        .selectFrom('claim_items as i')
        .innerJoin('claims as c', 'c.claim_key', 'i.claim_key')
        .select(['i.break_id as breakId', 'i.currency', 'i.claimed', 'i.recovered'])
        .where('c.claim_id', '=', claimId)
        .orderBy('i.break_id')
        .execute();
      return rows.map(({ claimed, recovered, ...item }) => ({
        ...item,
        claimed: readDecimal(claimed),
        recovered: readDecimal(recovered),
      }));
    },
    events: (claimId) =>
      engine.db
        .selectFrom('claim_events as e')
        .innerJoin('claims as c', 'c.claim_key', 'e.claim_key')
        .select(EVENT.map((column) => `e.${column}` as const))
        .where('c.claim_id', '=', claimId)
        .orderBy('e.event_key')
        .execute(),
    ofBreaks: async (breakIds) => {
      const rows = await engine.db
        .selectFrom('claim_items as i')
        .innerJoin('claims as c', 'c.claim_key', 'i.claim_key')
        .select(['i.break_id', 'c.claim_id'])
        .where(engine.inList('i.break_id', breakIds))
        // What was recovered stays claimed, whatever became of the rest.
        .where(({ eb, or }) => or([eb('c.state', '!=', 'rejected'), eb('i.recovered', '!=', '0')]))
        .orderBy('c.claim_key')
        .execute();
      return new Map(rows.map((row) => [row.break_id, row.claim_id]));
    },
    update: (claim, items, event, expectedEvents, breaks) =>
      engine.write(async (tx) => {
        const known = await findRow(tx.db, 'claims', { claim_id: claim.claimId }, ['claim_key', 'events']);
        if (known?.events !== expectedEvents) throw new ClaimMovedOnError(claim.claimId);
        const { title, state, reference, remindOn } = claim;
        const cells = { title, state, reference, remind_on: remindOn, events: expectedEvents + 1 };
        await setRows(tx, 'claims', { claim_key: known.claim_key }, cells);
        await setItems(tx, known.claim_key, items);
        await addEvent(tx, known.claim_key, event);
        for (const each of breaks) await appendEvent(tx, each);
      }),
  };
}

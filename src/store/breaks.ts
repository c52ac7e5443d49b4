/** Writes breaks: staged events of runs, and events of people. */
import type { BreakEvent } from '../domain/break.ts';
import { severityRank } from '../domain/finding.ts';
import { BreakMovedOnError, UnknownBreakError } from '../ports/store/errors.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { decimalCell, flagCell } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { writeUnder } from './leases.ts';
import { breakReader } from './read-breaks.ts';
import { seal } from './row-seals.ts';
import { deleteRows } from './rows.ts';
import { runHeadIn } from './run-rows.ts';
import { breakStateCells, eventCells, identityCells } from './schema/breaks.ts';
import { queueKeyOf, stakeKeyOf } from './schema/queue-order.ts';
import { findRow, findRows } from './statements.ts';
import { insertForKeys, insertRows, updateRows } from './write-rows.ts';

/** Host references by record key, for the events to be written. */
async function hostReferences(
  tx: WriteTransaction,
  keys: readonly (number | null)[],
): Promise<ReadonlyMap<number | null, string | null>> {
  const recordKeys = new Set(keys.filter((key) => key !== null));
  if (recordKeys.size === 0) return new Map();
  const isOne = tx.inList('record_key', [...recordKeys]);
  const rows = await findRows(tx.db, 'tracked_records', isOne, ['record_key', 'host_reference']);
  return new Map(rows.map((row) => [row.record_key, row.host_reference]));
}

/** One event of a person, in a transaction of the caller's. @throws BreakMovedOnError, UnknownBreakError */
export async function appendEvent(tx: WriteTransaction, event: BreakEvent & { expectedEvents: number }): Promise<void> {
  const { after } = event;
  const named = ['break_key', 'record_key', 'events', 'last_event_key'] as const;
  const known = await findRow(tx.db, 'breaks', { break_id: after.breakId }, named);
  if (known === undefined) throw new UnknownBreakError(after.breakId);
  if (known.events !== event.expectedEvents) throw new BreakMovedOnError(after.breakId);
  const references = await hostReferences(tx, [known.record_key]);
  const latest = await findRow(tx.db, 'break_events', { event_key: known.last_event_key }, ['at']);
  const dated = { ...event, at: Math.max(event.at, latest?.at ?? event.at) };
  const [eventKey] = await insertForKeys(tx, 'break_events', [
    {
      break_key: known.break_key,
      host_reference: references.get(known.record_key) ?? null,
      ...eventCells(dated),
      ...breakStateCells(after),
    },
  ]);
  await updateRows(tx, 'breaks', [
    {
      break_key: known.break_key,
      state: after.state,
      assignee: after.assignee,
      events: known.events + 1,
      last_event_key: eventKey as number,
      severity_rank: severityRank(after.severity),
      stake_key: stakeKeyOf(decimalCell(after.moneyAtStake)),
      queue_key: queueKeyOf(after),
      currency: after.recordCurrency ?? after.currency,
      is_led: flagCell(after.leadingBreakId !== null && after.leadingBreakId !== after.breakId),
    },
  ]);
  if (eventKey !== undefined) await seal(tx, `event ${eventKey}`);
}

export function breakStore(engine: Engine): BreakStore {
  return {
    ...breakReader(engine),
    clearStaged: (runId, fence) =>
      writeUnder(engine, fence, async (tx) => {
        const run = await runHeadIn(tx, runId, ['fetching', 'judging'], 'be judged again');
        await deleteRows(tx, 'staged_break_events', { run_key: run.run_key });
      }),
    stage: (runId, fence, events) =>
      writeUnder(engine, fence, async (tx) => {
        const run = await runHeadIn(tx, runId, ['judging'], 'stage break events');
        const keys = events.map((event) => event.recordKey);
        const references = await hostReferences(tx, keys);
        const rows = events.map((event) => ({
          run_key: run.run_key,
          record_key: event.recordKey,
          ...identityCells(event.after),
          host_reference: references.get(event.recordKey) ?? null,
          ...eventCells(event),
          ...breakStateCells(event.after),
        }));
        await insertRows(tx, 'staged_break_events', rows);
      }),
    append: (events) =>
      engine.write(async (tx) => {
        for (const event of events) await appendEvent(tx, event);
      }),
  };
}

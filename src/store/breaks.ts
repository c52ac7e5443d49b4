/** Writes breaks: staged events of runs, and events of people. */
import type { BreakEvent } from '../domain/break.ts';
import { severityRank } from '../domain/finding.ts';
import { BreakMovedOnError, UnknownBreakError } from '../ports/store/errors.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { type Cell, decimalCell } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { checkFence } from './leases.ts';
import { breakReader } from './read-breaks.ts';
import { sealEvents } from './row-seals.ts';
import { runHeadIn } from './run-rows.ts';
import {
  BREAK_STATE_COLUMNS,
  breakStateCells,
  EVENT_COLUMNS,
  eventCells,
  IDENTITY_COLUMNS,
  identityCells,
} from './schema/breaks.ts';
import { queueKeyOf, stakeKeyOf } from './schema/queue-order.ts';
import type { Sealer } from './sealing.ts';

/** Host references by record key, for the events to be written. */
async function hostReferences(
  engine: Engine,
  tx: WriteTransaction,
  keys: readonly (number | null)[],
): Promise<ReadonlyMap<Cell, Cell>> {
  const recordKeys = keys.filter((key) => key !== null);
  if (recordKeys.length === 0) return new Map();
  const rows = await tx.db
    .selectFrom('tracked_records')
    .select(['record_key', 'host_reference'])
    .where(engine.inList('record_key', [...new Set(recordKeys)]))
    .execute();
  return new Map(rows.map((row) => [row.record_key, row.host_reference]));
}

/** One event of a person, in a transaction of the caller's. @throws BreakMovedOnError, UnknownBreakError */
export async function appendEvent(
  engine: Engine,
  tx: WriteTransaction,
  event: BreakEvent & { expectedEvents: number },
  sealer: Sealer | null,
): Promise<void> {
  const { after } = event;
  const known = await tx.db.selectFrom('breaks').selectAll().where('break_id', '=', after.breakId).executeTakeFirst();
  if (known === undefined) throw new UnknownBreakError(after.breakId);
  if (known.events !== event.expectedEvents) throw new BreakMovedOnError(after.breakId);
  const references = await hostReferences(engine, tx, [known.record_key]);
  const latest = await tx.db
    .selectFrom('break_events')
    .select('at')
    .where('event_key', '=', known.last_event_key)
    .executeTakeFirst();
  const dated = { ...event, at: Math.max(event.at, latest?.at ?? event.at) };
  const [eventKey] = await tx.insertForKeys(
    'break_events',
    'event_key',
    ['break_key', 'host_reference', ...EVENT_COLUMNS, ...BREAK_STATE_COLUMNS],
    [[known.break_key, references.get(known.record_key) ?? null, ...eventCells(dated), ...breakStateCells(after)]],
  );
  await tx.updateMany(
    'breaks',
    ['break_key'],
    ['state', 'assignee', 'events', 'last_event_key', 'severity_rank', 'stake_key', 'queue_key', 'currency', 'is_led'],
    [
      [
        known.break_key,
        after.state,
        after.assignee,
        known.events + 1,
        eventKey ?? null,
        severityRank(after.severity),
        stakeKeyOf(decimalCell(after.moneyAtStake)),
        queueKeyOf(after),
        after.recordCurrency ?? after.currency,
        after.leadingBreakId === null || after.leadingBreakId === after.breakId ? 0 : 1,
      ],
    ],
  );
  if (eventKey !== undefined) await sealEvents(engine, tx, sealer, { eventKey: Number(eventKey) });
}

export function breakStore(engine: Engine, sealer: Sealer | null): BreakStore {
  return {
    ...breakReader(engine),
    clearStaged: async (runId, fence) => {
      await engine.write(async (tx) => {
        await checkFence(tx, fence);
        const run = await runHeadIn(tx, runId, ['fetching', 'judging'], 'be judged again');
        await tx.db.deleteFrom('staged_break_events').where('run_key', '=', run.run_key).execute();
      });
    },
    stage: async (runId, fence, events) => {
      await engine.write(async (tx) => {
        await checkFence(tx, fence);
        const run = await runHeadIn(tx, runId, ['judging'], 'stage break events');
        const references = await hostReferences(
          engine,
          tx,
          events.map((event) => event.recordKey),
        );
        await tx.insertMany(
          'staged_break_events',
          ['run_key', 'record_key', ...IDENTITY_COLUMNS, 'host_reference', ...EVENT_COLUMNS, ...BREAK_STATE_COLUMNS],
          events.map((event) => [
            run.run_key,
            event.recordKey,
            ...identityCells(event.after),
            references.get(event.recordKey) ?? null,
            ...eventCells(event),
            ...breakStateCells(event.after),
          ]),
        );
      });
    },
    append: (events) =>
      engine.write(async (tx) => {
        for (const event of events) await appendEvent(engine, tx, event, sealer);
      }),
  };
}

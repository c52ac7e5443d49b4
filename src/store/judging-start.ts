/** fetching → judging: fixes everything that the judge may see, so that a replay sees the same. */
import { sql } from 'kysely';
import type { Run } from '../domain/run.ts';
import type { Fence } from '../ports/store/store.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { checkFence } from './leases.ts';
import { readRun, runHeadIn, runRow } from './run-columns.ts';

/** The newest key of a table whose keys only rise; 0 where it is empty. */
async function newestKeys(tx: WriteTransaction): Promise<{ quote: number; reference: number; breakEvent: number }> {
  const { fn } = tx.db;
  const quote = await tx.db
    .selectFrom('quotes')
    .select(fn.max<number | null>('quote_key').as('key'))
    .executeTakeFirst();
  const reference = await tx.db
    .selectFrom('reference_captures')
    .select(fn.max<number | null>('capture_key').as('key'))
    .executeTakeFirst();
  const breakEvent = await tx.db
    .selectFrom('break_events')
    .select(fn.max<number | null>('event_key').as('key'))
    .executeTakeFirst();
  return { quote: quote?.key ?? 0, reference: reference?.key ?? 0, breakEvent: breakEvent?.key ?? 0 };
}

/** Changes that were learned between runs (by webhook), or by a run that came to nothing, are reported by this one. */
async function claimStatusChanges(tx: WriteTransaction, runKey: number): Promise<void> {
  await tx.db
    .updateTable('status_changes')
    .set({ run_key: runKey })
    .where('run_key', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('run_items')
          .select('run_items.run_key')
          .where('run_items.run_key', '=', runKey)
          .whereRef('run_items.kind', '=', 'status_changes.kind')
          .whereRef('run_items.record_id', '=', 'status_changes.record_id'),
      ),
    )
    .execute();
}

/** Quotes that came in since the run was planned; after this, and so for every replay, the links stand. */
async function linkLateQuotes(tx: WriteTransaction, runKey: number): Promise<void> {
  await sql`
    update run_items
    set quote_key = (select quote_key from quotes where quotes.quote_id = run_items.quote_id)
    where run_key = ${runKey} and quote_key is null
      and exists (select 1 from quotes where quotes.quote_id = run_items.quote_id)`.execute(tx.db);
}

/** Calling it again changes nothing: the watermarks of the first call stand. @throws LeaseLostError, RunStateError */
export async function startJudging(engine: Engine, runId: string, fence: Fence, deferredReason: string): Promise<Run> {
  return engine.write(async (tx) => {
    await checkFence(tx, fence);
    const run = await runHeadIn(tx.db, runId, ['fetching', 'judging'], 'be judged');
    if (run.state === 'judging') return readRun(await runRow(tx.db, runId));
    await tx.db
      .updateTable('run_items')
      .set({ outcome: 'deferred', reason: deferredReason })
      .where('run_key', '=', run.run_key)
      .where('outcome', 'is', null)
      .execute();
    await claimStatusChanges(tx, run.run_key);
    await linkLateQuotes(tx, run.run_key);
    const watermarks = await newestKeys(tx);
    await tx.db
      .updateTable('runs')
      .set({
        state: 'judging',
        quote_watermark: watermarks.quote,
        reference_watermark: watermarks.reference,
        break_watermark: watermarks.breakEvent,
      })
      .where('run_key', '=', run.run_key)
      .execute();
    return readRun(await runRow(tx.db, runId));
  });
}

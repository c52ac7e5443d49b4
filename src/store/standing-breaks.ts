/** Breaks as they stood at a watermark: the last event of each with a key not above it. */
import { sql } from 'kysely';
import type { Break } from '../domain/break.ts';
import type { Kind } from '../domain/record.ts';
import { BREAK_STATE_COLUMNS, IDENTITY_COLUMNS, readBreak } from './break-columns.ts';
import type { Engine } from './engine.ts';
import { stretch } from './places.ts';
import { runHead } from './run-columns.ts';

const COLUMNS = [
  ...IDENTITY_COLUMNS.map((column) => `b.${column}` as const),
  ...BREAK_STATE_COLUMNS.map((column) => `e.${column}` as const),
] as const;

/** Every break with its last event under the watermark; breaks that were not there yet are left out. */
function asOf(engine: Engine, watermark: number) {
  const lastKey = sql<number>`(
    select max(event_key) from break_events where break_key = b.break_key and event_key <= ${watermark})`;
  return engine.db
    .selectFrom('breaks as b')
    .innerJoin('break_events as e', (join) => join.on('e.event_key', '=', lastKey));
}

export async function standing(
  engine: Engine,
  recordKeys: readonly number[],
  watermark: number,
): Promise<ReadonlyMap<number, readonly Break[]>> {
  const rows = await engine.rows(
    asOf(engine, watermark)
      .select(['b.record_key', ...COLUMNS])
      .where(engine.inList('b.record_key', recordKeys))
      .orderBy('b.record_key')
      .orderBy('b.rule')
      .orderBy('b.field'),
  );
  const breaks = new Map<number, Break[]>();
  for (const row of rows) {
    const recordKey = row[0] as number;
    const list = breaks.get(recordKey);
    if (list === undefined) breaks.set(recordKey, [readBreak(row, 1)]);
    else list.push(readBreak(row, 1));
  }
  return breaks;
}

/** The host reference is the one of the event, so that a report that is rendered again shows what it showed. */
export async function standingOutside(
  engine: Engine,
  runId: string,
  watermark: number,
  after: { kind: Kind; recordId: string } | null,
  upTo: { kind: Kind; recordId: string } | null,
): Promise<readonly (Break & { hostReference: string | null })[]> {
  const { run_key: runKey } = await runHead(engine.db, runId);
  const query = asOf(engine, watermark)
    .select(['e.host_reference', ...COLUMNS])
    .where('e.state', '!=', 'resolved')
    .where(stretch('b', { after }, upTo))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('run_items as i')
            .select('i.run_key')
            .where('i.run_key', '=', runKey)
            .whereRef('i.kind', '=', 'b.kind')
            .whereRef('i.record_id', '=', 'b.record_id'),
        ),
      ),
    );
  const rows = await engine.rows(query.orderBy('b.kind').orderBy('b.record_id').orderBy('b.rule').orderBy('b.field'));
  return rows.map((row) => ({ ...readBreak(row, 1), hostReference: row[0] as string | null }));
}

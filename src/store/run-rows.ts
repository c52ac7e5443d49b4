/** A Run as a row of `runs`. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { UsageError } from '../domain/errors.ts';
import type { Run } from '../domain/run.ts';
import { RunStateError, UnknownRunError } from '../ports/store/errors.ts';
import type { Reader } from './engine.ts';
import { namesOf, only, without } from './schema/column.ts';
import { of, readerOf, selection } from './schema/places.ts';
import { RUNS, STATUS_CHANGE } from './schema/runs.ts';
import type { RowOf, Tables } from './schema/tables.ts';
import { findObjects, findRow } from './statements.ts';

type RunRow = RowOf<'runs'>;

const RUN = without(RUNS.runs.columns, 'run_key', 'planned', 'observed', 'archived_at');
const readParts = readerOf(RUN);
export const RUN_COLUMNS = namesOf(RUNS.runs.columns);

export function readRun(row: RunRow): Run {
  const {
    quoteWatermark: quote,
    referenceWatermark: reference,
    breakWatermark: breakEvent,
    evidenceWatermark: evidence,
    sources,
    ...run
  } = readParts(row);
  const isMarked = quote !== null && reference !== null && breakEvent !== null;
  return { ...run, watermarks: isMarked ? { quote, reference, breakEvent, evidence } : null, sources: sources ?? [] };
}

/** @throws UnknownRunError */
export async function runRow(db: Kysely<Tables>, runId: string): Promise<RunRow> {
  const row = await findRow(db, 'runs', { run_id: runId }, RUN_COLUMNS);
  if (row === undefined) throw new UnknownRunError(runId);
  return row;
}

const HEAD_COLUMNS = only(
  RUNS.runs.columns,
  ...(['run_key', 'state', 'revision', 'planned', 'population', 'observed', 'break_watermark', 'archived_at'] as const),
);
const HEAD = selection({ head: of('r', HEAD_COLUMNS) });

/**
 * The short columns of a run: pages and batches read it thousands of times, and its terms and selection can be long.
 */
export type RunHead = Pick<RunRow, keyof typeof HEAD_COLUMNS>;

/** @throws UnknownRunError */
export async function runHead(reader: Reader, runId: string): Promise<RunHead> {
  const { columns, at } = HEAD;
  const [row] = await reader.rows(reader.db.selectFrom('runs as r').select(columns).where('run_id', '=', runId));
  if (row === undefined) throw new UnknownRunError(runId);
  const places = Object.entries(at.head).map(([name, place]) => [name, row[place]] as const);
  return Object.fromEntries(places) as unknown as RunHead;
}

/** @throws UsageError where the items of the run were moved to an archive. */
export function requireItems({ archived_at: at }: RunHead, runId: string): void {
  if (at === null) return;
  throw new UsageError(
    `the records of ${runId} were moved to an archive on ${new Date(at).toISOString().slice(0, 10)}`,
    {
      remedy: `read them from there: tieout replay ${runId} --archive FILE`,
    },
  );
}

/** The key of a run within a statement; null for an unknown run, so that no row matches. */
export function ofRun(runId: string): RawBuilder<number> {
  return sql<number>`(select run_key from runs where run_id = ${runId})`;
}

/** In report order, and those of one record as they were seen. */
export function findStatusChanges(db: Kysely<Tables>, where: RawBuilder<unknown>) {
  const order = ['kind', 'record_id', 'to_seen_at', 'change_key'] as const;
  return findObjects(db, 'status_changes', STATUS_CHANGE, where, ...order);
}

/** @throws UnknownRunError, RunStateError where the run is not in one of these states. */
export async function runHeadIn(
  reader: Reader,
  runId: string,
  states: readonly Run['state'][],
  wanted: string,
): Promise<RunHead> {
  const row = await runHead(reader, runId);
  if (!states.includes(row.state)) throw new RunStateError(runId, row.state, wanted);
  return row;
}

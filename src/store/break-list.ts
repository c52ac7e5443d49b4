/** The work list: breaks as they stand now, and the life of one. */
import { BREAK_STATES, type BreakEvent, isOpen } from '../domain/break.ts';
import type { Severity } from '../domain/finding.ts';
import { AmbiguousBreakIdError } from '../ports/store/errors.ts';
import type { BreakFilter, CurrentBreak } from '../ports/store/store.ts';
import { BREAK_STATE_COLUMNS, EVENT_COLUMNS, IDENTITY_COLUMNS, readBreak } from './break-columns.ts';
import type { Engine } from './engine.ts';

const MIN_PREFIX = 6;

const COLUMNS = [
  ...IDENTITY_COLUMNS.map((column) => `b.${column}` as const),
  ...BREAK_STATE_COLUMNS.map((column) => `e.${column}` as const),
] as const;

function currentBreaks(engine: Engine) {
  return engine.db
    .selectFrom('breaks as b')
    .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
    .innerJoin('tracked_records as t', 't.record_key', 'b.record_key')
    .select(['t.host_reference', 'b.events', ...COLUMNS]);
}

async function readCurrent(engine: Engine, query: ReturnType<typeof currentBreaks>): Promise<CurrentBreak[]> {
  const rows = await engine.rows(query);
  return rows.map((row) => ({
    ...readBreak(row, 2),
    hostReference: row[0] as string | null,
    events: row[1] as number,
  }));
}

/** In report order: kind, record id, rule, field. */
export async function listBreaks(engine: Engine, filter: BreakFilter): Promise<readonly CurrentBreak[]> {
  let query = currentBreaks(engine);
  if (filter.states !== undefined) query = query.where(engine.inList('b.state', filter.states));
  if (filter.rule !== undefined) query = query.where('b.rule', '=', filter.rule);
  if (filter.kind !== undefined) query = query.where('b.kind', '=', filter.kind);
  if (filter.recordId !== undefined) query = query.where('b.record_id', '=', filter.recordId);
  if (filter.assignee !== undefined) query = query.where('b.assignee', '=', filter.assignee);
  const ordered = query.orderBy('b.kind').orderBy('b.record_id').orderBy('b.rule').orderBy('b.field');
  return readCurrent(engine, ordered.limit(filter.limit).offset(filter.offset));
}

/** Breaks that somebody still has to act on. */
export async function countOpenBySeverity(engine: Engine): Promise<Readonly<Record<Severity, number>>> {
  const counts: Record<Severity, number> = { info: 0, low: 0, medium: 0, high: 0, critical: 0 };
  const rows = await engine.rows(
    engine.db
      .selectFrom('breaks as b')
      .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
      .select(['e.severity', ({ fn }) => fn.countAll<number>().as('breaks')])
      .where(engine.inList('b.state', BREAK_STATES.filter(isOpen)))
      .groupBy('e.severity'),
  );
  for (const row of rows) counts[row[0] as Severity] = Number(row[1]);
  return counts;
}

/** @throws AmbiguousBreakIdError */
export async function findBreak(engine: Engine, idOrPrefix: string): Promise<CurrentBreak | null> {
  // Ids are hexadecimal; anything else could not match, and would mean something in a range.
  if (idOrPrefix.length < MIN_PREFIX || !/^[0-9a-f]+$/.test(idOrPrefix)) return null;
  const found = await readCurrent(
    engine,
    currentBreaks(engine).where('b.break_id', '>=', idOrPrefix).where('b.break_id', '<', `${idOrPrefix}g`).limit(2),
  );
  if (found.length > 1) throw new AmbiguousBreakIdError(idOrPrefix);
  return found[0] ?? null;
}

/** Oldest first. */
export async function breakEvents(engine: Engine, breakId: string): Promise<readonly BreakEvent[]> {
  const head = EVENT_COLUMNS.map((column) => `e.${column}` as const);
  const rows = await engine.rows(
    engine.db
      .selectFrom('breaks as b')
      .innerJoin('break_events as e', 'e.break_key', 'b.break_key')
      .leftJoin('runs as r', 'r.run_key', 'e.run_key')
      .select(['r.run_id', ...head, ...COLUMNS])
      .where('b.break_id', '=', breakId)
      .orderBy('e.event_key'),
  );
  return rows.map((row) => ({
    runId: row[0] as string | null,
    type: row[1] as BreakEvent['type'],
    at: row[2] as number,
    who: row[3] as string,
    reason: row[4] as string | null,
    after: readBreak(row, 1 + EVENT_COLUMNS.length),
  }));
}

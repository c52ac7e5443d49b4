/** Reads breaks: their present state, their state at a watermark, and the events of one. */

import { sql } from 'kysely';
import type { Proof } from '../domain/actor.ts';
import { type Bearer, BREAK_STATES, type Break, type BreakEvent, isOpen } from '../domain/break.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Severity } from '../domain/finding.ts';
import { AmbiguousBreakIdError } from '../ports/store/errors.ts';
import type { BreakStore, CurrentBreak } from '../ports/store/store.ts';
import { dateOf } from './cells.ts';
import type { Engine } from './engine.ts';
import { ofRun } from './run-rows.ts';
import { BREAK_STATE_COLUMNS, EVENT_COLUMNS, IDENTITY_COLUMNS, readBreak } from './schema/breaks.ts';
import { reportRangeTemplate, template } from './statements.ts';

const MIN_PREFIX = 6;

const COLUMNS = [
  ...IDENTITY_COLUMNS.map((column) => `b.${column}` as const),
  ...BREAK_STATE_COLUMNS.map((column) => `e.${column}` as const),
] as const;

/** The present state of breaks; `readCurrent` reads its rows. */
export function currentBreaks(engine: Engine) {
  return engine.db
    .selectFrom('breaks as b')
    .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
    .leftJoin('tracked_records as t', 't.record_key', 'b.record_key')
    .select(['t.host_reference', 'b.events', ...COLUMNS]);
}

export async function readCurrent(engine: Engine, query: ReturnType<typeof currentBreaks>): Promise<CurrentBreak[]> {
  const rows = await engine.rows(query);
  return rows.map((row) => ({
    ...readBreak(row, 2),
    hostReference: row[0] as string | null,
    events: row[1] as number,
  }));
}

/** Every break with its last event at or below the watermark; breaks opened later are left out. */
function asOf(engine: Engine, watermark: number) {
  const lastKey = sql<number>`(
    select max(event_key) from break_events where break_key = b.break_key and event_key <= ${watermark})`;
  return engine.db
    .selectFrom('breaks as b')
    .innerJoin('break_events as e', (join) => join.on('e.event_key', '=', lastKey));
}

function standing(engine: Engine): BreakStore['standing'] {
  const ofRecords = (recordKeys: readonly number[]) => engine.inList('b.record_key', recordKeys);
  const statement = template(
    asOf(engine, 0)
      .select(['b.record_key', ...COLUMNS])
      .where(ofRecords([0]))
      .orderBy('b.record_key')
      .orderBy('b.rule')
      .orderBy('b.field'),
  );
  return async (recordKeys, watermark) => {
    const breaks = new Map<number, Break[]>();
    if (recordKeys.length === 0) return breaks;
    // The engine decides how a list is passed.
    const list = sql`${ofRecords(recordKeys)}`.compile(engine.db).parameters;
    for (const row of await engine.rows(statement([watermark, ...list]))) {
      const recordKey = row[0] as number;
      const known = breaks.get(recordKey);
      if (known === undefined) breaks.set(recordKey, [readBreak(row, 1)]);
      else known.push(readBreak(row, 1));
    }
    return breaks;
  };
}

/** The host reference is that of the event, so that a report rendered again has the same bytes. */
function standingOutside(engine: Engine): BreakStore['standingOutside'] {
  const statement = reportRangeTemplate('b', (range) =>
    asOf(engine, 0)
      .select(['e.host_reference', ...COLUMNS])
      .where(sql<boolean>`e.state <> 'resolved'`)
      .where(sql<boolean>`b.kind in ('purchase', 'sale')`)
      .where(range)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('run_items as i')
              .select('i.run_key')
              .where('i.run_key', '=', ofRun(''))
              .whereRef('i.kind', '=', 'b.kind')
              .whereRef('i.record_id', '=', 'b.record_id'),
          ),
        ),
      )
      .orderBy('b.kind')
      .orderBy('b.record_id')
      .orderBy('b.rule')
      .orderBy('b.field'),
  );
  return async (runId, watermark, after, upTo) => {
    const rows = await engine.rows(statement({ after }, upTo, [watermark], [runId]));
    return rows.map((row) => ({ ...readBreak(row, 1), hostReference: row[0] as string | null }));
  };
}

/** The part of the store that reads breaks. */
export function breakReader(engine: Engine): Omit<BreakStore, 'clearStaged' | 'stage' | 'append'> {
  return {
    standing: standing(engine),
    standingOutside: standingOutside(engine),
    standingOn: async (kind, watermark) => {
      const query = asOf(engine, watermark).select(COLUMNS).where('b.kind', '=', kind);
      return engine.each(query.orderBy('b.record_id').orderBy('b.rule').orderBy('b.field'), (row) => readBreak(row, 0));
    },
    /** In report order: kind, record id, rule, field. */
    list: async (filter) => {
      let query = currentBreaks(engine);
      if (filter.states !== undefined) query = query.where(engine.inList('b.state', filter.states));
      if (filter.rule !== undefined) query = query.where('b.rule', '=', filter.rule);
      if (filter.kind !== undefined) query = query.where('b.kind', '=', filter.kind);
      if (filter.recordId !== undefined) query = query.where('b.record_id', '=', filter.recordId);
      if (filter.assignee !== undefined) query = query.where('b.assignee', '=', filter.assignee);
      const ordered = query.orderBy('b.kind').orderBy('b.record_id').orderBy('b.rule').orderBy('b.field');
      return readCurrent(engine, ordered.limit(filter.limit).offset(filter.offset));
    },
    openBySeverity: async () => {
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
    },
    openStake: async () => {
      const rows = await engine.rows(
        engine.db
          .selectFrom('breaks as b')
          .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
          .select(['e.record_currency', 'e.loss_bearer', 'e.money_at_stake'])
          .where(engine.inList('b.state', BREAK_STATES.filter(isOpen)))
          .where('e.money_at_stake', 'is not', null)
          .where('e.record_currency', 'is not', null)
          .where('e.loss_bearer', 'is not', null)
          .orderBy('e.record_currency')
          .orderBy('e.loss_bearer'),
      );
      return [...Map.groupBy(rows, ([currency, bearer]) => `${currency} ${bearer}`).values()].map((group) => ({
        currency: group[0]?.[0] as string,
        bearer: group[0]?.[1] as Bearer,
        total: group.reduce((sum, [, , amount]) => sum.plus(Decimal.parse(amount as string)), Decimal.ZERO),
      }));
    },
    /** @throws AmbiguousBreakIdError */
    get: async (idOrPrefix) => {
      // Ids are hexadecimal; other characters cannot match and would widen the range below.
      if (idOrPrefix.length < MIN_PREFIX || !/^[0-9a-f]+$/.test(idOrPrefix)) return null;
      const found = await readCurrent(
        engine,
        currentBreaks(engine).where('b.break_id', '>=', idOrPrefix).where('b.break_id', '<', `${idOrPrefix}g`).limit(2),
      );
      if (found.length > 1) throw new AmbiguousBreakIdError(idOrPrefix);
      return found[0] ?? null;
    },
    /** Oldest first. */
    events: async (breakId) => {
      const head = EVENT_COLUMNS.map((column) => `e.${column}` as const);
      const rows = await engine.rows(
        engine.db
          .selectFrom('breaks as b')
          .innerJoin('break_events as e', 'e.break_key', 'b.break_key')
          .leftJoin('runs as r', 'r.run_key', 'e.run_key')
          .select(['r.run_id', 'r.business_day', ...head, ...COLUMNS])
          .where('b.break_id', '=', breakId)
          .orderBy('e.event_key'),
      );
      return rows.map((row) => ({
        runId: row[0] as string | null,
        businessDate: row[1] === null ? null : dateOf(row[1] as number),
        type: row[2] as BreakEvent['type'],
        at: row[3] as number,
        who: row[4] as string,
        reason: row[5] as string | null,
        ...(row[6] === null ? {} : { proof: row[6] as Proof, account: row[7] as string }),
        after: readBreak(row, 2 + EVENT_COLUMNS.length),
      }));
    },
  };
}

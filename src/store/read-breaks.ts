/** Reads breaks: their present state, their state at a watermark, and the events of one. */

import { sql } from 'kysely';
import { type Bearer, BREAK_STATES, type Break, isOpen } from '../domain/break.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { Severity } from '../domain/finding.ts';
import { AmbiguousBreakIdError } from '../ports/store/errors.ts';
import type { BreakStore, CurrentBreak } from '../ports/store/store.ts';
import { dateOrNull } from './cells.ts';
import type { Engine } from './engine.ts';
import { ofRun } from './run-rows.ts';
import { BREAK_STATE, BREAKS, EVENT, IDENTITY, readBreak, readEvent } from './schema/breaks.ts';
import { only } from './schema/column.ts';
import { FACTS } from './schema/facts.ts';
import { cell, of, selection } from './schema/places.ts';
import { RUNS } from './schema/runs.ts';
import { given, reportRangeTemplate, template } from './statements.ts';

const MIN_PREFIX = 6;

const PARTS = { identity: of('b', IDENTITY), state: of('e', BREAK_STATE) };
const BREAK = selection(PARTS);
const CURRENT = selection({
  ...PARTS,
  own: of('b', only(BREAKS.breaks.columns, 'events')),
  record: of('t', only(FACTS, 'host_reference')),
});
const OF_RECORD = selection({ ...PARTS, own: of('b', only(BREAKS.breaks.columns, 'record_key')) });
const REPORTED = selection({ ...PARTS, event: of('e', only(BREAKS.break_events.columns, 'host_reference')) });
const EVENTS = selection({
  ...PARTS,
  event: of('e', EVENT),
  run: of('r', only(RUNS.runs.columns, 'run_id', 'business_day')),
});

/** The present state of breaks; `readCurrent` reads its rows. */
export function currentBreaks(engine: Engine) {
  return engine.db
    .selectFrom('breaks as b')
    .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
    .leftJoin('tracked_records as t', 't.record_key', 'b.record_key')
    .select(CURRENT.columns);
}

export function readCurrent(engine: Engine, query: ReturnType<typeof currentBreaks>): Promise<CurrentBreak[]> {
  const { at } = CURRENT;
  return engine.each(query, (row) => ({
    ...readBreak(row, at),
    hostReference: cell(row, at.record.host_reference),
    events: cell(row, at.own.events),
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
      .select(OF_RECORD.columns)
      .where(ofRecords([0]))
      .orderBy(sql`b.record_key, b.rule, b.field`),
  );
  return async (recordKeys, watermark) => {
    const breaks = new Map<number, Break[]>();
    if (recordKeys.length === 0) return breaks;
    // The engine decides how a list is passed.
    const list = sql`${ofRecords(recordKeys)}`.compile(engine.db).parameters;
    const { at } = OF_RECORD;
    await engine.each(statement([watermark, ...list]), (row) => {
      entryOf(breaks, cell(row, at.own.record_key) as number, () => []).push(readBreak(row, at));
    });
    return breaks;
  };
}

/** The host reference is that of the event, so that a report rendered again has the same bytes. */
function standingOutside(engine: Engine): BreakStore['standingOutside'] {
  const statement = reportRangeTemplate('b', (range) =>
    asOf(engine, 0)
      .select(REPORTED.columns)
      .where(sql<boolean>`e.state <> 'resolved'`)
      .where(sql<boolean>`b.kind in ('purchase', 'sale')`)
      .where(range)
      .where(sql<boolean>`not exists (
        select 1 from run_items as i where i.run_key = ${ofRun('')} and i.kind = b.kind and i.record_id = b.record_id)`)
      .orderBy(sql`b.kind, b.record_id, b.rule, b.field`),
  );
  return async (runId, watermark, after, upTo) => {
    const { at } = REPORTED;
    return engine.each(statement({ after }, upTo, [watermark], [runId]), (row) => ({
      ...readBreak(row, at),
      hostReference: cell(row, at.event.host_reference),
    }));
  };
}

/** The part of the store that reads breaks. */
export function breakReader(engine: Engine) {
  const openBreaks = () =>
    engine.db
      .selectFrom('breaks as b')
      .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
      .where(engine.inList('b.state', BREAK_STATES.filter(isOpen)));
  return {
    standing: standing(engine),
    standingOutside: standingOutside(engine),
    statusOn: async (kind, watermark) => {
      const query = asOf(engine, watermark).select(BREAK.columns).where('b.kind', '=', kind);
      const ordered = query.orderBy(sql`b.record_id, b.rule, b.field`);
      return engine.each(ordered, (row) => readBreak(row, BREAK.at));
    },
    /** In report order: kind, record id, rule, field. */
    list: async (filter) => {
      const { states, limit, offset, rule, kind, recordId: record_id, assignee } = filter;
      let query = currentBreaks(engine);
      if (states !== undefined) query = query.where(engine.inList('b.state', states));
      for (const [column, cell] of Object.entries(given({ rule, kind, record_id, assignee })))
        query = query.where(sql.ref(`b.${column}`), '=', cell);
      const ordered = query.orderBy(sql`b.kind, b.record_id, b.rule, b.field`);
      return readCurrent(engine, ordered.limit(limit).offset(offset));
    },
    openBySeverity: async () => {
      const counts: Record<Severity, number> = { info: 0, low: 0, medium: 0, high: 0, critical: 0 };
      const rows = await openBreaks()
        .select(['e.severity', ({ fn }) => fn.countAll<number>().as('breaks')])
        .groupBy('e.severity')
        .execute();
      for (const row of rows) counts[row.severity] = Number(row.breaks);
      return counts;
    },
    openStake: async () => {
      const rows = await openBreaks()
        .select(['e.record_currency as currency', 'e.loss_bearer as bearer', 'e.money_at_stake as amount'])
        .where('e.money_at_stake', 'is not', null)
        .where('e.record_currency', 'is not', null)
        .where('e.loss_bearer', 'is not', null)
        .$narrowType<{ currency: string; bearer: Bearer; amount: string }>()
        .orderBy(sql`e.record_currency, e.loss_bearer`)
        .execute();
      return [...Map.groupBy(rows, ({ currency, bearer }) => `${currency} ${bearer}`).values()].flatMap((group) => {
        const [first] = group;
        const total = group.reduce((sum, { amount }) => sum.plus(Decimal.parse(amount)), Decimal.ZERO);
        return first === undefined ? [] : [{ currency: first.currency, bearer: first.bearer, total }];
      });
    },
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
    events: async (breakId) => {
      const query = engine.db
        .selectFrom('breaks as b')
        .innerJoin('break_events as e', 'e.break_key', 'b.break_key')
        .leftJoin('runs as r', 'r.run_key', 'e.run_key')
        .select(EVENTS.columns)
        .where('b.break_id', '=', breakId)
        .orderBy('e.event_key');
      const { at } = EVENTS;
      return engine.each(query, (row) => ({
        runId: cell(row, at.run.run_id) ?? null,
        businessDate: dateOrNull(cell(row, at.run.business_day)),
        ...readEvent(row, at.event),
        after: readBreak(row, at),
      }));
    },
  } satisfies Partial<BreakStore>;
}

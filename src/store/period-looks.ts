/**
 * The records of a month and the last observations ("looks") of each. Items of a run are clustered in report order, so
 * a page is one range in each run.
 */
import { sql } from 'kysely';
import { entryOf } from '../domain/entry-of.ts';
import type { Kind, RecordPosition } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { UnknownRunError } from '../ports/store/errors.ts';
import type { Look, Looks, PeriodBasis, PeriodMember, PeriodStore } from '../ports/store/periods.ts';
import { readContents } from './case-parts.ts';
import { readSomeCases } from './cases.ts';
import { dateOf } from './cells.ts';
import type { Engine } from './engine.ts';
import { findStatusChanges, RUN_COLUMNS, readRun } from './run-rows.ts';
import { COUNTED_DATE, findRow, reportRange } from './statements.ts';

/** The last run, and the last verifying run, of each record in a range of one kind. */
async function lastRuns(engine: Engine, basis: PeriodBasis, kind: Kind, ids: readonly string[]) {
  const verified = sql<number | null>`max(case when i.outcome = 'verified' then i.run_key end)`;
  const rows = await engine.db
    .selectFrom('run_items as i')
    .select(['i.record_id', (eb) => eb.fn.max('i.run_key').as('last'), verified.as('verified')])
    .where(engine.inList('i.run_key', basis.runs))
    .where('i.kind', '=', kind)
    .where('i.record_id', '>=', ids[0] ?? '')
    .where('i.record_id', '<=', ids.at(-1) ?? '')
    .groupBy('i.record_id')
    .execute();
  return new Map(rows.map((row) => [row.record_id, row]));
}

const key = (runKey: number, { kind, recordId }: RecordPosition) => `${runKey} ${kind} ${recordId}`;

async function readLooks(
  engine: Engine,
  wanted: readonly (RecordPosition & { last: number | null; verified: number | null })[],
): Promise<readonly Looks[]> {
  const groups = new Map<string, { runKey: number; kind: Kind; ids: string[] }>();
  for (const { kind, recordId, last, verified } of wanted) {
    for (const runKey of new Set([last, verified])) {
      if (runKey === null) continue;
      entryOf(groups, `${runKey} ${kind}`, () => ({ runKey, kind, ids: [] })).ids.push(recordId);
    }
  }
  const found = new Map<string, Look>();
  for (const { runKey, kind, ids } of groups.values()) {
    for (const each of await readSomeCases(engine, runKey, kind, ids))
      found.set(key(runKey, each.stored), { runKey, ...each });
  }
  const look = (runKey: number | null, place: RecordPosition) =>
    runKey === null ? null : (found.get(key(runKey, place)) ?? null);
  return wanted.map((each) => ({ last: look(each.last, each), verified: look(each.verified, each) }));
}

/** The part of the store that reads the records of months, and what runs saw of them. */
export function periodReader(engine: Engine) {
  return {
    members: async ({ from, to, verifiedSince, bodyBefore }, after, limit) => {
      const isWithin = (date: number | null) => date !== null && date >= from && date < to;
      const rows = await engine.db
        .selectFrom('tracked_records as t')
        .select(['t.record_key as recordKey', 't.kind', 't.record_id as recordId'])
        .select(['t.body_created_at as body', 't.told_created_at as told', COUNTED_DATE.as('date')])
        .where('t.retracted_at', 'is', null)
        .where(COUNTED_DATE, '>=', from)
        .where(COUNTED_DATE, '<', to)
        .$if(verifiedSince !== undefined, (query) => query.where('t.last_verified_at', '>=', verifiedSince ?? 0))
        .$if(bodyBefore !== undefined, (query) =>
          query.where(({ fn, val }) => fn.coalesce('t.body_created_at', val(0)), '<', bodyBefore ?? 0),
        )
        .where(reportRange('t', { after }, null))
        .orderBy(sql`t.kind, t.record_id`)
        .limit(limit)
        .execute();
      return rows.map(({ body, told, date, ...record }): PeriodMember => {
        const isOfBody = date === body || isWithin(body);
        return { ...record, datedBy: isOfBody ? 'body' : date === told ? 'told' : 'tracked' };
      });
    },
    retracted: async ({ from, to }) => {
      const { rows } = await sql<{ kind: Kind; n: number }>`select t.kind, count(*) as n from tracked_records as t
        where t.retracted_at is not null and ${COUNTED_DATE} >= ${from} and ${COUNTED_DATE} < ${to}
        group by t.kind`.execute(engine.db);
      const of = (kind: Kind) => Number(rows.find((row) => row.kind === kind)?.n ?? 0);
      return { purchase: of('purchase'), sale: of('sale') };
    },
    looks: async (basis, page) => {
      const runs = new Map<Kind, Awaited<ReturnType<typeof lastRuns>>>();
      for (const kind of new Set(page.map((each) => each.kind))) {
        const ids = page.filter((each) => each.kind === kind).map(({ recordId }) => recordId);
        runs.set(kind, await lastRuns(engine, basis, kind, ids));
      }
      const wanted = page.map(({ kind, recordId }) => {
        const { last = null, verified = null } = runs.get(kind)?.get(recordId) ?? {};
        return { kind, recordId, last, verified };
      });
      return readLooks(engine, wanted);
    },
    looksOf: (page) => {
      const wanted = page.map(({ lookRun: last, verifiedRun: verified, ...each }) => ({ ...each, last, verified }));
      return readLooks(engine, wanted);
    },
    run: async (runKey) => {
      const row = await findRow(engine.db, 'runs', { run_key: runKey }, RUN_COLUMNS);
      if (row === undefined) throw new UnknownRunError(`with the key ${runKey}`);
      return readRun(row);
    },
    statusChanges: (basis, first, last) => {
      const range = reportRange('status_changes', { from: first }, last);
      return findStatusChanges(engine.db, sql`${engine.inList('run_key', basis.runs)} and ${range}`);
    },
    states: async (wanted) => {
      const contents = await readContents(engine, new Map(wanted.map((each) => [each.contentKey, each])));
      const states = new Map<number, RecordState>();
      for (const [contentKey, content] of contents) {
        if (content instanceof Error) throw content;
        states.set(contentKey, content.state);
      }
      return states;
    },
    readings: async (basis, { kind, recordId }) => {
      const rows = await engine.db
        .selectFrom('run_items as i')
        .innerJoin('runs as r', 'r.run_key', 'i.run_key')
        .select(['r.business_day', 'i.content_key'])
        .where(engine.inList('i.run_key', basis.runs))
        .where('i.kind', '=', kind)
        .where('i.record_id', '=', recordId)
        .where('i.content_key', 'is not', null)
        .$narrowType<{ content_key: number }>()
        .orderBy('i.run_key')
        .execute();
      return rows.map((row) => ({ businessDate: dateOf(row.business_day), contentKey: row.content_key }));
    },
  } satisfies Partial<PeriodStore>;
}

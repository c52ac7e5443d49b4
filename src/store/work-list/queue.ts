/** The queue: a page by key, from the index of its order, and the number of all that match. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { BREAK_STATES, isOpen } from '../../domain/break.ts';
import { severityRank } from '../../domain/finding.ts';
import type { CurrentBreak, QueueFilter, QueueSort, WorkListStore } from '../../ports/store/store.ts';
import type { Engine } from '../engine.ts';
import { currentBreaks, readCurrent } from '../read-breaks.ts';
import { stakeKeyOf } from '../schema/queue-order.ts';
import { literals } from '../statements.ts';

const OPEN = BREAK_STATES.filter(isOpen);

type Condition = RawBuilder<SqlBool>;

const SORTED_BY: Readonly<Record<QueueSort, { column: string; largestFirst: boolean }>> = {
  stake: { column: 'stake_key', largestFirst: true },
  age: { column: 'first_seen_day', largestFirst: false },
  severity: { column: 'severity_rank', largestFirst: true },
};

/** `%` and `_` of the text are themselves. */
function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}

/** Over `b` (breaks), `e` (their last events) and `t` (their records). */
function conditions(engine: Engine, filter: QueueFilter): Condition[] {
  const all: (Condition | ReturnType<Engine['inList']>)[] = [];
  const isDefault = filter.states.length === OPEN.length && OPEN.every((state) => filter.states.includes(state));
  // The text of the partial indexes. As a list of the open states, SQLite would take the index of states and sort them all.
  all.push(
    isDefault ? sql<SqlBool>`b.state <> 'waived' and b.state <> 'resolved'` : engine.inList('b.state', filter.states),
  );
  if (filter.rules !== undefined) all.push(engine.inList('b.rule', filter.rules));
  if (filter.severities !== undefined) all.push(engine.inList('b.severity_rank', filter.severities.map(severityRank)));
  if (filter.assignee === null) all.push(sql<SqlBool>`b.assignee is null`);
  else if (filter.assignee !== undefined) all.push(sql<SqlBool>`b.assignee = ${filter.assignee}`);
  if (filter.currency !== undefined) all.push(sql<SqlBool>`b.currency = ${filter.currency}`);
  if (filter.kind !== undefined) all.push(sql<SqlBool>`b.kind = ${filter.kind}`);
  if (filter.recordId !== undefined) all.push(sql<SqlBool>`b.record_id = ${filter.recordId}`);
  if (filter.atLeast !== undefined) all.push(sql<SqlBool>`b.stake_key >= ${stakeKeyOf(filter.atLeast)}`);
  if (filter.hostReference !== undefined) all.push(sql<SqlBool>`t.host_reference = ${filter.hostReference}`);
  if (filter.created !== undefined) {
    const created = sql`coalesce(t.told_created_at, t.body_created_at)`;
    all.push(sql<SqlBool>`(${created} >= ${filter.created.from} and ${created} < ${filter.created.to})`);
  }
  if (filter.text !== undefined) {
    const like = containing(filter.text);
    all.push(sql<SqlBool>`(lower(e.explanation) like ${like} escape '\\' or lower(b.record_id) like ${like} escape '\\'
      or lower(t.host_reference) like ${like} escape '\\' or b.break_id like ${like} escape '\\')`);
  }
  return all as Condition[];
}

const needsJoins = ({ hostReference, created, text }: QueueFilter) =>
  hostReference !== undefined || created !== undefined || text !== undefined;

export const queuePage =
  (engine: Engine): WorkListStore['page'] =>
  async (filter, page) => {
    const { column, largestFirst } = SORTED_BY[page.sort];
    const isDescending = largestFirst !== (page.reversed === true);
    const walksDown = isDescending !== (page.backwards === true);
    const direction = walksDown ? sql`desc` : sql`asc`;
    const where = conditions(engine, filter);
    if (page.after !== undefined) {
      where.push(sql<SqlBool>`(b.${sql.ref(column)}, b.break_key) ${walksDown ? sql`<` : sql`>`}
        (select ${sql.ref(column)}, break_key from breaks where break_id = ${page.after})`);
    }
    const rows = await readCurrent(
      engine,
      currentBreaks(engine)
        .where(sql<SqlBool>`${sql.join(where, sql` and `)}`)
        .orderBy(sql`b.${sql.ref(column)} ${direction}`)
        .orderBy(sql`b.break_key ${direction}`)
        .limit(page.limit),
    );
    return page.backwards === true ? rows.reverse() : rows;
  };

export const countQueue =
  (engine: Engine): WorkListStore['count'] =>
  async (filter) => {
    const joins = needsJoins(filter)
      ? sql`join break_events as e on e.event_key = b.last_event_key join tracked_records as t on t.record_key = b.record_key`
      : sql``;
    const { rows } = await sql<{ n: number }>`select count(*) as n from breaks as b ${joins}
      where ${sql.join(conditions(engine, filter), sql` and `)}`.execute(engine.db);
    return Number(rows[0]?.n ?? 0);
  };

export const queueVersion =
  (engine: Engine): WorkListStore['version'] =>
  async () => {
    const { rows } = await sql<{ key: number | null }>`select max(event_key) as key from break_events`.execute(
      engine.db,
    );
    return Number(rows[0]?.key ?? 0);
  };

const inReportOrder = (engine: Engine) =>
  currentBreaks(engine).orderBy('b.kind').orderBy('b.record_id').orderBy('b.rule').orderBy('b.field');

export const breaksOfRecord =
  (engine: Engine): WorkListStore['ofRecord'] =>
  async (kind, recordId) =>
    readCurrent(
      engine,
      inReportOrder(engine).where('b.kind', '=', kind).where('b.record_id', '=', recordId).limit(100),
    );

export const breaksByIds =
  (engine: Engine): WorkListStore['byIds'] =>
  async (breakIds): Promise<CurrentBreak[]> =>
    readCurrent(engine, inReportOrder(engine).where(engine.inList('b.break_id', breakIds)));

export const causeRows =
  (engine: Engine): WorkListStore['causes'] =>
  async (after, limit) => {
    const rows = await engine.rows(
      engine.db
        .selectFrom('breaks as b')
        .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
        .innerJoin('tracked_records as t', 't.record_key', 'b.record_key')
        .innerJoin('snapshots as s', 's.snapshot_key', 't.last_snapshot')
        .innerJoin('contents as c', 'c.content_key', 's.content_key')
        .select(['b.break_id', 'b.kind', 'b.record_id', 'b.rule', 'b.field', 'e.difference', 'e.currency'])
        .select(['c.payment_method', 'c.fiat_value', 'c.created_at', 't.told_created_at', 'c.applied_fee'])
        .where(sql<SqlBool>`b.state in (${literals(OPEN)})`)
        .where('b.break_id', '>', after)
        .where('e.unit', '=', 'money')
        .where('e.difference', 'is not', null)
        .whereRef('e.currency', '=', 'c.fiat_currency')
        .orderBy('b.break_id')
        .limit(limit),
    );
    return rows.map((row) => ({
      breakId: row[0] as string,
      kind: row[1] as CurrentBreak['kind'],
      recordId: row[2] as string,
      rule: row[3] as string,
      field: row[4] as string,
      difference: row[5] as string,
      currency: row[6] as string,
      paymentMethod: row[7] as string | null,
      fiatValue: row[8] as string,
      appliedFee: row[11] as string | null,
      createdAt: Number(row[10] ?? row[9] ?? 0),
    }));
  };

/** By the state before and after each event; a break that opens and resolves in the month counts on both sides. */
export const monthMoves =
  (engine: Engine): WorkListStore['moves'] =>
  async (from, to) => {
    const open = (state: RawBuilder<unknown>) => sql`(${state} in (${literals(OPEN)}))`;
    const [before, after] = [sql`coalesce(moved.before, 'none')`, sql`moved.state`];
    const sum = (condition: RawBuilder<unknown>) => sql`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
    const inMonth = sql`moved.at >= ${from}`;
    const { rows } = await sql<Record<'opening_in' | 'opening_out' | 'opened' | 'resolved' | 'waived', number>>`
      select ${sum(sql`not ${inMonth} and not ${open(before)} and ${open(after)}`)} as opening_in,
        ${sum(sql`not ${inMonth} and ${open(before)} and not ${open(after)}`)} as opening_out,
        ${sum(sql`${inMonth} and not ${open(before)} and ${open(after)}`)} as opened,
        ${sum(sql`${inMonth} and ${open(before)} and ${after} = 'resolved'`)} as resolved,
        ${sum(sql`${inMonth} and ${open(before)} and ${after} = 'waived'`)} as waived
      from (
        select state, at, lag(state) over (partition by break_key order by event_key) as before
        from break_events where at < ${to}
      ) as moved`.execute(engine.db);
    const row = rows[0];
    const figure = (value: number | undefined) => Number(value ?? 0);
    const opening = figure(row?.opening_in) - figure(row?.opening_out);
    const [opened, resolved, waived] = [figure(row?.opened), figure(row?.resolved), figure(row?.waived)];
    return { opening, opened, resolved, waived, closing: opening + opened - resolved - waived };
  };

/** The queue: a page by key, from the index of its order, and the number of all that match. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { BREAK_KINDS, BREAK_STATES, isOnRecord, isOpen } from '../../domain/break.ts';
import { severityRank } from '../../domain/finding.ts';
import type { Kind } from '../../domain/record.ts';
import type { CurrentBreak, QueueFilter, QueueSort, WorkListStore } from '../../ports/store/store.ts';
import type { Engine } from '../engine.ts';
import { currentBreaks, readCurrent } from '../read-breaks.ts';
import { SEARCHED, stakeKeyOf } from '../schema/queue-order.ts';
import { literals } from '../statements.ts';
import { placesByRates } from './queue-by-rates.ts';
import { keysWithText, type Wanted, withRuleOf, wordsIn } from './queue-text.ts';

const OPEN = BREAK_STATES.filter(isOpen);

type Condition = RawBuilder<SqlBool>;

const SORTED_BY: Readonly<Record<QueueSort, { column: string; largestFirst: boolean }>> = {
  stake: { column: 'queue_key', largestFirst: true },
  age: { column: 'first_seen_day', largestFirst: false },
  severity: { column: 'severity_rank', largestFirst: true },
};

/** The most keys to sort without the index of an order; more matches are dense enough for a scan in order. */
const FEW = 5_000;

const isOpenOnly = (states: QueueFilter['states']) =>
  states.length === OPEN.length && OPEN.every((state) => states.includes(state));

/** A break of the queue, or the one that leads it. */
type Table = 'b' | 'l';

/** A scan of all matches: in the order of a page, or unordered for a count. */
interface Walk {
  sort: QueueSort | null;
}

/**
 * The text of the partial indexes. As a list of the open states, SQLite would take the index of states and sort them all; so it
 * would with several states in an order that this index does not have.
 */
function inStates(engine: Engine, states: QueueFilter['states'], walk: Walk | null, table: Table): Condition {
  const state = sql.ref(`${table}.state`);
  if (isOpenOnly(states)) return sql<SqlBool>`${state} <> 'waived' and ${state} <> 'resolved'`;
  const [only] = states;
  if (only !== undefined && states.length === 1) return sql<SqlBool>`${state} = ${only}`;
  const isOrdered = walk === null || walk.sort === null || walk.sort === 'stake';
  if (isOrdered) return engine.inList(`${table}.state`, states) as Condition;
  return sql<SqlBool>`${engine.unindexed('b.state')} in (${sql.join(states)})`;
}

/** Each filter over one table alone. A scan in order uses no other index. */
function conditions(engine: Engine, filter: Wanted, walk: Walk | null = null, table: Table = 'b'): Condition[] {
  const named = (column: string) => sql.ref(`${table}.${column}`);
  const cell = (column: string) => (walk === null ? named(column) : engine.unindexed(`${table}.${column}`));
  const all: Condition[] = [inStates(engine, filter.states, walk, table)];
  const { rules, severities, assignee, currency, kind, recordId, atLeast, hostReference, created } = filter;
  const oneOf = (column: RawBuilder<unknown>, values: readonly (string | number)[]) =>
    all.push(sql<SqlBool>`${column} in (${sql.join(values)})`);
  if (rules !== undefined) oneOf(cell('rule'), rules);
  if (filter.ruleBegun !== undefined)
    all.push(sql<SqlBool>`${cell('rule')} >= ${filter.ruleBegun} and ${cell('rule')} < ${`${filter.ruleBegun}~`}`);
  if (severities !== undefined) oneOf(cell('severity_rank'), severities.map(severityRank));
  if (assignee === null) all.push(sql<SqlBool>`${cell('assignee')} is null`);
  else if (assignee !== undefined) all.push(sql<SqlBool>`${cell('assignee')} = ${assignee}`);
  if (currency !== undefined) all.push(sql<SqlBool>`${cell('currency')} = ${currency}`);
  if (filter.status !== undefined) all.push(sql<SqlBool>`${named('record_status')} = ${filter.status}`);
  if (filter.moved !== undefined) all.push(sql<SqlBool>`${named('money_moved')} = ${filter.moved}`);
  if (kind !== undefined) all.push(sql<SqlBool>`${named('kind')} = ${kind}`);
  if (atLeast !== undefined) all.push(sql<SqlBool>`${named('stake_key')} >= ${stakeKeyOf(atLeast)}`);
  if (recordId !== undefined) {
    // Every kind is named, because the kind is the first column of the index.
    all.push(sql<SqlBool>`${named('kind')} in (${sql.join(BREAK_KINDS)}) and ${named('record_id')} = ${recordId}`);
  }
  if (hostReference !== undefined) {
    all.push(
      sql<SqlBool>`${named('record_key')} in (select record_key from tracked_records where host_reference = ${hostReference})`,
    );
  }
  if (created !== undefined) {
    const at = cell('created_at');
    all.push(sql<SqlBool>`${at} >= ${created.from} and ${at} < ${created.to}`);
  }
  return all;
}

/** One line a record: a break is left out where the one that leads it matches too. */
function unlessLed(engine: Engine, filter: Wanted, withText: readonly number[] | null): Condition {
  const matches = conditions(engine, filter, null, 'l');
  if (withText !== null) matches.push(engine.inList('l.break_key', withText) as Condition);
  return sql<SqlBool>`(b.is_led = 0 or not exists (
    select 1 from break_events as le join breaks as l on l.break_id = le.leading_break_id
    where le.event_key = b.last_event_key and ${sql.join(matches, sql` and `)}))`;
}

/** Parts of a filter that have an index of their own, each as a filter, the rarest kind first. */
function indexedParts(filter: Wanted): Partial<Wanted>[] {
  const { recordId, hostReference, assignee, currency, rules, severities, created, atLeast, states } = filter;
  return [
    ...(recordId === undefined ? [] : [{ recordId }]),
    ...(hostReference === undefined ? [] : [{ hostReference }]),
    ...(assignee == null ? [] : [{ assignee }]),
    ...(currency === undefined ? [] : [{ currency }]),
    ...(rules === undefined ? [] : [{ rules }]),
    ...(filter.ruleBegun === undefined ? [] : [{ ruleBegun: filter.ruleBegun }]),
    ...(severities === undefined || !isOpenOnly(states) ? [] : [{ severities }]),
    ...(created === undefined ? [] : [{ created }]),
    ...(atLeast === undefined || !isOpenOnly(states) ? [] : [{ atLeast }]),
  ];
}

async function keysOf(engine: Engine, query: RawBuilder<unknown>): Promise<readonly number[]> {
  const limited = sql`${query} limit ${FEW + 1}`;
  const rows = await engine.unordered({ compile: () => limited.compile(engine.db) });
  return rows.map((row) => Number(row[0]));
}

interface Matching {
  where: Condition;
  /** The text, where too many breaks have it for a list of their keys. */
  commonText: string | null;
}

/** The conditions of a filter: over the few keys of its rarest part, or for a walk along an order. */
async function matching(engine: Engine, given: QueueFilter, walk: Walk): Promise<Matching> {
  const filter = withRuleOf(given);
  const { text } = filter;
  const whole = (parts: readonly Condition[], withText: readonly number[] | null) =>
    sql<SqlBool>`${sql.join([...parts, unlessLed(engine, filter, withText)], sql` and `)}`;
  const among = (keys: readonly number[], withText: readonly number[] | null) =>
    whole([engine.inList('b.break_key', keys) as Condition, ...conditions(engine, filter)], withText);
  if (text !== undefined) {
    // A common whole word is not searched as a prefix, which would be slow.
    const words = wordsIn(text);
    const isCommon = words.length > 0 && (await keysOf(engine, engine.words.keysWith(words, 'whole'))).length > FEW;
    const keys = isCommon ? null : await keysOf(engine, keysWithText(engine, text));
    if (keys !== null && keys.length <= FEW) return { where: among(keys, keys), commonText: null };
  }
  const commonText = text ?? null;
  // Whether the leading break has a common word is not looked up: such a search lists the breaks that it leads as well.
  const withText = commonText === null ? null : [];
  for (const part of indexedParts(filter)) {
    const where = sql.join(conditions(engine, { states: filter.states, ...part }), sql` and `);
    const keys = await keysOf(engine, sql`select b.break_key from breaks as b where ${where}`);
    if (keys.length <= FEW) return { where: among(keys, withText), commonText };
  }
  return { where: whole(conditions(engine, filter, walk), withText), commonText };
}

const inReportOrder = (engine: Engine) => currentBreaks(engine).orderBy(sql`b.kind, b.record_id, b.rule, b.field`);

/** The part of the work list that reads breaks. */
export function queueReader(engine: Engine) {
  return {
    page: async (filter, page) => {
      const { column, largestFirst } = SORTED_BY[page.sort];
      const isDescending = largestFirst !== (page.reversed === true);
      const walksDown = isDescending !== (page.backwards === true);
      const direction = walksDown ? sql`desc` : sql`asc`;
      const { where: condition, commonText } = await matching(engine, filter, page);
      const where = [condition];
      if (commonText !== null) where.push(engine.words.has(wordsIn(commonText), sql`b.break_key`, SEARCHED));
      const order = sql`b.${sql.ref(column)} ${direction}, b.break_key ${direction}`;
      const text = commonText === null ? sql`` : sql`join break_events as e on e.event_key = b.last_event_key`;
      const select = (columns: RawBuilder<unknown>, more: readonly Condition[], limit: number) =>
        sql`select ${columns} from breaks as b ${text} where ${sql.join([...where, ...more], sql` and `)}
          order by ${order} limit ${limit}`;
      if (page.sort === 'stake' && page.reporting != null) {
        const place = sql`b.break_id, b.break_key, b.queue_key`;
        const read = async (query: RawBuilder<unknown>) =>
          (await engine.rows({ compile: () => query.compile(engine.db) })).map(([id, key, text]) => ({
            breakId: String(id),
            breakKey: Number(key),
            queueKey: String(text),
          }));
        const [after = null] =
          page.after === undefined
            ? []
            : await read(sql`select ${place} from breaks as b where b.break_id = ${page.after}`);
        const places = await placesByRates({
          reporting: page.reporting,
          walksDown,
          after,
          limit: page.limit,
          read: (of, limit) => read(select(place, [of], limit)),
        });
        const keys = places.map(({ breakKey }) => breakKey);
        const found = await readCurrent(engine, currentBreaks(engine).where(engine.inList('b.break_key', keys)));
        const byId = new Map(found.map((each) => [each.breakId, each]));
        const listed = places.flatMap(({ breakId }) => byId.get(breakId) ?? []);
        return page.backwards === true ? listed.reverse() : listed;
      }
      const more: Condition[] = [];
      if (page.after !== undefined) {
        more.push(sql<SqlBool>`(b.${sql.ref(column)}, b.break_key) ${walksDown ? sql`<` : sql`>`}
          (select ${sql.ref(column)}, break_key from breaks where break_id = ${page.after})`);
      }
      // Keys first: behind a join PostgreSQL sorts all that match instead of keeping the first few.
      const keys = select(sql`b.break_key`, more, page.limit);
      const isOne = sql<SqlBool>`b.break_key in (${keys})`;
      const rows = await readCurrent(engine, currentBreaks(engine).where(isOne).orderBy(order));
      return page.backwards === true ? rows.reverse() : rows;
    },
    count: async (filter, most) => {
      const { where, commonText } = await matching(engine, filter, { sort: null });
      const limit = most === undefined ? sql`` : sql`limit ${most}`;
      // In this order the walk through the index of words ends at the limit.
      const from =
        commonText === null
          ? sql`breaks as b where`
          : sql`(${keysWithText(engine, commonText)}) as w cross join breaks as b where b.break_key = w.break_key and`;
      const { rows } = await sql<{ n: number }>`select count(*) as n from (
        select 1 as one from ${from} ${where} ${limit}) as found`.execute(engine.db);
      return Number(rows[0]?.n ?? 0);
    },
    ofRecord: async (kind, recordId) =>
      readCurrent(
        engine,
        (isOnRecord(kind)
          ? inReportOrder(engine).where('t.kind', '=', kind).where('t.record_id', '=', recordId)
          : inReportOrder(engine).where('b.kind', '=', kind).where('b.record_id', '=', recordId)
        ).limit(100),
      ),
    byIds: async (breakIds): Promise<CurrentBreak[]> =>
      readCurrent(engine, inReportOrder(engine).where(engine.inList('b.break_id', breakIds))),
    ofSameRecords: async (breakIds): Promise<CurrentBreak[]> => {
      const chosen = sql`select kind, record_id from breaks where ${engine.inList('break_id', breakIds)}`;
      const isOfSame = sql<SqlBool>`(b.kind, b.record_id) in (${chosen})`;
      return readCurrent(engine, inReportOrder(engine).where(isOfSame));
    },
    causes: async (after, limit) => {
      const rows = await engine.db
        .selectFrom('breaks as b')
        .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
        .innerJoin('tracked_records as t', 't.record_key', 'b.record_key')
        .innerJoin('snapshots as s', 's.snapshot_key', 't.last_snapshot')
        .innerJoin('contents as c', 'c.content_key', 's.content_key')
        .select(['b.break_id as breakId', 'b.kind', 'b.record_id as recordId', 'b.rule', 'b.field'])
        .select(['e.difference', 'e.currency', 'e.money_at_stake as moneyAtStake', 'c.fiat_value as fiatValue'])
        .select(['c.payment_method as paymentMethod', 'c.applied_fee as appliedFee'])
        .select(({ fn }) => fn.coalesce('t.told_created_at', 'c.created_at').as('createdAt'))
        .where(sql<SqlBool>`b.state in (${literals(OPEN)})`)
        .where(unlessLed(engine, { states: OPEN }, null))
        .where('b.break_id', '>', after)
        .where('e.unit', '=', 'money')
        .where('e.difference', 'is not', null)
        .whereRef('e.currency', '=', 'c.fiat_currency')
        // A break with money is on a record.
        .$narrowType<{ kind: Kind; difference: string; currency: string }>()
        .orderBy('b.break_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, createdAt: row.createdAt ?? 0 }));
    },
  } satisfies Partial<WorkListStore>;
}

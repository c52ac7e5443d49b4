/**
 * Selects the records that are due in SQL, so that a population of millions never passes through this process. The
 * decision for one record is `dueClassOf` in `test/support/due-rule.ts`; both take their boundaries from there, and a property
 * test (`test/store/contract/due-rule.ts`) compares their answers on every engine.
 */
import { type RawBuilder, sql } from 'kysely';
import { BREAK_STATES, isOpen } from '../domain/break.ts';
import { CARD_METHODS, type DueBoundaries, type DueClass, dueBoundaries } from '../domain/due.ts';
import { ANSWERED_UNREAD } from '../domain/rule-codes.ts';
import type { PlanScope } from '../ports/store/store.ts';
import { dayOf } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { readWaiver } from './schema/breaks.ts';
import { COUNTED_DATE, findRow, findRows, literals } from './statements.ts';

type Condition = RawBuilder<boolean>;
type Reader = WriteTransaction['db'] | Engine['db'];

const NEVER: Condition = sql<boolean>`(1 = 0)`;
const ALWAYS: Condition = sql<boolean>`(1 = 1)`;
const DAY_MS = 86_400_000;

/** The inputs of the decision besides the record itself; read once for a plan. */
export interface Circumstances {
  /** Runs of the same job and date before this one. */
  earlierRuns: readonly number[];
  /** Records with a break whose waiver has ended. */
  unwaived: readonly number[];
  /** The run of the same job that was settled last, where it is not complete; null otherwise. */
  shortRun: number | null;
  /** Runs of the days on which card purchases ended that are due once more. */
  cardRuns: readonly number[];
}

const NO_CIRCUMSTANCES: Circumstances = { earlierRuns: [], unwaived: [], shortRun: null, cardRuns: [] };

/** @param before the revision that is being planned; null for a preview, which has none. */
export async function circumstancesOf(db: Reader, scope: PlanScope, before: number | null): Promise<Circumstances> {
  const shortRun = await lastShortRun(db, scope);
  if (scope.selection.type !== 'due') return { ...NO_CIRCUMSTANCES, shortRun };
  const cardRuns = await runsOfEnds(db, scope);
  return { earlierRuns: await earlierRuns(db, scope, before), unwaived: await unwaived(db, scope), shortRun, cardRuns };
}

/** A record's end is the business date of the run that saw it: their items are the candidates, of all the retired records. */
async function runsOfEnds(db: Reader, { policy, businessDate }: PlanScope): Promise<readonly number[]> {
  const { card } = dueBoundaries(policy, dayOf(businessDate));
  if (card === null) return [];
  const ended = sql`business_day between ${card.endedFrom} and ${card.endedBy}`;
  const rows = await findRows(db, 'runs', ended, ['run_key']);
  return rows.map((row) => row.run_key);
}

/** Runs of the same job and date with a lower revision than `before`; all of them where it is null. */
async function earlierRuns(db: Reader, scope: PlanScope, before: number | null): Promise<readonly number[]> {
  const ofDate = { job: scope.job, business_day: dayOf(scope.businessDate) };
  const rows = await findRows(db, 'runs', ofDate, ['run_key', 'revision']);
  return rows.filter((row) => before === null || row.revision < before).map((row) => row.run_key);
}

/** Aborted runs do not count: they judged nothing, so they deferred nothing. */
async function lastShortRun(db: Reader, scope: PlanScope): Promise<number | null> {
  const judged = { job: scope.job, state: ['settled', 'complete', 'incomplete'] as const };
  const last = await findRow(db, 'runs', judged, ['run_key', 'state'], 'run_key desc');
  return last === undefined || last.state === 'complete' ? null : last.run_key;
}

/**
 * Records with a break whose waiver has ended: the end must be reported even where nothing else makes the record due.
 * Waivers with an end are few, so they are read and compared here: the engines share no JSON functions.
 */
async function unwaived(db: Reader, scope: PlanScope): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('breaks as b')
    .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
    .select(['b.record_key', 'e.waiver'])
    .where('b.state', '=', 'waived')
    .execute();
  return rows.flatMap(({ record_key, waiver }) => {
    const until = waiver === null ? null : readWaiver(waiver).until;
    return until !== null && until < scope.businessDate && record_key !== null ? [record_key] : [];
  });
}

/** 0 for a record that the last run deferred, 1 for all others: deferred records come first within their class. */
export function deferredFirst({ shortRun }: Circumstances): RawBuilder<number> {
  if (shortRun === null) return sql<number>`1`;
  return sql<number>`case when exists (
    select 1 from run_items as postponed
    where postponed.run_key = ${shortRun} and postponed.kind = t.kind and postponed.record_id = t.record_id
      and postponed.outcome = 'deferred') then 0 else 1 end`;
}

const OPEN_STATES = literals(BREAK_STATES.filter(isOpen));

/**
 * The open breaks of each record, as a table `b`: `newest` is the day on which the newest of them opened or came back,
 * `answered` the day of the last answer that was a break itself (such as a 404), null where there was none.
 */
export const OPEN_BREAKS = sql`(
    select s.record_key, max(s.since) as newest, max(s.answered) as answered from (
      select broken.record_key,
        case when e.times_reopened = 0 then broken.first_seen_day else coalesce((
          select max(coalesce(r.business_day, back.at / ${sql.lit(DAY_MS)}))
          from break_events as back left join runs as r on r.run_key = back.run_key
          where back.break_key = broken.break_key and back.type = 'reopened'), broken.first_seen_day) end as since,
        case when broken.rule in (${literals(ANSWERED_UNREAD)}) then e.last_seen_day end as answered
      from breaks as broken join break_events as e on e.event_key = broken.last_event_key
      where broken.state in (${OPEN_STATES})
    ) as s group by s.record_key
  ) as b`;

/** Days from the end to the last verification, far below zero where either is missing; computed by the database, and indexed. */
const LOOKED_AFTER_END = sql`t.looked_after_end`;

/**
 * Records that may be due, found by an index: retired records, which are nearly all after some years, are not read.
 * First the records with a verification to come, then those that a break or an earlier revision makes due; no record is
 * in both.
 */
export function candidates(
  engine: Engine,
  { policy }: PlanScope,
  { earlierRuns, unwaived, cardRuns }: Circumstances,
): readonly [Condition, Condition] {
  const { lastLook } = dueBoundaries(policy, 0);
  const runs = [...earlierRuns, ...cardRuns];
  const others = [
    sql`select record_key from breaks where state in (${OPEN_STATES})`,
    ...(unwaived.length === 0
      ? []
      : [sql`select record_key from tracked_records where ${engine.inList('record_key', unwaived)}`]),
    ...(runs.length === 0 ? [] : [sql`select record_key from run_items where run_key in (${sql.join(runs)})`]),
  ];
  return [
    sql<boolean>`${LOOKED_AFTER_END} < ${lastLook}`,
    sql<boolean>`(${LOOKED_AFTER_END} >= ${lastLook} and t.record_key in (${sql.join(others, sql` union `)}))`,
  ];
}

function postTerminalDue({ postTerminal }: DueBoundaries): Condition {
  if (postTerminal.length === 0) return NEVER;
  const days = postTerminal.map(
    ({ after, endedBy }) => sql`(t.terminal_day <= ${endedBy} and t.last_verified_day < t.terminal_day + ${after})`,
  );
  return sql<boolean>`(${sql.join(days, sql` or `)})`;
}

/** Released, paid by card, and not looked at since it could be charged back. */
function cardDue({ card }: DueBoundaries): Condition {
  if (card === null) return NEVER;
  return sql<boolean>`(t.kind = 'purchase' and t.status = 'RELEASED' and t.terminal_day >= ${card.endedFrom}
    and t.terminal_day <= ${card.endedBy} and t.last_verified_day < t.terminal_day + ${card.after} and exists (
      select 1 from snapshots as paid join contents as said on said.content_key = paid.content_key
      where paid.snapshot_key = t.last_snapshot and said.payment_method in (${literals(CARD_METHODS)})))`;
}

/** The class as an expression; NULL for a record that is not due. */
export function dueClass(
  engine: Engine,
  scope: PlanScope,
  { earlierRuns, unwaived }: Circumstances,
): RawBuilder<DueClass | null> {
  const boundaries = dueBoundaries(scope.policy, dayOf(scope.businessDate));
  const daily = sql`b.newest > ${boundaries.breakDailyAfter}`;
  const notAnswered = sql`(b.answered is null or b.answered <= ${boundaries.breakLookedBy})`;
  const notVerified = sql`t.last_verified_day <= ${boundaries.breakLookedBy}`;
  return sql<DueClass | null>`case
    when t.last_verified_day is null and (b.newest is null or ${daily} or ${notAnswered}) then 'never-verified'
    when ${unwaived.length === 0 ? NEVER : engine.inList('t.record_key', unwaived)} then 'open-break'
    when b.newest is not null and (${daily} or (${notVerified} and ${notAnswered})) then 'open-break'
    when t.last_verified_day is null then ${repeated(earlierRuns)}
    when t.terminal_day is null or t.last_verified_day < t.terminal_day then 'not-terminal'
    when b.newest is null and (${postTerminalDue(boundaries)} or ${cardDue(boundaries)}) then 'post-terminal'
    else ${repeated(earlierRuns)} end`;
}

/** A new revision covers the records of the earlier runs of its job and date again. */
function repeated(earlierRuns: readonly number[]): RawBuilder<unknown> {
  if (earlierRuns.length === 0) return sql`null`;
  return sql`case when exists (
    select 1 from run_items as earlier
    where earlier.run_key in (${sql.join(earlierRuns)}) and earlier.kind = t.kind and earlier.record_id = t.record_id
    ) then 'requested' end`;
}

/** Selections by id, by time or of everything take each record, whether it is due or not. */
export function requested(engine: Engine, scope: PlanScope): Condition {
  const { selection } = scope;
  if (selection.type === 'due') return ALWAYS;
  if (selection.type === 'delivered') {
    // Starts from the deliveries, which are few, and not from all records.
    return sql<boolean>`t.record_key in (select record_key from deliveries where looked_at is null)`;
  }
  const kind = selection.kind === null ? ALWAYS : sql<boolean>`t.kind = ${selection.kind}`;
  switch (selection.type) {
    case 'ids':
      return sql<boolean>`(${kind} and t.kind in ('purchase', 'sale') and ${engine.inList('t.record_id', selection.ids)})`;
    case 'created': {
      const from = scope.createdFrom === null ? ALWAYS : sql`${COUNTED_DATE} >= ${scope.createdFrom}`;
      const to = scope.createdTo === null ? ALWAYS : sql`${COUNTED_DATE} < ${scope.createdTo}`;
      return sql<boolean>`(${kind} and ${from} and ${to})`;
    }
    case 'all':
      return sql<boolean>`(${kind})`;
  }
}

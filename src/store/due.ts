/**
 * Why a record is due, in SQL, so that a million records pass no memory of ours. The same decision for one record, in
 * plain words: `src/reconcile/due.ts`; a test holds the two together.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DueClass, DuePolicy } from '../domain/run.ts';
import type { PlanScope } from '../ports/store/store.ts';
import { dayOf } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { readWaiver } from './schema/breaks.ts';

type Condition = RawBuilder<boolean>;
type Reader = Pick<WriteTransaction['db'], 'selectFrom'>;

const NEVER: Condition = sql<boolean>`(1 = 0)`;
const ALWAYS: Condition = sql<boolean>`(1 = 1)`;
const DAY_MS = 86_400_000;

/** What the class depends on besides the record itself, looked up once for a plan. */
export interface Circumstances {
  /** Runs of the same job and date before this one. */
  earlierRuns: readonly number[];
  /** Records with a break whose waiver has ended. */
  unwaived: readonly number[];
  /** The run of the same job that was settled last, where it did not get through; null otherwise. */
  shortRun: number | null;
}

const NO_CIRCUMSTANCES: Circumstances = { earlierRuns: [], unwaived: [], shortRun: null };

/** @param before the revision that is being planned; null for one that is only thought of. */
export async function circumstancesOf(db: Reader, scope: PlanScope, before: number | null): Promise<Circumstances> {
  const shortRun = await lastShortRun(db, scope);
  if (scope.selection.type !== 'due') return { ...NO_CIRCUMSTANCES, shortRun };
  return { earlierRuns: await earlierRuns(db, scope, before), unwaived: await unwaived(db, scope), shortRun };
}

/** Runs of the same job and date with a lower revision; every one there is where `before` is null. */
async function earlierRuns(db: Reader, scope: PlanScope, before: number | null): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['run_key', 'revision'])
    .where('job', '=', scope.job)
    .where('business_day', '=', dayOf(scope.businessDate))
    .execute();
  return rows.filter((row) => before === null || row.revision < before).map((row) => row.run_key);
}

/** A run whose Service failed as a whole was aborted: it deferred nothing, as nothing of it was judged. */
async function lastShortRun(db: Reader, scope: PlanScope): Promise<number | null> {
  const last = await db
    .selectFrom('runs')
    .select(['run_key', 'state'])
    .where('job', '=', scope.job)
    .where('state', 'in', ['settled', 'complete', 'incomplete'])
    .orderBy('run_key', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last === undefined || last.state === 'complete' ? null : last.run_key;
}

/**
 * A waiver that has ended must be told, even of a record that nothing else makes due any more. Waivers with an end are few,
 * so they are read and compared here: the engines have no JSON in common.
 */
async function unwaived(db: Reader, scope: PlanScope): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('breaks as b')
    .innerJoin('break_events as e', 'e.event_key', 'b.last_event_key')
    .select(['b.record_key', 'e.waiver'])
    .where('b.state', '=', 'waived')
    .execute();
  return rows.flatMap(({ record_key, waiver }) => {
    const until = readWaiver(waiver)?.until ?? null;
    return until !== null && until < scope.businessDate ? [record_key] : [];
  });
}

/** Records in a run of the same job and date before this one: a new revision covers whatever the earlier ones did. */
function inEarlierRevision(runKeys: readonly number[]): Condition {
  if (runKeys.length === 0) return NEVER;
  return sql<boolean>`exists (
    select 1 from run_items as earlier
    where earlier.run_key in (${sql.join(runKeys)}) and earlier.kind = t.kind and earlier.record_id = t.record_id)`;
}

/** 0 for a record that the last run had to put off, 1 for the others: what was deferred comes first within its class. */
export function deferredFirst({ shortRun }: Circumstances): RawBuilder<number> {
  if (shortRun === null) return sql<number>`1`;
  return sql<number>`case when exists (
    select 1 from run_items as put_off
    where put_off.run_key = ${shortRun} and put_off.kind = t.kind and put_off.record_id = t.record_id
      and put_off.outcome = 'deferred') then 0 else 1 end`;
}

/** Found only where the Service answered for the record, though nothing could be verified. */
const ANSWERED_UNREAD = sql`('RECORD_MISSING', 'ACCESS_DENIED', 'RECORD_ID_MISMATCH', 'SCHEMA_DRIFT')`;

/**
 * Per record with a break to act on, as a table `b`: `newest`, the day on which its newest one opened or came back;
 * `answered`, the day of the last answer that was a break itself, such as a 404; null where there was none.
 */
export const OPEN_BREAKS = sql`(
    select s.record_key, max(s.since) as newest, max(s.answered) as answered from (
      select broken.record_key,
        case when e.times_reopened = 0 then broken.first_seen_day else coalesce((
          select max(coalesce(r.business_day, back.at / ${sql.lit(DAY_MS)}))
          from break_events as back left join runs as r on r.run_key = back.run_key
          where back.break_key = broken.break_key and back.type = 'reopened'), broken.first_seen_day) end as since,
        case when broken.rule in ${ANSWERED_UNREAD} then e.last_seen_day end as answered
      from breaks as broken join break_events as e on e.event_key = broken.last_event_key
      where broken.state in ('open', 'acknowledged', 'reopened')
    ) as s group by s.record_key
  ) as b`;

/** As the index of the migration `0007-due-candidates` has it: an expression is found by its very words. */
const LOOKED_AFTER_END = sql`coalesce(t.last_verified_day - t.terminal_day, -1000000)`;

/**
 * Records that may be due, so that those which are done with, nearly all after some years, are not even read: first those
 * with a look to come, then the few others that a break or an earlier revision makes due. Together each of them once.
 */
export function candidates(
  engine: Engine,
  { policy }: PlanScope,
  { earlierRuns, unwaived }: Circumstances,
): readonly [Condition, Condition] {
  const lastLook = Math.max(0, ...policy.postTerminalDays);
  const others = [
    sql`select record_key from breaks where state in ('open', 'acknowledged', 'reopened')`,
    ...(unwaived.length === 0
      ? []
      : [sql`select record_key from tracked_records where ${engine.inList('record_key', unwaived)}`]),
    ...(earlierRuns.length === 0
      ? []
      : [sql`select record_key from run_items where run_key in (${sql.join(earlierRuns)})`]),
  ];
  return [
    sql<boolean>`${LOOKED_AFTER_END} < ${lastLook}`,
    sql<boolean>`(${LOOKED_AFTER_END} >= ${lastLook} and t.record_key in (${sql.join(others, sql` union `)}))`,
  ];
}

/** A terminal and clean record, k days after its end, for some k of the policy that has come and was not yet served. */
function postTerminalDue(policy: DuePolicy, day: number): Condition {
  const days = policy.postTerminalDays.map(
    (k) => sql`(t.terminal_day <= ${day - k} and t.last_verified_day < t.terminal_day + ${k})`,
  );
  return days.length === 0 ? NEVER : sql<boolean>`(${sql.join(days, sql` or `)})`;
}

/**
 * The class by the calendar; NULL for a record that is not due. A record that ended by what a webhook said has not been
 * verified at its end: it is looked at as one still under way. One that answers 404 night after night is never verified,
 * and yet it was looked at: its break makes it due, daily at first and weekly then, like any other.
 */
export function dueClass(
  engine: Engine,
  scope: PlanScope,
  { earlierRuns, unwaived }: Circumstances,
): RawBuilder<DueClass | null> {
  const { policy } = scope;
  const day = dayOf(scope.businessDate);
  const daily = sql`b.newest > ${day - policy.breakDailyDays}`;
  const before = sql`${day - policy.breakEveryDays}`;
  const notAnswered = sql`(b.answered is null or b.answered <= ${before})`;
  return sql<DueClass | null>`case
    when t.last_verified_day is null and (b.newest is null or ${daily} or ${notAnswered}) then 'never-verified'
    when ${unwaived.length === 0 ? NEVER : engine.inList('t.record_key', unwaived)} then 'open-break'
    when b.newest is not null and (${daily} or (t.last_verified_day <= ${before} and ${notAnswered})) then 'open-break'
    when t.last_verified_day is null then ${repeated(earlierRuns)}
    when t.terminal_day is null or t.last_verified_day < t.terminal_day then 'not-terminal'
    when b.newest is null and ${postTerminalDue(policy, day)} then 'post-terminal'
    else ${repeated(earlierRuns)} end`;
}

function repeated(earlierRuns: readonly number[]): RawBuilder<unknown> {
  return sql`case when ${inEarlierRevision(earlierRuns)} then 'requested' end`;
}

/** What was asked for by name, time or at large is looked at whatever its age. */
export function requested(engine: Engine, scope: PlanScope): Condition {
  const { selection } = scope;
  if (selection.type === 'due') return ALWAYS;
  if (selection.type === 'delivered') {
    // From the few deliveries to their records, never through all records to find the few.
    return sql<boolean>`t.record_key in (select record_key from deliveries where looked_at is null)`;
  }
  const kind = selection.kind === null ? ALWAYS : sql<boolean>`t.kind = ${selection.kind}`;
  switch (selection.type) {
    case 'ids':
      return sql<boolean>`(${kind} and t.kind in ('purchase', 'sale') and ${engine.inList('t.record_id', selection.ids)})`;
    case 'created': {
      // By the newest body, else as told with the id, else when the id came in.
      const created = sql`coalesce(t.body_created_at, t.told_created_at, t.tracked_at)`;
      const from = scope.createdFrom === null ? ALWAYS : sql`${created} >= ${scope.createdFrom}`;
      const to = scope.createdTo === null ? ALWAYS : sql`${created} < ${scope.createdTo}`;
      return sql<boolean>`(${kind} and ${from} and ${to})`;
    }
    case 'all':
      return sql<boolean>`(${kind})`;
  }
}

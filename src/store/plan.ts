/**
 * Which records a run looks at, and in which order: decided in SQL, so that a million records pass no memory of ours.
 * Semantics: "What is due" with the policy of `domain/run.ts`.
 */
import { type RawBuilder, sql } from 'kysely';
import { DUE_CLASSES, type DueClass, type DuePolicy } from '../domain/run.ts';
import { readWaiver } from './break-columns.ts';
import type { Fence, PlanScope } from './contract.ts';
import { dayOf } from './days.ts';
import type { ArrayReader, Engine, WriteTransaction } from './engine.ts';
import { checkFence } from './leases.ts';
import { runHead, runHeadIn } from './run-columns.ts';

type Condition = RawBuilder<boolean>;

/** What the class depends on besides the record itself, looked up once for a plan. */
interface Circumstances {
  /** Runs of the same job and date before this one. */
  earlierRuns: readonly number[];
  /** Records with a break whose waiver has ended. */
  unwaived: readonly number[];
}

/** Records in a run of the same job and date before this one: a new revision covers whatever the earlier ones did. */
function inEarlierRevision(runKeys: readonly number[]): Condition {
  if (runKeys.length === 0) return sql<boolean>`(1 = 0)`;
  return sql<boolean>`exists (
    select 1 from run_items as earlier
    where earlier.run_key in (${sql.join(runKeys)}) and earlier.kind = t.kind and earlier.record_id = t.record_id)`;
}

/** A terminal and clean record, k days after its end, for some k of the policy that has come and was not yet served. */
function postTerminalDue(policy: DuePolicy, day: number): Condition {
  const days = policy.postTerminalDays.map(
    (k) => sql`(t.terminal_day <= ${day - k} and t.last_verified_day < t.terminal_day + ${k})`,
  );
  return days.length === 0 ? sql<boolean>`(1 = 0)` : sql<boolean>`(${sql.join(days, sql` or `)})`;
}

/**
 * The class by the calendar; NULL for a record that is not due. `b.newest` is the first sight of its newest open break. A
 * record that ended by what a webhook said has not been verified at its end: it is looked at as one still under way.
 */
function dueClass(
  engine: Engine,
  scope: PlanScope,
  { earlierRuns, unwaived }: Circumstances,
): RawBuilder<DueClass | null> {
  const { policy } = scope;
  const day = dayOf(scope.businessDate);
  return sql<DueClass | null>`case
    when t.last_verified_day is null then 'never-verified'
    when ${unwaived.length === 0 ? sql`(1 = 0)` : engine.inList('t.record_key', unwaived)} then 'open-break'
    when b.newest is not null and (b.newest > ${day - policy.breakDailyDays}
      or t.last_verified_day <= ${day - policy.breakEveryDays}) then 'open-break'
    when t.terminal_day is null or t.last_verified_day < t.terminal_day then 'not-terminal'
    when b.newest is null and ${postTerminalDue(policy, day)} then 'post-terminal'
    when ${inEarlierRevision(earlierRuns)} then 'requested'
    end`;
}

/** What was asked for by name, time or at large is looked at whatever its age. */
function requested(engine: Engine, scope: PlanScope): Condition {
  const { selection } = scope;
  if (selection.type === 'due') return sql<boolean>`(1 = 1)`;
  if (selection.type === 'delivered') {
    // From the few deliveries to their records, never through all records to find the few.
    return sql<boolean>`t.record_key in (select record_key from deliveries where looked_at is null)`;
  }
  const kind = selection.kind === null ? sql`(1 = 1)` : sql`t.kind = ${selection.kind}`;
  switch (selection.type) {
    case 'ids':
      return sql<boolean>`(${kind} and t.kind in ('purchase', 'sale') and ${engine.inList('t.record_id', selection.ids)})`;
    case 'created': {
      // By the newest body, else as told with the id, else when the id came in.
      const created = sql`coalesce(t.body_created_at, t.told_created_at, t.tracked_at)`;
      const from = scope.createdFrom === null ? sql`(1 = 1)` : sql`${created} >= ${scope.createdFrom}`;
      const to = scope.createdTo === null ? sql`(1 = 1)` : sql`${created} < ${scope.createdTo}`;
      return sql<boolean>`(${kind} and ${from} and ${to})`;
    }
    case 'all':
      return sql<boolean>`(${kind})`;
  }
}

/** Every tracked record in scope with its class, as a table `c`. */
function classified(engine: Engine, scope: PlanScope, circumstances: Circumstances): RawBuilder<unknown> {
  const due = scope.selection.type === 'due';
  const openBreaks = sql`left join (
      select record_key, max(first_seen_day) as newest from breaks
      where state in ('open', 'acknowledged', 'reopened') group by record_key
    ) as b on b.record_key = t.record_key`;
  return sql`(
    select t.*, ${due ? dueClass(engine, scope, circumstances) : sql`'requested'`} as due_class
    from tracked_records as t ${due ? openBreaks : sql``}
    where ${requested(engine, scope)}
  ) as c`;
}

/** Runs of the same job and date with a lower revision; every one there is where `before` is null. */
async function earlierRuns(
  db: Pick<WriteTransaction['db'], 'selectFrom'>,
  scope: PlanScope,
  before: number | null,
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['run_key', 'revision'])
    .where('job', '=', scope.job)
    .where('business_day', '=', dayOf(scope.businessDate))
    .execute();
  return rows.filter((row) => before === null || row.revision < before).map((row) => row.run_key);
}

/**
 * A waiver that has ended must be told, even of a record that nothing else makes due any more. Waivers with an end are few,
 * so they are read and compared here: the engines have no JSON in common.
 */
async function unwaived(db: Pick<WriteTransaction['db'], 'selectFrom'>, scope: PlanScope): Promise<readonly number[]> {
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

async function circumstances(
  db: Pick<WriteTransaction['db'], 'selectFrom'>,
  scope: PlanScope,
  before: number | null,
): Promise<Circumstances> {
  if (scope.selection.type !== 'due') return { earlierRuns: [], unwaived: [] };
  return { earlierRuns: await earlierRuns(db, scope, before), unwaived: await unwaived(db, scope) };
}

/** How many records are due, per class. Writes nothing. */
export async function previewPlan(engine: Engine, scope: PlanScope): Promise<Readonly<Record<DueClass, number>>> {
  const records = classified(engine, scope, await circumstances(engine.db, scope, null));
  const { rows } = await sql<{ due_class: DueClass; count: number }>`
    select c.due_class, count(*) as count from ${records} where c.due_class is not null group by c.due_class
  `.execute(engine.db);
  const counts = Object.fromEntries(DUE_CLASSES.map((name) => [name, 0])) as Record<DueClass, number>;
  for (const row of rows) counts[row.due_class] = row.count;
  return counts;
}

/**
 * Never verified first, oldest tracked before younger; then open breaks; then the rest by longest unverified; retired
 * records last. Equal ones in report order, so that what was imported together also lies together on disk.
 */
const SPENDING_ORDER = sql`
  case c.due_class when 'never-verified' then 0 when 'open-break' then 1 when 'post-terminal' then 3 else 2 end,
  case when c.last_verified_at is null then 0 else 1 end,
  coalesce(c.last_verified_at, c.tracked_at), c.kind, c.record_id`;

async function insertItems(tx: WriteTransaction, records: RawBuilder<unknown>, runKey: number): Promise<void> {
  await sql`
    insert into run_items (
      run_key, kind, record_id, record_key, position, due_class, quote_key, attempts,
      host_reference, quote_id, expected_status, conflict, webhook_events,
      before_status, before_status_since, before_peak_status, before_peak_at, before_first_snapshot,
      before_terminal_snapshot, before_verified_at, before_verified_status)
    select ${runKey}, c.kind, c.record_id, c.record_key, row_number() over (order by ${SPENDING_ORDER}), c.due_class,
      q.quote_key, 0,
      c.host_reference, c.quote_id, c.expected_status, c.conflict, c.webhook_events,
      c.status, c.status_since, c.peak_status, c.peak_at, c.first_snapshot,
      c.terminal_snapshot, c.last_verified_at, c.last_verified_status
    from ${records}
    left join quotes as q on q.quote_id = c.quote_id
    where c.due_class is not null
    order by c.kind, c.record_id`.execute(tx.db);
}

async function population(reader: ArrayReader, engine: Engine, runKey: number): Promise<number> {
  const count = engine.db.fn.countAll<number>().as('count');
  const [row] = await reader.rows(engine.db.selectFrom('run_items').select(count).where('run_key', '=', runKey));
  return row?.[0] as number;
}

/** Planning twice changes nothing: the first plan stands. @throws LeaseLostError, RunStateError */
export async function planRun(engine: Engine, runId: string, fence: Fence, scope: PlanScope): Promise<number> {
  return engine.write(async (tx) => {
    await checkFence(tx, fence);
    const known = await runHead(tx.db, runId);
    if (known.planned === 1) return known.population;
    const run = await runHeadIn(tx.db, runId, ['fetching'], 'be planned');
    const records = classified(engine, scope, await circumstances(tx.db, scope, run.revision));
    await insertItems(tx, records, run.run_key);
    const count = await population(tx, engine, run.run_key);
    await tx.db.updateTable('runs').set({ planned: 1, population: count }).where('run_key', '=', run.run_key).execute();
    return count;
  });
}

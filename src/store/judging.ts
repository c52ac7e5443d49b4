/**
 * The two steps after fetching: fetching → judging fixes everything that the judge may read, judging → settled makes
 * its events part of the history of breaks.
 */
import { sql } from 'kysely';
import type { WitnessMarks } from '../domain/run.ts';
import type { RunStore } from '../ports/store/store.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { checkFence } from './leases.ts';
import { seal } from './row-seals.ts';
import { deleteRows, setRows } from './rows.ts';
import { type RunHead, readRun, runHeadIn, runRow } from './run-rows.ts';
import { BREAK_STATE, EVENT } from './schema/breaks.ts';
import { namesOf } from './schema/column.ts';
import { queueCells, wordsOf } from './schema/queue-order.ts';
import { COUNTED_DATE, findRow, findRows, newestKey } from './statements.ts';

/** Null where no evidence from other sources is stored: the judge then reads none. */
async function newestEvidence(tx: WriteTransaction, runKey: number): Promise<WitnessMarks | null> {
  const marks = {
    sighting: await newestKey(tx.db, 'chain_sightings', 'sighting_key'),
    claim: await newestKey(tx.db, 'delivery_claims', 'claim_key'),
  };
  const revenue = await findRow(tx.db, 'run_revenue', { run_key: runKey }, ['run_key']);
  if (revenue !== undefined) return { ...marks, revenue: true };
  return marks.sighting + marks.claim === 0 ? null : marks;
}

/** Takes over status changes learned by webhook between runs, or by an aborted run: this run reports them. */
async function claimStatusChanges(tx: WriteTransaction, runKey: number): Promise<void> {
  const isUnclaimed = sql`run_key is null and exists (
    select 1 from run_items as i
    where i.run_key = ${runKey} and i.kind = status_changes.kind and i.record_id = status_changes.record_id)`;
  const unclaimed = await findRows(tx.db, 'status_changes', isUnclaimed, ['change_key']);
  const keys = unclaimed.map((row) => row.change_key);
  await setRows(tx, 'status_changes', tx.inList('change_key', keys), { run_key: runKey });
}

/**
 * Links quotes that were stored since the run was planned. The links are final after this, so every replay has the same
 * ones.
 */
async function linkLateQuotes(tx: WriteTransaction, runKey: number): Promise<void> {
  await sql`
    update run_items
    set quote_key = (select quote_key from quotes where quotes.quote_id = run_items.quote_id)
    where run_key = ${runKey} and quote_key is null
      and exists (select 1 from quotes where quotes.quote_id = run_items.quote_id)`.execute(tx.db);
}

/**
 * Takes back what counts as verified without a body that was stored for it: a program that writes to the database may say so of records
 * that it never fetched, or show the body of another record or run.
 */
async function takeBackUnfetched(tx: WriteTransaction, runKey: number): Promise<void> {
  await sql`
    update run_items set outcome = 'deferred', reason = 'no body was stored for it in this run',
      snapshot_key = null, content_key = null, http_status = null, observed_at = null
    where run_key = ${runKey} and outcome = 'verified' and not exists (
      select 1 from snapshots as s
      where s.snapshot_key = run_items.snapshot_key and s.record_key = run_items.record_key
        and s.content_key = run_items.content_key and s.received_at = run_items.observed_at)`.execute(tx.db);
}

/** Idempotent: the watermarks of the first call stay. @throws LeaseLostError, RunStateError */
export const startJudging =
  (engine: Engine): RunStore['startJudging'] =>
  (runId, fence, deferredReason) =>
    engine.write(async (tx) => {
      await checkFence(tx, fence);
      const run = await runHeadIn(tx, runId, ['fetching', 'judging'], 'be judged');
      if (run.state === 'judging') return readRun(await runRow(tx.db, runId));
      const waiting = { run_key: run.run_key, outcome: null };
      await setRows(tx, 'run_items', waiting, { outcome: 'deferred', reason: deferredReason });
      await takeBackUnfetched(tx, run.run_key);
      await claimStatusChanges(tx, run.run_key);
      await linkLateQuotes(tx, run.run_key);
      const evidence = await newestEvidence(tx, run.run_key);
      const marks = {
        quote_watermark: await newestKey(tx.db, 'quotes', 'quote_key'),
        reference_watermark: await newestKey(tx.db, 'reference_captures', 'capture_key'),
        break_watermark: await newestEvent(tx),
        evidence_watermark: evidence === null ? null : JSON.stringify(evidence),
      };
      await setRows(tx, 'runs', { run_key: run.run_key }, { state: 'judging', ...marks });
      return readRun(await runRow(tx.db, runId));
    });

const MOVED = [...namesOf(EVENT), 'host_reference', ...namesOf(BREAK_STATE)] as const;

/** The columns that a person's decision sets; see `movedCells`. */
const DECIDED: readonly string[] = [
  'state',
  'assignee',
  'waiver',
  'claim_id',
  'claimed',
  'money_at_stake',
  'money_aside',
] satisfies (typeof MOVED)[number][];

async function addMissingBreaks(tx: WriteTransaction, runKey: number): Promise<void> {
  await sql`
    insert into breaks
      (break_id, record_key, kind, record_id, rule, field, state, first_seen_day, events, last_event_key)
    select break_id, record_key, kind, record_id, rule, field, state, first_seen_day, 0, 0
    from staged_break_events
    where run_key = ${runKey}
    order by staged_key
    on conflict do nothing`.execute(tx.db);
}

/**
 * The judge saw the breaks as of the watermark. A decision that a person has made since then (acknowledged, assigned,
 * waived) is kept: state, assignee and waiver are those of the newest event. Two exceptions: a run that resolves the
 * break does so, as the record was verified without the finding, and a break resolved meanwhile but found by this run
 * stays open.
 */
function movedCells(watermark: number, settledAt: number) {
  return MOVED.map((column) => {
    const staged = sql.ref(`staged.${column}`);
    if (column === 'at') return notBefore(settledAt);
    if (!DECIDED.includes(column)) return staged;
    const latest = sql.ref(`latest.${column}`);
    return sql`case
      when latest.event_key > ${watermark} and latest.state <> 'resolved' and staged.state <> 'resolved' then ${latest}
      else ${staged} end`;
  });
}

/**
 * One clock for runs and people: an event has the time of its recording. After the clock was set back, events keep
 * the latest time.
 */
function notBefore(now: number) {
  const latest = sql.ref('latest.at');
  return sql`case when ${latest} > ${now} then ${latest} else ${now} end`;
}

async function moveEvents(tx: WriteTransaction, run: RunHead, settledAt: number): Promise<void> {
  const columns = MOVED.map((column) => sql.ref(column));
  await sql`
    insert into break_events (break_key, run_key, ${sql.join(columns)})
    select breaks.break_key, staged.run_key, ${sql.join(movedCells(run.break_watermark ?? 0, settledAt))}
    from staged_break_events as staged
    join breaks on breaks.break_id = staged.break_id
    left join break_events as latest on latest.event_key = breaks.last_event_key
    where staged.run_key = ${run.run_key}
    order by staged.staged_key`.execute(tx.db);
}

async function applyEvents(tx: WriteTransaction, run: RunHead, before: number): Promise<void> {
  const { severityRank, stakeKey, queueKey } = queueCells('event');
  await sql`
    update breaks
    set state = newest.state, first_seen_day = newest.first_seen_day, assignee = newest.assignee,
      events = breaks.events + newest.added, last_event_key = newest.event_key,
      severity_rank = newest.severity_rank, stake_key = newest.stake_key, queue_key = newest.queue_key, currency = newest.currency,
      record_status = newest.record_status, money_moved = newest.money_moved,
      is_led = case when newest.leading_break_id <> breaks.break_id then 1 else 0 end,
      created_at = (select ${COUNTED_DATE} from tracked_records as t where t.record_key = breaks.record_key)
    from (
      select coalesce(event.record_currency, event.currency) as currency, ${severityRank} as severity_rank, ${stakeKey} as stake_key, ${queueKey} as queue_key, event.record_status, event.money_moved, event.leading_break_id, event.break_key, event.event_key, event.state, event.first_seen_day, event.assignee, counted.added
      from (
        select +break_key as break_key, max(event_key) as event_key, count(*) as added
        from break_events where event_key > ${before} and run_key = ${run.run_key} group by +break_key
      ) as counted
      join break_events as event on event.event_key = counted.event_key
    ) as newest
    where newest.break_key = breaks.break_key`.execute(tx.db);
  await dateRevenue(tx);
}

/** Breaks about the revenue of a month are found by it: the middle of the month is in it in every time zone. */
async function dateRevenue(tx: WriteTransaction): Promise<void> {
  const isUndated = { kind: 'payout', created_at: null } as const;
  const undated = await findRows(tx.db, 'breaks', isUndated, ['break_key', 'record_id']);
  for (const { break_key, record_id } of undated) {
    const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])-/.exec(record_id) ?? [];
    if (month === undefined) continue;
    const created_at = Date.UTC(Number(year), Number(month) - 1, 15, 12);
    await setRows(tx, 'breaks', { break_key }, { created_at });
  }
}

/** A statement about a million texts would take longer than a server may. */
const EVENTS_AT_ONCE = 50_000;

/** Breaks with unchanged text, which most unresolved ones are, are not indexed again. */
async function indexWords(engine: Engine, tx: WriteTransaction, before: number): Promise<void> {
  const isKnown = sql`exists (
    select 1 from break_events as p
    where p.event_key = (select max(event_key) from break_events where break_key = b.break_key and event_key <= ${before})
      and p.explanation = e.explanation and coalesce(p.host_reference, '') = coalesce(e.host_reference, ''))`;
  const newest = await newestEvent(tx);
  for (let after = before; after < newest; after += EVENTS_AT_ONCE) {
    const upTo = after + EVENTS_AT_ONCE;
    const rows = wordsOf(sql`e.event_key > ${after} and e.event_key <= ${upTo} and not ${isKnown}`);
    await engine.words.add(rows).execute(tx.db);
  }
}

const newestEvent = (tx: WriteTransaction) => newestKey(tx.db, 'break_events', 'event_key');

/**
 * Staged events get their keys only here, in one transaction: a key at or below a watermark always belongs to an event
 * that counted when the watermark was taken. Idempotent. @throws LeaseLostError, RunStateError
 */
export const settleRun =
  (engine: Engine): RunStore['settle'] =>
  (runId, fence, result) =>
    engine.write(async (tx) => {
      await checkFence(tx, fence);
      const run = await runHeadIn(tx, runId, ['judging', 'settled', 'complete', 'incomplete'], 'be settled');
      if (run.state !== 'judging') return readRun(await runRow(tx.db, runId));
      const before = await newestEvent(tx);
      await addMissingBreaks(tx, run.run_key);
      await moveEvents(tx, run, result.finishedAt);
      await applyEvents(tx, run, before);
      await indexWords(engine, tx, before);
      if ((await newestEvent(tx)) > before) await seal(tx, `run ${run.run_key}`);
      const ofRun = { run_key: run.run_key };
      await deleteRows(tx, 'staged_break_events', ofRun);
      const { verdicts, finishedAt: finished_at } = result;
      await setRows(tx, 'runs', ofRun, { state: 'settled', verdicts: JSON.stringify(verdicts), finished_at });
      await seal(tx, `ran ${run.run_key}`);
      await seal(tx, `items ${run.run_key}`);
      return readRun(await runRow(tx.db, runId));
    });

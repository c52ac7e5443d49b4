/**
 * Pages of cases in report order: the hot path of judging and of every replay. One statement reads the items of a page
 * with their bodies' fields and their linked quotes; further ones complete the few that need more.
 */
import { sql } from 'kysely';
import { NOTHING_KNOWN, type Observation } from '../domain/case.ts';
import type { Kind } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import type { Drift, RecordState } from '../domain/snapshot.ts';
import { RunStateError } from '../ports/store/errors.ts';
import type { HistoryStore, ItemStore, StoredCase } from '../ports/store/store.ts';
import {
  addAllMethods,
  addExecuted,
  addPastSnapshots,
  type CaseDraft,
  PAST_PARTS,
  QUOTE_PARTS,
  readHistory,
  readLinked,
  readPastHeads,
  unreadableRow,
} from './case-parts.ts';
import { addPassed, addTrackedAt, addYounger } from './case-times.ts';
import type { Row } from './cells.ts';
import type { Engine } from './engine.ts';
import { type RunHead, requireItems, runHead } from './run-rows.ts';
import { only } from './schema/column.ts';
import { FACTS, readFacts } from './schema/facts.ts';
import { cell, of, selection } from './schema/places.ts';
import { OBSERVATION, RUNS } from './schema/runs.ts';
import { readState, STATE } from './schema/state.ts';
import { TRACKING } from './schema/tracking.ts';
import { reportRange, reportRangeTemplate, wholeNumber } from './statements.ts';

const ITEMS = RUNS.run_items.columns;
const CASE = selection({
  item: of('i', { ...only(ITEMS, 'record_key', 'kind', 'record_id', 'quote_key', 'due_class'), ...OBSERVATION }),
  facts: of('i', FACTS),
  ...PAST_PARTS,
  content: of('c', only(TRACKING.contents.columns, 'sha256')),
  state: of('c', STATE),
  ...QUOTE_PARTS,
});
const AT = CASE.at;

function readObservation(row: Row, state: RecordState | null): Observation {
  const { item, content } = AT;
  const at = cell(row, item.observed_at) as number;
  switch (cell(row, item.outcome)) {
    case 'verified': {
      if (state === null) throw new Error('it has no body');
      const evidence = { sha256: cell(row, content.sha256), receivedAt: at, origin: 'fetch' } as const;
      return { outcome: 'verified', snapshot: { state, evidence } };
    }
    case 'quarantined': {
      const drift = cell(row, item.drift);
      return {
        outcome: 'quarantined',
        reason: cell(row, item.reason) as Extract<Observation, { outcome: 'quarantined' }>['reason'],
        detail: cell(row, item.detail) as string,
        drift: drift === null ? [] : (JSON.parse(drift) as Drift[]),
        httpStatus: cell(row, item.http_status),
        sha256: cell(row, item.body_sha256),
        at,
      };
    }
    case 'unreachable':
      return {
        outcome: 'unreachable',
        reason: cell(row, item.reason) as Extract<Observation, { outcome: 'unreachable' }>['reason'],
        httpStatus: cell(row, item.http_status),
        errorCode: cell(row, item.error_code),
        at,
      };
    default:
      return { outcome: 'deferred', reason: cell(row, item.reason) as string };
  }
}

function readDraft(row: Row): CaseDraft {
  const { item, facts } = AT;
  const [kind, recordId, contentKey] = [cell(row, item.kind), cell(row, item.record_id), cell(row, item.content_key)];
  const state = contentKey === null ? null : readState(row, AT.state, kind, recordId);
  const past = readPastHeads(row, AT);
  const linked = readLinked(row, AT, state);
  return {
    stored: {
      recordKey: cell(row, item.record_key),
      kind,
      recordId,
      tracked: readFacts(row, facts),
      observation: readObservation(row, state),
      attempts: cell(row, item.attempts),
      history: readHistory(row, AT, state),
      linked,
      dueClass: cell(row, item.due_class),
    },
    contentKey,
    firstSnapshot: past.first,
    terminalSnapshot: past.terminal,
    quoteInFull: state !== null && linked?.method === null ? cell(row, item.quote_key) : null,
  };
}

/** An unreadable row makes only its own record unjudgeable. */
function readDraftOrSetAside(row: Row): CaseDraft {
  try {
    return readDraft(row);
  } catch (error) {
    const { item, facts, content } = AT;
    const observation = unreadableRow(error, cell(row, content.sha256), cell(row, item.observed_at) as number);
    return {
      stored: {
        recordKey: cell(row, item.record_key),
        kind: cell(row, item.kind),
        recordId: cell(row, item.record_id),
        tracked: { ...NOTHING_KNOWN.tracked, hostReference: cell(row, facts.host_reference) },
        observation,
        attempts: cell(row, item.attempts),
        // Of its own: what is added to a draft must not appear on another record.
        history: { ...NOTHING_KNOWN.history },
        linked: null,
      },
      contentKey: null,
      firstSnapshot: null,
      terminalSnapshot: null,
      quoteInFull: null,
    };
  }
}

/** One join in which every table is reached by its primary key. */
function itemsOf(engine: Engine, runKey: number) {
  return engine.db
    .selectFrom('run_items as i')
    .leftJoin('contents as c', 'c.content_key', 'i.content_key')
    .leftJoin('snapshots as f', 'f.snapshot_key', 'i.before_first_snapshot')
    .leftJoin('snapshots as t', 't.snapshot_key', 'i.before_terminal_snapshot')
    .leftJoin('quotes as q', 'q.quote_key', 'i.quote_key')
    .leftJoin('quote_methods as m', (join) =>
      join.onRef('m.quote_key', '=', 'i.quote_key').onRef('m.method', '=', 'c.payment_method'),
    )
    .select(CASE.columns)
    .where('i.run_key', '=', wholeNumber(runKey));
}

async function complete(engine: Engine, drafts: readonly CaseDraft[]): Promise<readonly StoredCase[]> {
  await addPastSnapshots(engine, drafts);
  await addExecuted(engine, drafts);
  await addPassed(engine, drafts);
  await addTrackedAt(engine, drafts);
  await addYounger(engine, drafts);
  await addAllMethods(engine, drafts);
  return drafts.map((draft) => draft.stored);
}

/** @throws UnknownRunError, RunStateError where the run has not begun to be judged. */
async function judgedRunHead(engine: Engine, run: Run): Promise<RunHead> {
  if (run.watermarks === null) throw new RunStateError(run.runId, run.state, 'show its cases before it is judged');
  return runHead(engine, run.runId);
}

/** @throws UnknownRunError, RunStateError; UsageError for a run whose items were moved to an archive. */
async function judgedRunKey(engine: Engine, run: Run): Promise<number> {
  const head = await judgedRunHead(engine, run);
  requireItems(head, run.runId);
  return head.run_key;
}

/** @throws UnknownRunError, RunStateError where the run has not begun to be judged. */
export function readCases(engine: Engine): ItemStore['cases'] {
  const pages = reportRangeTemplate('i', (range) =>
    itemsOf(engine, 0).where(range).orderBy(sql`i.kind, i.record_id`).limit(wholeNumber(0)),
  );
  // Cached, because every page of a run needs it.
  const keys = new WeakMap<Run, number>();
  return async (run, after, limit) => {
    const runKey = keys.get(run) ?? (await judgedRunKey(engine, run));
    keys.set(run, runKey);
    return complete(engine, await engine.each(pages({ after }, null, [runKey], [limit]), readDraftOrSetAside));
  };
}

/**
 * Also of an archived run: a break that is worked on keeps its item here.
 * @throws UnknownRunError, RunStateError where the run has not begun to be judged.
 */
export function readOneCase(engine: Engine): HistoryStore['caseOf'] {
  return async (run, kind, recordId) => {
    const { run_key: runKey, archived_at: archivedAt } = await judgedRunHead(engine, run);
    const one = itemsOf(engine, runKey).where('i.kind', '=', kind).where('i.record_id', '=', recordId).limit(1);
    const [stored] = await complete(engine, await engine.each(one, readDraftOrSetAside));
    return stored ?? (archivedAt === null ? null : 'archived');
  };
}

/** Some records of a run with their observations, in no order. */
export async function readSomeCases(
  engine: Engine,
  runKey: number,
  kind: Kind,
  recordIds: readonly string[],
): Promise<readonly { stored: StoredCase; contentKey: number | null }[]> {
  const some = itemsOf(engine, runKey).where('i.kind', '=', kind).where(engine.inList('i.record_id', recordIds));
  const drafts = await engine.each(some, readDraftOrSetAside);
  await complete(engine, drafts);
  return drafts.map(({ stored, contentKey }) => ({ stored, contentKey }));
}

const VERIFIED = selection({
  item: of('i', only(ITEMS, 'kind', 'record_id', 'observed_at')),
  end: of('t', only(TRACKING.snapshots.columns, 'received_at')),
  ended: of('tc', only(STATE, 'updated_at')),
  state: of('c', STATE),
});

/** Verified states without histories and quotes, for requests to other witnesses. @throws UnknownRunError */
export function readVerified(engine: Engine): ItemStore['verified'] {
  const { item, end, ended, state } = VERIFIED.at;
  return async (runId, after, limit) => {
    const { run_key: runKey } = await runHead(engine, runId);
    const query = engine.db
      .selectFrom('run_items as i')
      .innerJoin('contents as c', 'c.content_key', 'i.content_key')
      .leftJoin('snapshots as t', 't.snapshot_key', 'i.before_terminal_snapshot')
      .leftJoin('contents as tc', 'tc.content_key', 't.content_key')
      .select(VERIFIED.columns)
      .where('i.run_key', '=', runKey)
      .where('i.outcome', '=', 'verified')
      .where(reportRange('i', { after }, null))
      .orderBy(sql`i.kind, i.record_id`)
      .limit(limit);
    return engine.each(query, (row) => ({
      state: readState(row, state, cell(row, item.kind), cell(row, item.record_id)),
      receivedAt: cell(row, item.observed_at) as number,
      endedAt: cell(row, ended.updated_at) ?? cell(row, end.received_at) ?? null,
    }));
  };
}

/**
 * Pages of cases in report order: the hot path of judging and of every replay. One statement reads the items of a page
 * with their bodies' fields and their linked quotes; further ones complete the few that need more.
 */
import type { Compilable } from 'kysely';
import { NOTHING_KNOWN, type Observation } from '../domain/case.ts';
import type { Kind, RecordPosition } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import type { Drift, RecordState } from '../domain/snapshot.ts';
import { RunStateError } from '../ports/store/errors.ts';
import type { HistoryStore, ItemStore, StoredCase } from '../ports/store/store.ts';
import {
  addAllMethods,
  addPassed,
  addPastSnapshots,
  addTrackedAt,
  type CaseDraft,
  PAST_CELLS,
  QUOTE_CELLS,
  readHistory,
  readLinked,
  readPastHeads,
  unreadableRow,
} from './case-parts.ts';
import { columns, type Row } from './cells.ts';
import type { Engine } from './engine.ts';
import { requireItems, runHead } from './run-rows.ts';
import { FACT_COLUMNS, readFacts } from './schema/facts.ts';
import { readState, STATE_COLUMNS } from './schema/tracking.ts';
import { template, wholeNumber } from './statements.ts';

const ITEM_CELLS = columns(
  'i.record_key i.kind i.record_id i.outcome i.attempts i.observed_at i.content_key i.reason i.detail',
  'i.drift i.http_status i.error_code i.body_sha256',
);
const FACT_CELLS = FACT_COLUMNS.map((column) => `i.${column}` as const);
const STATE_CELLS = STATE_COLUMNS.map((column) => `c.${column}` as const);

/** Where each group of columns begins in a row of the page. */
const AT_FACTS = ITEM_CELLS.length;
const AT_PAST = AT_FACTS + FACT_CELLS.length;
const AT_SHA256 = AT_PAST + PAST_CELLS.length;
const AT_STATE = AT_SHA256 + 1;
const AT_QUOTE = AT_STATE + STATE_CELLS.length;

function readObservation(row: Row, state: RecordState | null): Observation {
  const at = row[5] as number;
  switch (row[3]) {
    case 'verified': {
      const evidence = { sha256: row[AT_SHA256] as string, receivedAt: at, origin: 'fetch' } as const;
      return { outcome: 'verified', snapshot: { state: state as RecordState, evidence } };
    }
    case 'quarantined':
      return {
        outcome: 'quarantined',
        reason: row[7] as Extract<Observation, { outcome: 'quarantined' }>['reason'],
        detail: row[8] as string,
        drift: row[9] === null ? [] : (JSON.parse(row[9] as string) as Drift[]),
        httpStatus: row[10] as number | null,
        sha256: row[12] as string | null,
        at,
      };
    case 'unreachable':
      return {
        outcome: 'unreachable',
        reason: row[7] as Extract<Observation, { outcome: 'unreachable' }>['reason'],
        httpStatus: row[10] as number | null,
        errorCode: row[11] as string | null,
        at,
      };
    default:
      return { outcome: 'deferred', reason: row[7] as string };
  }
}

function readDraft(row: Row): CaseDraft {
  const kind = row[1] as Kind;
  const recordId = row[2] as string;
  const contentKey = row[6] as number | null;
  const state = contentKey === null ? null : readState(row, AT_STATE, kind, recordId);
  const past = readPastHeads(row, AT_PAST);
  const linked = readLinked(row, AT_QUOTE, state);
  return {
    stored: {
      recordKey: row[0] as number,
      kind,
      recordId,
      tracked: readFacts(row, AT_FACTS),
      observation: readObservation(row, state),
      attempts: row[4] as number,
      history: readHistory(row, AT_PAST, state),
      linked,
    },
    contentKey,
    firstSnapshot: past.first,
    terminalSnapshot: past.terminal,
    quoteInFull: state !== null && linked?.method === null ? (row[AT_QUOTE] as number) : null,
  };
}

/** An unreadable row makes only its own record unjudgeable. */
function readDraftOrSetAside(row: Row): CaseDraft {
  try {
    return readDraft(row);
  } catch (error) {
    const observation = unreadableRow(error, row[AT_SHA256] as string | null, row[5] as number);
    return {
      stored: {
        recordKey: row[0] as number,
        kind: row[1] as Kind,
        recordId: row[2] as string,
        tracked: { ...NOTHING_KNOWN.tracked, hostReference: row[AT_FACTS] as string | null },
        observation,
        attempts: row[4] as number,
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

type PageQuery = (runKey: number, after: RecordPosition | null, limit: number) => Compilable;

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
    .select([...ITEM_CELLS, ...FACT_CELLS, ...PAST_CELLS, 'c.sha256', ...STATE_CELLS, ...QUOTE_CELLS])
    .where('i.run_key', '=', wholeNumber(runKey));
}

function pageQuery(engine: Engine): PageQuery {
  const items = itemsOf(engine, 0).orderBy('i.kind').orderBy('i.record_id').limit(wholeNumber(0));
  const first = template(items);
  const further = template(
    items.where(({ eb, refTuple, tuple }) => eb(refTuple('i.kind', 'i.record_id'), '>', tuple('purchase' as Kind, ''))),
  );
  return (runKey, after, limit) =>
    after === null ? first([runKey, limit]) : further([runKey, after.kind, after.recordId, limit]);
}

async function complete(engine: Engine, drafts: readonly CaseDraft[]): Promise<readonly StoredCase[]> {
  await addPastSnapshots(engine, drafts);
  await addPassed(engine, drafts);
  await addTrackedAt(engine, drafts);
  await addAllMethods(engine, drafts);
  return drafts.map((draft) => draft.stored);
}

/** @throws UnknownRunError, RunArchivedError, RunStateError where the run has not begun to be judged. */
async function judgedRunKey(engine: Engine, run: Run): Promise<number> {
  if (run.watermarks === null) throw new RunStateError(run.runId, run.state, 'show its cases before it is judged');
  const head = await runHead(engine, run.runId);
  requireItems(head, run.runId);
  return head.run_key;
}

/** @throws UnknownRunError, RunStateError where the run has not begun to be judged. */
export function readCases(engine: Engine): ItemStore['cases'] {
  const queryOf = pageQuery(engine);
  // Cached, because every page of a run needs it.
  const keys = new WeakMap<Run, number>();
  return async (run, after, limit) => {
    const runKey = keys.get(run) ?? (await judgedRunKey(engine, run));
    keys.set(run, runKey);
    return complete(engine, await engine.each(queryOf(runKey, after, limit), readDraftOrSetAside));
  };
}

/** @throws UnknownRunError, RunStateError where the run has not begun to be judged. */
export function readOneCase(engine: Engine): HistoryStore['caseOf'] {
  return async (run, kind, recordId) => {
    const runKey = await judgedRunKey(engine, run);
    const one = itemsOf(engine, runKey).where('i.kind', '=', kind).where('i.record_id', '=', recordId).limit(1);
    const [stored] = await complete(engine, await engine.each(one, readDraftOrSetAside));
    return stored ?? null;
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

/** Verified states without histories and quotes, for requests to other witnesses. @throws UnknownRunError */
export function readVerified(engine: Engine): ItemStore['verified'] {
  return async (runId, after, limit) => {
    const { run_key: runKey } = await runHead(engine, runId);
    const all = engine.db
      .selectFrom('run_items as i')
      .innerJoin('contents as c', 'c.content_key', 'i.content_key')
      .leftJoin('snapshots as t', 't.snapshot_key', 'i.before_terminal_snapshot')
      .leftJoin('contents as tc', 'tc.content_key', 't.content_key')
      .select([
        'i.kind',
        'i.record_id',
        'i.observed_at',
        ({ fn }) => fn.coalesce('tc.updated_at', 't.received_at').as('ended_at'),
        ...STATE_CELLS,
      ])
      .where('i.run_key', '=', runKey)
      .where('i.outcome', '=', 'verified');
    const further =
      after === null
        ? all
        : all.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('i.kind', 'i.record_id'), '>', tuple(after.kind, after.recordId)),
          );
    return engine.each(further.orderBy('i.kind').orderBy('i.record_id').limit(limit), (row) => ({
      state: readState(row, 4, row[0] as Kind, row[1] as string),
      receivedAt: row[2] as number,
      endedAt: row[3] as number | null,
    }));
  };
}

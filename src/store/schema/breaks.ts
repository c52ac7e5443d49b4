/** Tables of breaks: their identity and present state, the append-only events, and events of runs that are not settled. */
import type { Proof } from '../../domain/actor.ts';
import type { Bearer, Break, BreakEvent, BreakKind, BreakState, Waiver } from '../../domain/break.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { MoneyMoved } from '../../domain/status.ts';
import { type Cell, columns, dateOf, dayOf, decimalCell, type Row, readDecimalOrNull } from '../cells.ts';
import { COMPARED, id, integer, key, risingKey, table, text } from './column.ts';
import { KEY } from './tracking.ts';

const IDENTITY = {
  break_id: id,
  /** Null for a break without a record. */
  record_key: integer.orNull.references('tracked_records').unsealed(KEY),
  kind: id.as<BreakKind>(),
  record_id: id,
  rule: id,
  field: id,
};

const EVENT = {
  type: text.as<BreakEvent['type']>(),
  at: integer,
  who: text,
  reason: text.orNull,
  /** As tracked when the event was written, so that a report rendered again later shows the same. */
  host_reference: text.orNull.unsealed('shown beside the break; that of the record is under its seal'),
  severity: text.as<Break['severity']>(),
  state: text.as<BreakState>(),
  first_seen_day: integer,
  last_seen_day: integer,
  times_reopened: integer,
  assignee: text.orNull,
  /** JSON of the Waiver. */
  waiver: text.orNull,
  expected: text.orNull,
  actual: text.orNull,
  difference: text.orNull,
  currency: text.orNull,
  tolerance: text.orNull,
  explanation: text,
  evidence_sha256: text.orNull,
  unit: text.orNull.as<Break['unit']>(),
  loss: text.orNull,
  record_currency: text.orNull,
  money_at_stake: text.orNull,
  leading_break_id: text.orNull,
  /** For a person, whether the name was stated or proved; null for runs. */
  proof: text.orNull.as<Proof | null>(),
  account: text.orNull,
  claim_id: id.orNull,
  record_status: text.orNull,
  /** Null of events from before it was recorded. */
  money_moved: text.orNull.as<MoneyMoved | null>(),
  loss_bearer: text.orNull.as<Bearer | null>(),
  money_aside: text.orNull,
};

const QUEUE = 'only the place in the queue; what is shown is read from the last event';

/** Breaks that need a decision. Partial indexes are used only by a condition with this text: see work-list/queue.ts. */
const OPEN = `where state <> 'waived' and state <> 'resolved'`;

export const BREAKS = {
  /** One row per break: its identity, its last event, and the columns that lists and plans filter by. */
  breaks: table(
    {
      break_key: key,
      ...IDENTITY,
      state: text.as<BreakState>(),
      first_seen_day: integer,
      assignee: text.orNull,
      events: integer,
      last_event_key: integer,
      /** Of the last event, as the queue sorts by them: see queue-order.ts. */
      severity_rank: integer.default('0').unsealed(QUEUE),
      stake_key: id.default(`''`).unsealed(QUEUE),
      queue_key: id.default(`''`).unsealed(QUEUE),
      currency: text.orNull.unsealed(QUEUE),
      record_status: id.orNull,
      money_moved: id.orNull.as<MoneyMoved | null>(),
      /** 1 where another break of its record leads it: the queue shows it with that one. */
      is_led: integer.default('0').unsealed(QUEUE),
      /** Creation of its record as of the last run that settled the break: the host's date, else that of its newest body. */
      created_at: integer.orNull.unsealed(QUEUE),
    },
    {
      // With its events, and these with the seals of their run or decision.
      seal: COMPARED,
      unique: [['break_id'], ['kind', 'record_id', 'rule', 'field']],
      indexes: [
        'breaks_record (record_key)',
        `breaks_by_stake (stake_key, break_key) ${OPEN}`,
        `breaks_by_age (first_seen_day, break_key) ${OPEN}`,
        `breaks_by_severity (severity_rank, break_key) ${OPEN}`,
        `breaks_by_queue (queue_key, break_key) ${OPEN}`,
        'breaks_by_state (state, queue_key, break_key)',
        'breaks_by_rule (rule, state)',
        'breaks_by_assignee (assignee, state)',
        'breaks_by_currency (currency, state)',
        'breaks_by_created_at (created_at, state)',
      ],
    },
  ),

  break_events: table(
    {
      event_key: risingKey,
      break_key: integer.references('breaks'),
      /** Null for an event of a person. */
      run_key: integer.orNull.references('runs'),
      ...EVENT,
    },
    { seal: COMPARED, indexes: ['break_events_break (break_key, event_key)'] },
  ),

  /** Events of runs that are being judged; moved to `break_events`, where they get their key, when the run is settled. */
  staged_break_events: table(
    { staged_key: key, run_key: integer.references('runs'), ...IDENTITY, ...EVENT },
    {
      seal: 'holds for the minutes of a run',
      indexes: ['staged_break_events_run (run_key, staged_key)'],
      // Emptied by each run: its pages are to be used again by the next.
      storage: 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000',
    },
  ),
};

/** The identity of a break, in the order in which `identityCells` writes and `readBreak` reads it. */
export const IDENTITY_COLUMNS = ['break_id', 'kind', 'record_id', 'rule', 'field'] as const;

/** The state of a break after an event; read directly after the identity. */
export const BREAK_STATE_COLUMNS = columns(
  'severity state first_seen_day last_seen_day times_reopened assignee waiver expected actual',
  'difference currency tolerance explanation evidence_sha256',
  'unit loss record_currency money_at_stake leading_break_id claim_id',
  'record_status money_moved loss_bearer money_aside',
);

/** As many state columns as there were when rows were first sealed. */
const FIRST_SEALED = BREAK_STATE_COLUMNS.indexOf('record_status');

/** The cells of a row that ends with the state, for its seal: a later column counts only where it has a value, so that old seals hold. */
export function sealedCells(row: Row): Row {
  const first = row.length - BREAK_STATE_COLUMNS.length + FIRST_SEALED;
  return row.slice(0, Math.max(first, row.findLastIndex((cell) => cell !== null) + 1));
}

/** The event itself, without the state after it. */
export const EVENT_COLUMNS = ['type', 'at', 'who', 'reason', 'proof', 'account'] as const;

export function identityCells(item: Break): Cell[] {
  return [item.breakId, item.kind, item.recordId, item.rule, item.field];
}

export function breakStateCells(item: Break): Cell[] {
  return [
    item.severity,
    item.state,
    dayOf(item.firstSeenDate),
    dayOf(item.lastSeenDate),
    item.timesReopened,
    item.assignee,
    // Decimals write themselves as text into JSON.
    item.waiver === null ? null : JSON.stringify(item.waiver),
    item.expected,
    item.actual,
    decimalCell(item.difference),
    item.currency,
    decimalCell(item.tolerance),
    item.explanation,
    item.evidenceSha256,
    item.unit,
    decimalCell(item.loss),
    item.recordCurrency,
    decimalCell(item.moneyAtStake),
    item.leadingBreakId,
    item.claimId ?? null,
    item.recordStatus,
    item.moneyMoved,
    item.lossBearer,
    decimalCell(item.moneyAside),
  ];
}

export function eventCells(event: BreakEvent): Cell[] {
  return [event.type, event.at, event.who, event.reason, event.proof ?? null, event.account ?? null];
}

export function readWaiver(cell: string | null): Waiver | null {
  if (cell === null) return null;
  const waiver = JSON.parse(cell) as Omit<Waiver, 'difference'> & { difference: string | null };
  return { ...waiver, difference: waiver.difference === null ? null : Decimal.fromPrinted(waiver.difference) };
}

/** Reads identity and state from columns that begin at `at`. */
export function readBreak(row: Row, at: number): Break {
  const state = at + IDENTITY_COLUMNS.length;
  return {
    breakId: row[at] as string,
    kind: row[at + 1] as Break['kind'],
    recordId: row[at + 2] as string,
    rule: row[at + 3] as string,
    field: row[at + 4] as string,
    severity: row[state] as Break['severity'],
    state: row[state + 1] as Break['state'],
    firstSeenDate: dateOf(row[state + 2] as number),
    lastSeenDate: dateOf(row[state + 3] as number),
    timesReopened: row[state + 4] as number,
    assignee: row[state + 5] as string | null,
    waiver: readWaiver(row[state + 6] as string | null),
    expected: row[state + 7] as string | null,
    actual: row[state + 8] as string | null,
    difference: readDecimalOrNull(row[state + 9]),
    currency: row[state + 10] as string | null,
    tolerance: readDecimalOrNull(row[state + 11]),
    explanation: row[state + 12] as string,
    evidenceSha256: row[state + 13] as string | null,
    unit: row[state + 14] as Break['unit'],
    loss: readDecimalOrNull(row[state + 15]),
    recordCurrency: row[state + 16] as string | null,
    moneyAtStake: readDecimalOrNull(row[state + 17]),
    leadingBreakId: row[state + 18] as string | null,
    recordStatus: row[state + 20] as string | null,
    moneyMoved: row[state + 21] as MoneyMoved | null,
    lossBearer: row[state + 22] as Bearer | null,
    moneyAside: readDecimalOrNull(row[state + 23]),
    ...(row[state + 19] === null ? {} : { claimId: row[state + 19] as string }),
  };
}

/**
 * Tables of breaks: their identity and present state, the append-only events, and events of runs that are not settled.
 */
import type { Generated } from 'kysely';
import type { Proof } from '../../domain/actor.ts';
import type { Bearer, Break, BreakEvent, BreakKind, BreakState, Waiver } from '../../domain/break.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { MoneyMoved } from '../../domain/status.ts';
import { type Cell, columns, dateOf, dayOf, decimalCell, type Row, readDecimalOrNull } from '../cells.ts';

/** A break after an event, without its identity. */
interface BreakStateColumns
  extends Pick<Break, 'severity' | 'state' | 'assignee' | 'expected' | 'actual' | 'currency' | 'explanation' | 'unit'> {
  first_seen_day: number;
  last_seen_day: number;
  times_reopened: number;
  /** JSON of the Waiver. */
  waiver: string | null;
  difference: string | null;
  tolerance: string | null;
  evidence_sha256: string | null;
  loss: string | null;
  record_currency: string | null;
  money_at_stake: string | null;
  leading_break_id: string | null;
  claim_id: string | null;
  record_status: string | null;
  /** Null of events from before it was recorded. */
  money_moved: MoneyMoved | null;
  loss_bearer: Bearer | null;
  money_aside: string | null;
}

interface BreakEventColumns extends Pick<BreakEvent, 'type' | 'at' | 'who' | 'reason'> {
  /** For a person, whether the name was stated or proved; null for runs. */
  proof: Proof | null;
  account: string | null;
  /** As tracked when the event was written, so that a report rendered again later shows the same. */
  host_reference: string | null;
}

interface BreakIdentityColumns {
  break_id: string;
  /** Null for a break without a record. */
  record_key: number | null;
  kind: BreakKind;
  record_id: string;
  rule: string;
  field: string;
}

/** One row per break: its identity, its last event, and the columns that lists and plans filter by. */
export interface BreakTable extends BreakIdentityColumns {
  break_key: Generated<number>;
  state: BreakState;
  first_seen_day: number;
  assignee: string | null;
  events: number;
  last_event_key: number;
  /** Of the last event, as the queue sorts by them: see queue-order.ts. */
  severity_rank: Generated<number>;
  stake_key: Generated<string>;
  queue_key: Generated<string>;
  currency: string | null;
  record_status: string | null;
  money_moved: MoneyMoved | null;
  /** 1 where another break of its record leads it: the queue shows it with that one. */
  is_led: Generated<number>;
  /**
   * Creation of its record as of the last run that settled the break: the host's date, else that of its newest body.
   */
  created_at: number | null;
}

export interface BreakEventTable extends BreakEventColumns, BreakStateColumns {
  event_key: Generated<number>;
  break_key: number;
  /** Null for an event of a person. */
  run_key: number | null;
}

/** Events of runs that are being judged; moved to `break_events`, where they get their key, when the run is settled. */
export interface StagedBreakEventTable extends BreakIdentityColumns, BreakEventColumns, BreakStateColumns {
  staged_key: Generated<number>;
  run_key: number;
}

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

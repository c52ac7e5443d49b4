/** Tables of breaks: their identity and present state, the append-only events, and events of runs that are not settled. */
import type { Proof } from '../../domain/actor.ts';
import type { Bearer, Break, BreakEvent, BreakKind, BreakState, Waiver } from '../../domain/break.ts';
import { readWritten, type Written } from '../../domain/decimal.ts';
import type { MoneyMoved } from '../../domain/status.ts';
import type { Row } from '../cells.ts';
import { COMPARED, date, decimal, id, integer, key, namesOf, risingKey, table, text } from './column.ts';
import { type PlacesOf, placedReaderOf, writerOf } from './places.ts';
import { KEY } from './tracking.ts';

export const IDENTITY = {
  break_id: id,
  kind: id.as<BreakKind>(),
  record_id: id,
  rule: id,
  field: id,
};

/** The event itself, without the state after it. */
export const EVENT = {
  type: text.as<BreakEvent['type']>(),
  at: integer,
  who: text,
  reason: text.orNull,
  /** For a person, whether the name was stated or proved; null for runs. */
  proof: text.orNull.as<Proof | null>().ifAny,
  account: text.orNull.ifAny,
};

/** A break after an event, in the order of its seal (`sealedPart`): a new column is the last. */
export const BREAK_STATE = {
  severity: text.as<Break['severity']>(),
  state: text.as<BreakState>(),
  first_seen_day: date.named('firstSeenDate'),
  last_seen_day: date.named('lastSeenDate'),
  times_reopened: integer,
  assignee: text.orNull,
  waiver: text.holds(readWaiver, JSON.stringify).orNull,
  expected: text.orNull,
  actual: text.orNull,
  difference: decimal.orNull,
  currency: text.orNull,
  tolerance: decimal.orNull,
  explanation: text,
  evidence_sha256: text.orNull,
  unit: text.orNull.as<Break['unit']>(),
  loss: decimal.orNull,
  record_currency: text.orNull,
  money_at_stake: decimal.orNull,
  leading_break_id: text.orNull,
  claim_id: id.orNull.ifAny,
  record_status: text.orNull,
  /** Null of events from before it was recorded. */
  money_moved: text.orNull.as<MoneyMoved | null>(),
  loss_bearer: text.orNull.as<Bearer | null>(),
  money_aside: decimal.orNull,
  claimed: decimal.orNull.ifAny,
  quote_id: id.orNull.ifAny,
};

/** Null for a break without a record. */
const ofRecord = integer.orNull.references('tracked_records').unsealed(KEY);

/** As tracked when the event was written, so that a report rendered again later shows the same. */
const host = {
  host_reference: text.orNull.unsealed('shown beside the break; that of the record is under its seal'),
};

const QUEUE = 'only the place in the queue; what is shown is read from the last event';

/** Breaks that need a decision. Partial indexes are used only by a condition with this text: see work-list/queue.ts. */
const OPEN = `where state <> 'waived' and state <> 'resolved'`;

export const BREAKS = {
  /** One row per break: its identity, its last event, and the columns that lists and plans filter by. */
  breaks: table(
    {
      break_key: key,
      record_key: ofRecord,
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
      ...host,
      ...EVENT,
      ...BREAK_STATE,
    },
    { seal: COMPARED, indexes: ['break_events_break (break_key, event_key)'] },
  ),

  /** Events of runs that are being judged; moved to `break_events`, where they get their key, when the run is settled. */
  staged_break_events: table(
    {
      staged_key: key,
      run_key: integer.references('runs'),
      record_key: ofRecord,
      ...IDENTITY,
      ...host,
      ...EVENT,
      ...BREAK_STATE,
    },
    {
      seal: 'holds for the minutes of a run',
      indexes: ['staged_break_events_run (run_key, staged_key)'],
      // Emptied by each run: its pages are to be used again by the next.
      storage: 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000',
    },
  ),
};

const STATE_NAMES = namesOf(BREAK_STATE);
/** As many state columns as there were when rows were first sealed. */
const FIRST_SEALED = STATE_NAMES.indexOf('record_status');

/** The cells of a row that ends with the state, for its seal: a later column counts only where it has a value, so that old seals hold. */
export function sealedPart(row: Row): Row {
  const first = row.length - STATE_NAMES.length + FIRST_SEALED;
  return row.slice(0, Math.max(first, row.findLastIndex((cell) => cell !== null) + 1));
}

export const identityCells = writerOf(IDENTITY);
export const eventCells = writerOf(EVENT);
export const breakStateCells = writerOf(BREAK_STATE);

export function readWaiver(cell: string): Waiver {
  return readWritten<Waiver>(JSON.parse(cell) as Written<Waiver>, 'difference');
}

export const readEvent = placedReaderOf(EVENT);
const readIdentity = placedReaderOf(IDENTITY);
const readBreakState = placedReaderOf(BREAK_STATE);

interface BreakPlaces {
  identity: PlacesOf<typeof IDENTITY>;
  state: PlacesOf<typeof BREAK_STATE>;
}

export const readBreak = (row: Row, { identity, state }: BreakPlaces): Break => ({
  ...readIdentity(row, identity),
  ...readBreakState(row, state),
});

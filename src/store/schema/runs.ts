/** Tables of runs, of the records in them, and of status changes. */
import type { Generated, Selectable } from 'kysely';
import type { DueClass } from '../../domain/due.ts';
import type { Kind, Origin } from '../../domain/record.ts';
import type { RunState } from '../../domain/run.ts';
import type { ObservedItem, StatusChange } from '../../ports/store/store.ts';
import { type Cell, columns } from '../cells.ts';
import type { FactColumns } from './facts.ts';

export interface RunTable {
  run_key: Generated<number>;
  run_id: string;
  job: string;
  business_day: number;
  revision: number;
  state: RunState;
  /** JSON of the Selection. */
  selection: string;
  timezone: string;
  started_at: number;
  finished_at: number | null;
  as_of: number;
  terms: string;
  rules_hash: string;
  config_hash: string;
  code_version: string;
  supersedes: string | null;
  requests_sent: number;
  /** 1 once the items are in; the population may be 0. */
  planned: number;
  population: number;
  observed: number;
  /** JSON of the VerdictCounts. */
  verdicts: string | null;
  quote_watermark: number | null;
  reference_watermark: number | null;
  break_watermark: number | null;
  /** JSON of the EvidenceMarks; null without evidence from other sources than the Service. */
  evidence_watermark: string | null;
  published_to: string | null;
  /** JSON array of SourceFigures; null where the run is older than the column. */
  sources: string | null;
  /** Records in the population and out of it when the run was planned; null before, and where the run is older. */
  tracked: number | null;
  retracted: number | null;
  /** JSON of the Survey; null before the run is judged, and where it is older. */
  survey: string | null;
  /** Time at which its items were moved to an archive; null while they are in the database. */
  archived_at: Generated<number | null>;
}

/** The projection as it was before this run's observation. */
interface FrozenPastColumns {
  before_status: string | null;
  before_status_since: number | null;
  before_peak_status: string | null;
  before_peak_at: number | null;
  before_first_snapshot: number | null;
  before_terminal_snapshot: number | null;
  before_verified_at: number | null;
  before_verified_status: string | null;
}

/** One record of one run, clustered in report order (run, kind, record id). Its facts are those of the run's plan. */
export interface RunItemTable extends FactColumns, FrozenPastColumns {
  run_key: number;
  kind: Kind;
  record_id: string;
  record_key: number;
  /** Order in which the allowance is spent, from 1. */
  position: number;
  due_class: DueClass;
  /** The linked quote; null where it was not stored when judging began. */
  quote_key: number | null;
  /** Null until something was observed. */
  outcome: 'verified' | 'quarantined' | 'unreachable' | 'deferred' | null;
  attempts: number;
  observed_at: number | null;
  /** Verified: the run's own snapshot and its content. */
  snapshot_key: number | null;
  content_key: number | null;
  reason: string | null;
  detail: string | null;
  /** JSON array of Drift. */
  drift: string | null;
  http_status: number | null;
  error_code: string | null;
  /** Quarantined: SHA-256 of the bytes received. */
  body_sha256: string | null;
}

export interface StatusChangeTable {
  change_key: Generated<number>;
  record_key: number;
  kind: Kind;
  record_id: string;
  /** The run that reports it; null until one claims it. */
  run_key: number | null;
  from_status: string;
  to_status: string;
  from_seen_at: number;
  to_seen_at: number;
  learned_from: Origin;
  legal: number;
}

export function readStatusChange(row: Selectable<StatusChangeTable>): StatusChange {
  return {
    kind: row.kind,
    recordId: row.record_id,
    from: row.from_status,
    to: row.to_status,
    fromSeenAt: row.from_seen_at,
    toSeenAt: row.to_seen_at,
    learnedFrom: row.learned_from,
    legal: row.legal === 1,
  };
}

/** Columns of the record that are frozen into the item: its state before this run. */
export const PAST_SOURCES = columns(
  'status status_since peak_status peak_at first_snapshot terminal_snapshot last_verified_at',
  'last_verified_status',
);
/** Where PAST_SOURCES go, in the same order. */
export const PAST_COLUMNS = columns(
  'before_status before_status_since before_peak_status before_peak_at before_first_snapshot',
  'before_terminal_snapshot before_verified_at before_verified_status',
);

export const OBSERVATION_COLUMNS = columns(
  'outcome attempts observed_at snapshot_key content_key reason detail drift http_status error_code',
  'body_sha256',
);

/** The cells of OBSERVATION_COLUMNS. */
export function observationCells(item: ObservedItem, snapshot: { key: number; content: number } | null): Cell[] {
  const { observed, attempts } = item;
  const at = observed.at;
  switch (observed.outcome) {
    case 'verified': {
      const key = snapshot?.key ?? null;
      return [
        'verified',
        attempts,
        at,
        key,
        snapshot?.content ?? null,
        null,
        null,
        null,
        observed.httpStatus,
        null,
        null,
      ];
    }
    case 'quarantined': {
      const { reason, detail, httpStatus, body } = observed;
      const drift = observed.drift.length === 0 ? null : JSON.stringify(observed.drift);
      return ['quarantined', attempts, at, null, null, reason, detail, drift, httpStatus, null, body?.sha256 ?? null];
    }
    case 'unreachable': {
      const { reason, httpStatus, errorCode } = observed;
      return ['unreachable', attempts, at, null, null, reason, null, null, httpStatus, errorCode, null];
    }
  }
}

/** The columns of a status change, in the order in which its writers give the cells. */
export const STATUS_CHANGE_COLUMNS = columns(
  'record_key kind record_id run_key from_status to_status from_seen_at to_seen_at learned_from legal',
);

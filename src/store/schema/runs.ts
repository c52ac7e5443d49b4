/** Tables of runs, of the records in them, and of status changes. */
import type { Generated } from 'kysely';
import type { Kind, Origin } from '../../domain/record.ts';
import type { DueClass, RunState } from '../../domain/run.ts';

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
  published_to: string | null;
}

/** The tracked facts as they were when the run was planned. */
export interface FrozenFactColumns {
  host_reference: string | null;
  quote_id: string | null;
  expected_status: string | null;
  conflict: string | null;
  webhook_events: string | null;
}

/** The projection as it was before this run's observation. */
export interface FrozenPastColumns {
  before_status: string | null;
  before_status_since: number | null;
  before_peak_status: string | null;
  before_peak_at: number | null;
  before_first_snapshot: number | null;
  before_terminal_snapshot: number | null;
  before_verified_at: number | null;
  before_verified_status: string | null;
}

/** One record of one run, clustered in report order (run, kind, record id). */
export interface RunItemTable extends FrozenFactColumns, FrozenPastColumns {
  run_key: number;
  kind: Kind;
  record_id: string;
  record_key: number;
  /** Order in which the allowance is spent, from 1. */
  position: number;
  due_class: DueClass;
  /** The linked quote, where it was known by the time the run was judged. */
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

/** Tables of breaks: their identity and present state, the append-only events, and events of runs that are not settled. */
import type { Generated } from 'kysely';
import type { BreakEventType, BreakState } from '../../domain/break.ts';
import type { Severity } from '../../domain/finding.ts';
import type { Kind } from '../../domain/record.ts';

/** A break after an event, without its identity. */
export interface BreakStateColumns {
  severity: Severity;
  state: BreakState;
  first_seen_day: number;
  last_seen_day: number;
  times_reopened: number;
  assignee: string | null;
  /** JSON of the Waiver. */
  waiver: string | null;
  expected: string | null;
  actual: string | null;
  difference: string | null;
  currency: string | null;
  tolerance: string | null;
  explanation: string;
  evidence_sha256: string | null;
}

export interface BreakEventColumns {
  type: BreakEventType;
  at: number;
  who: string;
  reason: string | null;
  /** As tracked when the event was written, so that a report rendered again later shows the same. */
  host_reference: string | null;
}

export interface BreakIdentityColumns {
  break_id: string;
  record_key: number;
  kind: Kind;
  record_id: string;
  rule: string;
  field: string;
}

/** One row per break: who it is, where its last event is, and what lists and plans filter by. */
export interface BreakTable extends BreakIdentityColumns {
  break_key: Generated<number>;
  state: BreakState;
  first_seen_day: number;
  assignee: string | null;
  events: number;
  last_event_key: number;
}

export interface BreakEventTable extends BreakEventColumns, BreakStateColumns {
  event_key: Generated<number>;
  break_key: number;
  /** Null for a person's doing. */
  run_key: number | null;
}

/** Events of runs that are being judged; moved to `break_events`, where they get their key, when the run is settled. */
export interface StagedBreakEventTable extends BreakIdentityColumns, BreakEventColumns, BreakStateColumns {
  staged_key: Generated<number>;
  run_key: number;
}

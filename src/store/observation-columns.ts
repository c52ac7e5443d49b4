/** What an observation leaves in its run item: the frozen past of the record, and the observation itself. */
import type { ObservedItem } from '../ports/store/store.ts';
import type { Cell } from './engine.ts';

/** Of the record, frozen into the item: what was known before tonight. */
export const PAST_SOURCES = [
  'status',
  'status_since',
  'peak_status',
  'peak_at',
  'first_snapshot',
  'terminal_snapshot',
  'last_verified_at',
  'last_verified_status',
] as const;
/** Where PAST_SOURCES go, in the same order. */
export const PAST_COLUMNS = [
  'before_status',
  'before_status_since',
  'before_peak_status',
  'before_peak_at',
  'before_first_snapshot',
  'before_terminal_snapshot',
  'before_verified_at',
  'before_verified_status',
] as const;

export const OBSERVATION_COLUMNS = [
  'outcome',
  'attempts',
  'observed_at',
  'snapshot_key',
  'content_key',
  'reason',
  'detail',
  'drift',
  'http_status',
  'error_code',
  'body_sha256',
] as const;

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

/** A row of `status_changes`, in the order in which those who learn of one write it. */
export const STATUS_CHANGE_COLUMNS = [
  'record_key',
  'kind',
  'record_id',
  'run_key',
  'from_status',
  'to_status',
  'from_seen_at',
  'to_seen_at',
  'learned_from',
  'legal',
] as const;

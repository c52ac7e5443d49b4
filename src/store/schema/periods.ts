/** Tables of closed months. */
import type { Generated } from 'kysely';
import type { Verdict } from '../../domain/finding.ts';
import type { Kind } from '../../domain/record.ts';
import type { StatementType } from '../../ports/store/periods.ts';

export interface PeriodStatementTable {
  statement_key: Generated<number>;
  /** `2026-10`. */
  period: string;
  type: StatementType;
  number: number;
  /** Empty for statements that no later close carries. */
  carried_in: string;
  state: 'open' | 'staged' | 'sealed';
  timezone: string;
  stated_by: string;
  stated_at: number;
  accepted_open: string | null;
  break_watermark: number;
  /** JSON array of run keys. */
  run_keys: string;
  terms: string;
  rules_hash: string;
  config_hash: string;
  code_version: string;
  figures: string | null;
  folder: string | null;
  manifest_sha256: string | null;
}

/** One record of a statement, clustered in report order. */
export interface PeriodRecordTable {
  statement_key: number;
  kind: Kind;
  record_id: string;
  record_key: number;
  look_run: number | null;
  verified_run: number | null;
  content_key: number | null;
  verdict: Verdict;
  /** 0 where the record has left the month. */
  present: number;
  /** JSON array of PeriodChange; null for none. */
  changes: string | null;
}

export interface PeriodTable {
  period: string;
  /** Of the close. */
  statement_key: number;
  state: 'closed' | 'reviewed';
  reviewed_by: string | null;
  reviewed_at: number | null;
}

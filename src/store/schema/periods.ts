/** Tables of closed months. */
import type { Verdict } from '../../domain/finding.ts';
import type { Kind } from '../../domain/record.ts';
import type { MonthSetRecord, MonthSetType, NewMonthSet } from '../../ports/store/periods.ts';
import { flag, id, integer, OWNED, ROWS, risingKey, table, text } from './column.ts';

export const PERIODS = {
  period_statements: table(
    {
      statement_key: risingKey.named('key'),
      /** `2026-10`. */
      period: id,
      type: id.as<MonthSetType>(),
      number: integer,
      /** Empty for statements that no later close carries. */
      carried_in: id.from(({ carriedIn }: NewMonthSet) => carriedIn ?? ''),
      state: text.as<'open' | 'staged' | 'sealed'>(),
      timezone: text,
      stated_by: text.named('by'),
      stated_at: integer.named('at'),
      accepted_open: text.orNull,
      break_watermark: integer.from(({ basis }: NewMonthSet) => basis.breakEvent),
      /** JSON array of run keys. */
      run_keys: text.from(({ basis }: NewMonthSet) => JSON.stringify(basis.runs)),
      terms: text,
      rules_hash: text,
      config_hash: text,
      code_version: text,
      figures: text.orNull,
      folder: text.orNull,
      manifest_sha256: text.orNull,
    },
    { seal: OWNED, unique: [['period', 'type', 'number', 'carried_in']] },
  ),

  /** One record of a statement, in report order: a set is written from front to back. */
  period_records: table(
    {
      statement_key: integer.references('period_statements').found('the seal of each statement is over its records'),
      kind: id.as<Kind>(),
      record_id: id,
      record_key: integer.references('tracked_records'),
      look_run: integer.orNull.references('runs'),
      verified_run: integer.orNull.references('runs'),
      content_key: integer.orNull.references('contents'),
      verdict: text.as<Verdict>(),
      /** False where the record has left the month. */
      present: flag,
      /** JSON array of PeriodChange; null for none. */
      changes: text.orNull.from(({ changes }: MonthSetRecord) =>
        changes.length === 0 ? null : JSON.stringify(changes),
      ),
    },
    {
      seal: OWNED,
      key: ['statement_key', 'kind', 'record_id'],
      clustered: true,
      indexes: [
        // Every run asks which of its records belong to a closed month; only a close writes to the index.
        'period_records_record (record_key, statement_key)',
        'period_records_content (content_key) where content_key is not null',
      ],
    },
  ),

  /** A month gets its row when its set is in place; the primary key refuses a second close. */
  periods: table(
    {
      period: id,
      /** Of the close. */
      statement_key: integer.references('period_statements'),
      state: text.as<'closed' | 'reviewed'>(),
      reviewed_by: text.orNull,
      reviewed_at: integer.orNull,
    },
    { seal: ROWS, key: ['period'], clustered: true },
  ),

  delta_reviews: table(
    {
      statement_key: integer.references('period_statements'),
      reviewed_by: text,
      reviewed_at: integer,
    },
    { seal: ROWS, key: ['statement_key'], clustered: true },
  ),
};

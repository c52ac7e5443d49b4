/** A row of `status_changes` as the contract has it. */
import type { Selectable } from 'kysely';
import type { StatusChange } from '../ports/store/store.ts';
import type { StatusChangeTable } from './schema/runs.ts';

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

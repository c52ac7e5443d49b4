/** All tables by name, as Kysely wants them. Columns are described where each table is. */
import type { BreakEventTable, BreakTable, StagedBreakEventTable } from './breaks.ts';
import type { BookingTable, CircuitTable, LeaseTable } from './limits.ts';
import type { PeriodRecordTable, PeriodStatementTable, PeriodTable } from './periods.ts';
import type {
  QuoteBodyTable,
  QuoteMethodTable,
  QuoteTable,
  ReferenceAssetTable,
  ReferenceCaptureTable,
  ReferenceContentTable,
  ReferenceMethodTable,
} from './quotes.ts';
import type { RunItemTable, RunTable, StatusChangeTable } from './runs.ts';
import type {
  BodyTable,
  ContentTable,
  CurrencyTable,
  DeliveryTable,
  SealedBodyTable,
  SealingKeyTable,
  SnapshotTable,
  TrackedRecordTable,
  TrackingConflictTable,
} from './tracking.ts';

export interface Tables {
  tracked_records: TrackedRecordTable;
  tracking_conflicts: TrackingConflictTable;
  contents: ContentTable;
  bodies: BodyTable;
  snapshots: SnapshotTable;
  sealed_bodies: SealedBodyTable;
  deliveries: DeliveryTable;
  currencies_seen: CurrencyTable;
  sealing_keys: SealingKeyTable;
  quotes: QuoteTable;
  quote_methods: QuoteMethodTable;
  quote_bodies: QuoteBodyTable;
  reference_captures: ReferenceCaptureTable;
  reference_contents: ReferenceContentTable;
  reference_assets: ReferenceAssetTable;
  reference_methods: ReferenceMethodTable;
  runs: RunTable;
  run_items: RunItemTable;
  status_changes: StatusChangeTable;
  breaks: BreakTable;
  break_events: BreakEventTable;
  staged_break_events: StagedBreakEventTable;
  period_statements: PeriodStatementTable;
  period_records: PeriodRecordTable;
  periods: PeriodTable;
  leases: LeaseTable;
  bookings: BookingTable;
  circuits: CircuitTable;
}

/** What `db status` counts, in the order in which it shows them. */
export const COUNTED_TABLES = [
  'tracked_records',
  'snapshots',
  'contents',
  'quotes',
  'reference_captures',
  'runs',
  'run_items',
  'breaks',
  'break_events',
] as const satisfies readonly (keyof Tables)[];

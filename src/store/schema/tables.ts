/** All tables by name, for Kysely. Columns are described at each table's type. */

import type { BreakEventTable, BreakTable, StagedBreakEventTable } from './breaks.ts';
import type {
  ChainAnswerTable,
  ChainSightingTable,
  DeliveryClaimTable,
  PayoutTable,
  PriceMoveTable,
  RunRevenueTable,
} from './evidence.ts';
import type { BookingTable, CircuitTable, LeaseTable } from './limits.ts';
import type { PeriodRecordTable, PeriodStatementTable, PeriodTable } from './periods.ts';
import type {
  DatabaseIdTable,
  DoubtedRunTable,
  PublicationTable,
  RowSealTable,
  SealedRowTable,
} from './publications.ts';
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
  TrackingEventTable,
} from './tracking.ts';
import type {
  AccessActTable,
  AccessLinkTable,
  AccessSessionTable,
  BreakAttachmentTable,
  BreakNoteTable,
  ClaimEventTable,
  ClaimItemTable,
  ClaimTable,
  SavedViewTable,
  WaiverRequestTable,
} from './work-list.ts';

export interface Tables {
  tracked_records: TrackedRecordTable;
  tracking_conflicts: TrackingConflictTable;
  tracking_events: TrackingEventTable;
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
  database_ids: DatabaseIdTable;
  publications: PublicationTable;
  row_seals: RowSealTable;
  sealed_rows: SealedRowTable;
  doubted_runs: DoubtedRunTable;
  leases: LeaseTable;
  bookings: BookingTable;
  circuits: CircuitTable;
  access_links: AccessLinkTable;
  access_sessions: AccessSessionTable;
  access_acts: AccessActTable;
  saved_views: SavedViewTable;
  break_notes: BreakNoteTable;
  break_attachments: BreakAttachmentTable;
  waiver_requests: WaiverRequestTable;
  claims: ClaimTable;
  claim_items: ClaimItemTable;
  claim_events: ClaimEventTable;
  chain_sightings: ChainSightingTable;
  chain_answers: ChainAnswerTable;
  delivery_claims: DeliveryClaimTable;
  payouts: PayoutTable;
  run_revenue: RunRevenueTable;
  price_moves: PriceMoveTable;
}

/** The tables whose rows `db status` counts, in its order. */
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

export type TableName = keyof Tables & string;
export type ColumnOf<T extends TableName> = keyof Tables[T] & string;

interface Copied<T extends TableName = TableName> {
  table: T;
  /** The primary key: pages are read in its order, so that equal tables have equal hashes. */
  key: readonly ColumnOf<T>[];
  /** True where the database generates the key: it must continue after the highest copied one. */
  generated: boolean;
}

function generated<T extends TableName>(table: T, key: ColumnOf<T>): Copied<T> {
  return { table, key: [key], generated: true };
}

function named<T extends TableName>(table: T, ...key: ColumnOf<T>[]): Copied<T> {
  return { table, key, generated: false };
}

const ORDER = [
  generated('tracked_records', 'record_key'),
  generated('tracking_conflicts', 'conflict_key'),
  generated('tracking_events', 'event_key'),
  generated('contents', 'content_key'),
  named('bodies', 'content_key'),
  generated('snapshots', 'snapshot_key'),
  generated('sealed_bodies', 'sealed_key'),
  generated('deliveries', 'delivery_key'),
  named('currencies_seen', 'currency'),
  named('sealing_keys', 'key_id'),
  generated('quotes', 'quote_key'),
  named('quote_methods', 'quote_key', 'method'),
  named('quote_bodies', 'quote_key'),
  generated('reference_contents', 'content_key'),
  generated('reference_captures', 'capture_key'),
  named('reference_assets', 'content_key', 'asset_chain', 'asset_symbol'),
  named('reference_methods', 'content_key', 'name'),
  generated('runs', 'run_key'),
  named('run_items', 'run_key', 'kind', 'record_id'),
  generated('status_changes', 'change_key'),
  generated('breaks', 'break_key'),
  generated('break_events', 'event_key'),
  generated('staged_break_events', 'staged_key'),
  generated('period_statements', 'statement_key'),
  named('period_records', 'statement_key', 'kind', 'record_id'),
  named('periods', 'period'),
  named('database_ids', 'one'),
  generated('publications', 'publication_key'),
  named('row_seals', 'name'),
  named('sealed_rows', 'table_name', 'digest'),
  named('doubted_runs', 'run_key'),
  named('leases', 'name'),
  generated('bookings', 'booking_key'),
  named('circuits', 'egress'),
  generated('access_links', 'link_key'),
  generated('access_sessions', 'session_key'),
  generated('access_acts', 'act_key'),
  generated('saved_views', 'view_key'),
  generated('break_notes', 'note_key'),
  generated('break_attachments', 'attachment_key'),
  generated('waiver_requests', 'request_key'),
  generated('claims', 'claim_key'),
  named('claim_items', 'claim_key', 'break_id'),
  generated('claim_events', 'event_key'),
  generated('chain_sightings', 'sighting_key'),
  named('chain_answers', 'sha256'),
  generated('delivery_claims', 'claim_key'),
  generated('payouts', 'payout_key'),
  named('run_revenue', 'run_key'),
  named('price_moves', 'record_key'),
] as const;

/** A table that is missing above would be missing in every copy: this line then does not compile. */
type Missing = Exclude<keyof Tables, (typeof ORDER)[number]['table']>;
const NONE_MISSING: Missing extends never ? true : never = true;

export const COPIED_TABLES: readonly Copied[] = NONE_MISSING ? (ORDER as readonly unknown[] as readonly Copied[]) : [];

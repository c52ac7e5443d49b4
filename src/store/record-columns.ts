/** The projection and the facts of a tracked record as columns. */
import type { TrackedFacts } from '../domain/case.ts';
import type { Projection, ProjectionUpdate } from '../ports/store/store.ts';
import { dateOrNull, dayOrNull } from './days.ts';
import type { Cell, Row } from './engine.ts';

/** In the order in which `projectionCells` writes and `readProjection` reads. */
export const PROJECTION_COLUMNS = [
  'status',
  'status_since',
  'peak_status',
  'peak_at',
  'terminal_day',
  'first_snapshot',
  'terminal_snapshot',
  'last_snapshot',
  'last_verified_at',
  'last_verified_day',
] as const;

/** Where the last snapshot stands, counted from the first of these columns. */
export const LAST_SNAPSHOT_OFFSET = PROJECTION_COLUMNS.indexOf('last_snapshot');

export function readProjection(row: Row, at: number): Projection {
  return {
    status: row[at] as string | null,
    statusSince: row[at + 1] as number | null,
    peakStatus: row[at + 2] as string | null,
    peakAt: row[at + 3] as number | null,
    terminalDate: dateOrNull(row[at + 4] as number | null),
    firstSnapshot: row[at + 5] as number | null,
    terminalSnapshot: row[at + 6] as number | null,
    lastSnapshot: row[at + 7] as number | null,
    lastVerifiedAt: row[at + 8] as number | null,
    lastVerifiedDate: dateOrNull(row[at + 9] as number | null),
  };
}

/** The update with `snapshot` in the place of 'this', which is also the record's newest snapshot from now on. */
export function projectionCells(update: ProjectionUpdate, snapshot: number): Cell[] {
  const resolve = (key: number | 'this' | null): number | null => (key === 'this' ? snapshot : key);
  return [
    update.status,
    update.statusSince,
    update.peakStatus,
    update.peakAt,
    dayOrNull(update.terminalDate),
    resolve(update.firstSnapshot),
    resolve(update.terminalSnapshot),
    snapshot,
    update.lastVerifiedAt,
    dayOrNull(update.lastVerifiedDate),
  ];
}

/** In the order in which `readFacts` reads; the same in `tracked_records` and, frozen, in `run_items`. */
export const FACT_COLUMNS = ['host_reference', 'quote_id', 'expected_status', 'conflict', 'webhook_events'] as const;

type WebhookEvents = TrackedFacts['webhookEvents'];
const NO_EVENTS: WebhookEvents = Object.freeze([]);

export function readFacts(row: Row, at: number): TrackedFacts {
  return {
    hostReference: row[at] as string | null,
    quoteId: row[at + 1] as string | null,
    expectedStatus: row[at + 2] as string | null,
    conflict: row[at + 3] as string | null,
    webhookEvents: readWebhookEvents(row[at + 4] as string | null),
  };
}

export function readWebhookEvents(cell: string | null): WebhookEvents {
  if (cell === null) return NO_EVENTS;
  const pairs = JSON.parse(cell) as readonly [string, number][];
  return pairs.map(([type, at]) => ({ type, at }));
}

/** Oldest first, whatever order they were delivered in. */
export function webhookEventsCell(events: WebhookEvents): string {
  const sorted = [...events].sort((a, b) => a.at - b.at);
  return JSON.stringify(sorted.map((event) => [event.type, event.at]));
}

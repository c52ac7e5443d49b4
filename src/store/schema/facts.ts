/** The facts that came with an id: their columns, and the webhook events of a record. */
import type { TrackedFacts } from '../../domain/case.ts';
import type { ShownAmounts } from '../../domain/quote.ts';
import { columns, type Row, readDecimalOrNull } from '../cells.ts';
import { id, integer, text } from './column.ts';

/** The same in `tracked_records` and, frozen, in `run_items`. */
export const FACTS = {
  host_reference: text.orNull,
  quote_id: id.orNull,
  expected_status: text.orNull,
  conflict: text.orNull,
  /** JSON array of [type, instant]; null for none. */
  webhook_events: text.orNull,
  told_created_at: integer.orNull,
  /** Amounts that the app showed; plain decimals. */
  shown_total: text.orNull,
  shown_fee: text.orNull,
};

/** In the order in which `readFacts` reads. */
export const FACT_COLUMNS = columns(
  'host_reference quote_id expected_status conflict webhook_events told_created_at shown_total shown_fee',
);

type WebhookEvents = TrackedFacts['webhookEvents'];
const NO_EVENTS: WebhookEvents = Object.freeze([]);

export function readFacts(row: Row, at: number): TrackedFacts {
  return {
    hostReference: row[at] as string | null,
    createdAt: row[at + 5] as number | null,
    quoteId: row[at + 1] as string | null,
    expectedStatus: row[at + 2] as string | null,
    shown: readShown(row, at + 6),
    conflict: row[at + 3] as string | null,
    webhookEvents: readWebhookEvents(row[at + 4] as string | null),
  };
}

/** Null where neither was given. The columns begin at `at`. */
export function readShown(row: Row, at: number): ShownAmounts | null {
  if (row[at] === null && row[at + 1] === null) return null;
  return { total: readDecimalOrNull(row[at]), fee: readDecimalOrNull(row[at + 1]) };
}

export function readWebhookEvents(cell: string | null): WebhookEvents {
  if (cell === null) return NO_EVENTS;
  const pairs = JSON.parse(cell) as readonly [string, number][];
  return pairs.map(([type, at]) => ({ type, at }));
}

/** Sorted by time: deliveries arrive in any order. */
export function webhookEventsCell(events: WebhookEvents): string {
  const sorted = [...events].sort((a, b) => a.at - b.at);
  return JSON.stringify(sorted.map((event) => [event.type, event.at]));
}

/** The facts that came with an id: their columns, and the webhook events of a record. */
import type { TrackedFacts } from '../../domain/case.ts';
import type { ShownAmounts } from '../../domain/quote.ts';
import { decimalCell, type Row, readDecimalOrNull } from '../cells.ts';
import { id, integer, text } from './column.ts';
import { cell, type PlacesOf, placedReaderOf } from './places.ts';

export interface OfShown {
  shown?: ShownAmounts | null;
}

/** Amounts that the app showed; plain decimals. */
export const SHOWN = {
  shown_total: text.orNull.from(({ shown }: OfShown) => decimalCell(shown?.total ?? null)),
  shown_fee: text.orNull.from(({ shown }: OfShown) => decimalCell(shown?.fee ?? null)),
};

/** The same in `tracked_records` and, frozen, in `run_items`. */
export const FACTS = {
  host_reference: text.orNull,
  quote_id: id.orNull,
  expected_status: text.orNull,
  conflict: text.orNull,
  /** JSON array of [type, instant]; null for none. */
  webhook_events: text.orNull,
  told_created_at: integer.orNull.named('createdAt'),
  ...SHOWN,
};

type WebhookEvents = TrackedFacts['webhookEvents'];
const NO_EVENTS: WebhookEvents = Object.freeze([]);

const readParts = placedReaderOf(FACTS);

export function readFacts(row: Row, at: PlacesOf<typeof FACTS>): TrackedFacts {
  const { webhookEvents, ...parts } = readParts(row, at);
  const shown = readShown(cell(row, at.shown_total), cell(row, at.shown_fee));
  return { ...parts, shown, webhookEvents: readWebhookEvents(webhookEvents) };
}

/** Null where neither was given. */
export function readShown(total: string | null, fee: string | null): ShownAmounts | null {
  if (total === null && fee === null) return null;
  return { total: readDecimalOrNull(total), fee: readDecimalOrNull(fee) };
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

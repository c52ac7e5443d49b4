/** A record is one purchase or sale held by the Service; a tracked record is what Tieout stores about one. */

export const KINDS = ['purchase', 'sale'] as const;
/** A purchase is on-ramp, a sale off-ramp. */
export type Kind = (typeof KINDS)[number];

/** `onramp` quotes belong to purchases, `offramp` quotes to sales. */
export type Direction = 'onramp' | 'offramp';

export function directionOf(kind: Kind): Direction {
  return kind === 'purchase' ? 'onramp' : 'offramp';
}

/**
 * The name of a record, and its position in report order, which is ascending by kind, then by id. Pages are read by key: what comes after
 * a position.
 */
export interface RecordPosition {
  kind: Kind;
  recordId: string;
}

/** An instant in milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/** A calendar day `YYYY-MM-DD` in the business time zone. */
export type BusinessDate = string;

/** Where a snapshot or a tracked record came from. */
export type Origin = 'fetch' | 'webhook' | 'event' | 'import';

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * True for an id that may go into a URL path. Deployments have UUIDs, 15-character ids (`sqs6a428mqjtzbv`) and decimal
 * strings (`322`); none needs more than letters, digits, `-` and `_`.
 */
export function isRecordId(text: string): boolean {
  return ID.test(text);
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A UUID is the same in capitals, and printed in small letters (RFC 9562): so it is stored and asked for. Any other id is what it is. */
export function recordIdOf(text: string): string {
  return UUID.test(text) ? text.toLowerCase() : text;
}

/** As what an id may be stored, the likeliest first: a UUID that came in before that rule kept its capitals. */
export function spellingsOf(id: string): readonly string[] {
  const own = recordIdOf(id);
  return UUID.test(id) ? [...new Set([own, id, own.toUpperCase()])] : [id];
}

const TOKEN = /^[\x21-\x7e]{1,256}$/;

/** True for a view token that can be sent: visible ASCII without spaces, at most 256 characters. */
export function isViewToken(text: string): boolean {
  return TOKEN.test(text);
}

/** `2026-10-13T10:02:00.000Z`. An instant that no calendar has is shown in milliseconds, because stories are shown for damaged rows too. */
export function isoInstant(instant: Instant): string {
  return isInCalendar(instant) ? new Date(instant).toISOString() : `${instant} ms after 1970`;
}

/** Whether an instant is in the years 0 to 9999. Others are printed with a sign before them, which is a formula to a spreadsheet. */
export function isInCalendar(instant: Instant): boolean {
  return instant >= YEAR_0 && instant < YEAR_10000;
}

/** `2026-10-13 10:02 UTC`, for sentences. */
export function showInstant(instant: Instant): string {
  return isInCalendar(instant) ? `${isoInstant(instant).slice(0, 16).replace('T', ' ')} UTC` : isoInstant(instant);
}

const ISO =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const YEAR_10000 = Date.parse('9999-12-31T23:59:59.999Z') + 1;

/** Reads an ISO 8601 date-time with a zone; undefined for anything else (never a guess of the zone, or of the day). */
export function parseInstant(text: string): Instant | undefined {
  if (!ISO.test(text) || !isCalendarDay(text)) return undefined;
  const instant = Date.parse(text);
  return instant >= YEAR_0 && instant < YEAR_10000 ? instant : undefined;
}

/** `Date.parse` moves 30 February into March instead of refusing it. */
function isCalendarDay(iso: string): boolean {
  const day = Number.parseInt(iso.slice(8, 10), 10);
  if (day <= 28) return true;
  const lastOfMonth = new Date(Date.UTC(Number.parseInt(iso.slice(0, 4), 10), Number.parseInt(iso.slice(5, 7), 10), 0));
  return day <= lastOfMonth.getUTCDate();
}

/** `2 purchases, 1 sale`; a kind without any is left out. */
export function kindsInWords(counts: Readonly<Record<Kind, number>>): string {
  return KINDS.filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${kind}${counts[kind] === 1 ? '' : 's'}`)
    .join(', ');
}

/** Breaks and their events as columns. */
import type { Break, BreakEvent, Waiver } from '../domain/break.ts';
import { Decimal } from '../domain/decimal.ts';
import { decimalCell, readDecimalOrNull } from './cells.ts';
import { dateOf, dayOf } from './days.ts';
import type { Cell, Row } from './engine.ts';

/** Who a break is; in the order in which `identityCells` writes and `readBreak` reads. */
export const IDENTITY_COLUMNS = ['break_id', 'kind', 'record_id', 'rule', 'field'] as const;

/** How it stands after an event; read right behind the identity. */
export const BREAK_STATE_COLUMNS = [
  'severity',
  'state',
  'first_seen_day',
  'last_seen_day',
  'times_reopened',
  'assignee',
  'waiver',
  'expected',
  'actual',
  'difference',
  'currency',
  'tolerance',
  'explanation',
  'evidence_sha256',
] as const;

/** The event itself, without the state after it. */
export const EVENT_COLUMNS = ['type', 'at', 'who', 'reason'] as const;

export function identityCells(item: Break): Cell[] {
  return [item.breakId, item.kind, item.recordId, item.rule, item.field];
}

export function breakStateCells(item: Break): Cell[] {
  return [
    item.severity,
    item.state,
    dayOf(item.firstSeenDate),
    dayOf(item.lastSeenDate),
    item.timesReopened,
    item.assignee,
    waiverCell(item.waiver),
    item.expected,
    item.actual,
    decimalCell(item.difference),
    item.currency,
    decimalCell(item.tolerance),
    item.explanation,
    item.evidenceSha256,
  ];
}

export function eventCells(event: BreakEvent): Cell[] {
  return [event.type, event.at, event.who, event.reason];
}

/** Decimals write themselves as text into JSON. */
function waiverCell(waiver: Waiver | null): string | null {
  return waiver === null ? null : JSON.stringify(waiver);
}

export function readWaiver(cell: string | null): Waiver | null {
  if (cell === null) return null;
  const waiver = JSON.parse(cell) as Omit<Waiver, 'difference'> & { difference: string | null };
  return { ...waiver, difference: waiver.difference === null ? null : Decimal.parse(waiver.difference) };
}

/** Reads identity and state from columns that begin at `at`. */
export function readBreak(row: Row, at: number): Break {
  const state = at + IDENTITY_COLUMNS.length;
  return {
    breakId: row[at] as string,
    kind: row[at + 1] as Break['kind'],
    recordId: row[at + 2] as string,
    rule: row[at + 3] as string,
    field: row[at + 4] as string,
    severity: row[state] as Break['severity'],
    state: row[state + 1] as Break['state'],
    firstSeenDate: dateOf(row[state + 2] as number),
    lastSeenDate: dateOf(row[state + 3] as number),
    timesReopened: row[state + 4] as number,
    assignee: row[state + 5] as string | null,
    waiver: readWaiver(row[state + 6] as string | null),
    expected: row[state + 7] as string | null,
    actual: row[state + 8] as string | null,
    difference: readDecimalOrNull(row[state + 9]),
    currency: row[state + 10] as string | null,
    tolerance: readDecimalOrNull(row[state + 11]),
    explanation: row[state + 12] as string,
    evidenceSha256: row[state + 13] as string | null,
  };
}

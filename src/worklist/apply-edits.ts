/**
 * Bulk decisions: a work list that was edited in a spreadsheet, compared with the breaks as they stand. Pure; tells
 * every row that cannot be applied, not only the first.
 */

import type { BreakEvent } from '../domain/break.ts';
import { BREAK_STATES, type BreakState } from '../domain/break.ts';
import { isBusinessDate } from '../domain/calendar.ts';
import type { Instant } from '../domain/record.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { type Decision, DecisionRefusedError, decide } from './decide.ts';

/** One row of the edited list; only these columns are read back. */
export interface EditedRow {
  line: number;
  breakId: string;
  state: string;
  assignee: string;
  reason: string;
  /** Last business date of a waiver; empty for ever. */
  until: string;
}

type PlannedEvent = BreakEvent & { expectedEvents: number };

export type EditOutcome =
  | { line: number; outcome: 'unchanged' }
  | { line: number; outcome: 'changes'; events: readonly PlannedEvent[] }
  | { line: number; outcome: 'refused'; why: string };

const DECISION_OF: Partial<Record<BreakState, Decision['type']>> = {
  acknowledged: 'acknowledged',
  waived: 'waived',
  reopened: 'reopened',
};

/** @param current null where there is no such break. */
export function planEdit(row: EditedRow, current: CurrentBreak | null, who: string, at: Instant): EditOutcome {
  const { line } = row;
  const refused = (why: string): EditOutcome => ({ line, outcome: 'refused', why });
  if (current === null) return refused(`there is no break ${row.breakId}`);
  const wanted = row.state.trim().toLowerCase();
  const state = BREAK_STATES.find((each) => each === wanted);
  if (state === undefined) return refused(`state ${row.state}: it must be one of ${BREAK_STATES.join(', ')}`);
  const assignee = row.assignee.trim() === '' ? null : row.assignee.trim();
  if (state === current.state && assignee === current.assignee) return { line, outcome: 'unchanged' };
  if (row.reason.trim() === '') return refused('reason is empty; every change needs one');
  if (row.until !== '' && !isBusinessDate(row.until))
    return refused(`until ${row.until}: not a date; write it as 2026-12-31`);

  const decisions: Decision[] = [];
  const common = { who, reason: row.reason.trim(), until: row.until === '' ? null : row.until, at };
  if (assignee !== current.assignee) decisions.push({ ...common, type: 'assigned', assignee });
  if (state !== current.state) {
    const type = DECISION_OF[state];
    if (type === undefined)
      return refused(`state ${state}: only a run can set it; people set acknowledged, waived or reopened`);
    decisions.push({ ...common, type, assignee: current.assignee });
  }
  try {
    return { line, outcome: 'changes', events: inTurn(current, decisions) };
  } catch (error) {
    if (error instanceof DecisionRefusedError) return refused(error.message);
    throw error;
  }
}

/** Each decision is made of the state that the one before it left. */
function inTurn(
  { hostReference: _host, events, ...standing }: CurrentBreak,
  decisions: readonly Decision[],
): PlannedEvent[] {
  let before = standing;
  return decisions.map((decision, i) => {
    const event = decide(before, decision);
    before = event.after;
    return { ...event, expectedEvents: events + i };
  });
}

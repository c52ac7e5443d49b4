/**
 * Bulk decisions: a work list that was edited in a spreadsheet, compared with the breaks as they stand. Pure; reports
 * every row that cannot be applied, not only the first.
 */

import { BREAK_STATES, type BreakState } from '../domain/break.ts';
import { isBusinessDate } from '../domain/calendar.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { type Decision, DecisionRefusedError } from './decide.ts';
import { type Deciding, type NewDecision, type PlannedEvent, planDecision, SecondPersonNeededError } from './work.ts';

/** One row of the edited list; only these columns are read back. */
export interface EditedRow {
  line: number;
  breakId: string;
  state: string;
  assignee: string;
  reason: string;
  /** Last business date of a waiver; empty for no end. */
  until: string;
}

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
export function planEdit(row: EditedRow, current: CurrentBreak | null, deciding: Deciding): EditOutcome {
  const { line } = row;
  const refused = (why: string): EditOutcome => ({ line, outcome: 'refused', why });
  if (current === null) return refused(`there is no break ${row.breakId}`);
  const wanted = row.state.trim().toLowerCase();
  const state = BREAK_STATES.find((each) => each === wanted);
  if (state === undefined) return refused(`state ${row.state}: it must be one of ${BREAK_STATES.join(', ')}`);
  const assignee = row.assignee.trim() === '' ? null : row.assignee.trim();
  const until = isoDateOf(row.until);
  const isSameEnd = state !== 'waived' || until === (current.waiver?.until ?? '');
  const isNoted = row.reason.trim() !== '';
  if (state === current.state && assignee === current.assignee && isSameEnd) {
    if (!isNoted) return { line, outcome: 'unchanged' };
    // The list is written without reasons: one that is there was written to be kept.
    if (state !== 'acknowledged')
      return refused(`a reason, and nothing that it is for: the break stays ${state}, with the same assignee and end`);
  }
  if (!isNoted) return refused('reason is empty; every change needs one');
  if (until !== '' && !isBusinessDate(until)) return refused(`until ${row.until}: not a date; write it as 2026-12-31`);

  const decisions: NewDecision[] = [];
  const common = { reason: row.reason.trim(), until: until === '' ? null : until };
  if (assignee !== current.assignee) decisions.push({ ...common, type: 'assigned', assignee });
  if (state !== current.state || !isSameEnd || decisions.length === 0) {
    const type = DECISION_OF[state];
    if (type === undefined)
      return refused(`state ${state}: only a run can set it; people set acknowledged, waived or reopened`);
    decisions.push({ ...common, type, assignee: current.assignee });
  }
  try {
    return { line, outcome: 'changes', events: inTurn(current, decisions, deciding) };
  } catch (error) {
    if (error instanceof DecisionRefusedError || error instanceof SecondPersonNeededError)
      return refused(error.message);
    throw error;
  }
}

/** Each decision is made of the state that the one before it left. */
function inTurn(current: CurrentBreak, decisions: readonly NewDecision[], deciding: Deciding): PlannedEvent[] {
  let before = current;
  return decisions.map((proposed) => {
    const event = planDecision(before, proposed, deciding);
    before = { ...before, ...event.after, events: before.events + 1 };
    return event;
  });
}

/** `31.12.2026`, as a German or Polish spreadsheet writes a date, is `2026-12-31`; every other text stays. */
function isoDateOf(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text.trim()) ?? [];
  return year === '' ? text.trim() : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** What a person's decision makes of a break. Pure; refuses what the life of a break does not allow. */

import { type Break, type BreakEvent, type BreakEventType, type BreakState, isOpen } from '../domain/break.ts';
import { UsageError } from '../domain/errors.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';

/** What a person decided about a break, and why. */
export interface Decision {
  type: 'acknowledged' | 'assigned' | 'waived' | 'reopened';
  who: string;
  reason: string;
  /** Of a waiver: its last business date, or null without an end. */
  until: BusinessDate | null;
  assignee: string | null;
  at: Instant;
  today: BusinessDate;
}

/** Thrown where a break's state does not allow the decision. */
export class DecisionRefusedError extends UsageError {}

const ALLOWED: Readonly<Record<Decision['type'], (state: BreakState) => boolean>> = {
  // Again: a second note on a break that is being worked on.
  acknowledged: isOpen,
  assigned: (state) => state !== 'resolved',
  // Again: a waiver is extended, or gets an end.
  waived: (state) => isOpen(state) || state === 'waived',
  reopened: (state) => state === 'waived' || state === 'acknowledged',
};

export function isDecision(type: BreakEventType): type is Decision['type'] {
  return type in ALLOWED;
}

export function isAllowed(type: Decision['type'], state: BreakState): boolean {
  return ALLOWED[type](state);
}

/** @throws DecisionRefusedError */
export function decide(standing: Break, decision: Decision): BreakEvent {
  if (!isAllowed(decision.type, standing.state)) {
    throw new DecisionRefusedError(
      `break ${standing.breakId.slice(0, 12)} is ${standing.state}, so it cannot be ${decision.type}`,
      { remedy: '`tieout breaks show` tells its story' },
    );
  }
  const { type, who, reason, at, until, today } = decision;
  if (type === 'waived' && until !== null && until < today) {
    throw new DecisionRefusedError(`a waiver until ${until} would be over already: today is ${today}`, {
      remedy: 'name a later day, or leave it out for ever',
    });
  }
  return { type, at, runId: null, who, reason, after: { ...standing, ...changes(standing, decision) } };
}

function changes(standing: Break, decision: Decision): Partial<Break> {
  switch (decision.type) {
    case 'acknowledged':
      return { state: 'acknowledged' };
    case 'assigned':
      return { assignee: decision.assignee };
    case 'waived':
      // The amount belongs to the waiver: it holds for this difference and no other.
      return {
        state: 'waived',
        waiver: {
          reason: decision.reason,
          author: decision.who,
          until: decision.until,
          difference: standing.difference,
          actual: standing.actual,
        },
      };
    case 'reopened':
      return { state: 'reopened', waiver: null, timesReopened: standing.timesReopened + 1 };
  }
}

/** A break of a record that leaves the population: no run can resolve it any more. */
export function withdraw(standing: Break, { who, reason, at }: Pick<Decision, 'who' | 'reason' | 'at'>): BreakEvent {
  return { type: 'resolved', at, runId: null, who, reason, after: { ...standing, state: 'resolved', waiver: null } };
}

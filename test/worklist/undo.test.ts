/** The undo of a decision: what it gives back, with which breaks, and when it is refused. */
import { describe, expect, it } from 'vitest';
import { covering } from '../../src/worklist/covering.ts';
import { planUndo, type Undoable } from '../../src/worklist/undo.ts';
import type { NewDecision, PlannedEvent } from '../../src/worklist/work.ts';
import { planDecision } from '../../src/worklist/work.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { at } from '../support/builders.ts';

const ANN = { name: 'Ann', account: 'local:Ann', proof: 'proved' } as const;
const NOW = at('2026-11-22 09:00');
const deciding = { actor: ANN, at: NOW, today: '2026-11-22', limits: { above: new Map(), severities: [] } };
const undoing = { ...deciding, at: NOW + 60_000, reason: 'the wrong row', timezone: 'UTC' };
const WAIVER: NewDecision = { type: 'waived', reason: 'goodwill', until: null, assignee: null };

const lead = aCurrentBreak({ breakId: 'a'.repeat(64), leadingBreakId: 'a'.repeat(64), state: 'open', events: 1 });
const led = { ...lead, breakId: 'b'.repeat(64), field: 'base_fee' };
const opened = (after: typeof lead) =>
  ({
    type: 'opened',
    at: NOW - 1,
    runId: 'r',
    who: 'tieout',
    reason: null,
    after,
    businessDate: '2026-11-21',
  }) as const;
const after = (before: readonly (typeof lead)[], events: readonly PlannedEvent[]): readonly Undoable[] =>
  before.map((each) => {
    const event = events.find(({ after: { breakId } }) => breakId === each.breakId);
    const past = [opened(each), ...(event === undefined ? [] : [{ ...event, businessDate: null }])];
    return { standing: { ...each, ...event?.after, events: past.length }, events: past };
  });
const decided = () => covering([planDecision(lead, WAIVER, deciding)], [lead, led], deciding);

describe('the undo of a waiver', () => {
  it('gives the leading break and those that it covered back as they were, as events of their own', () => {
    const events = planUndo([lead.breakId], after([lead, led], decided()), undoing);
    expect(
      events.map(({ type, who, reason, after: { breakId, state, waiver } }) => [
        type,
        who,
        reason,
        breakId[0],
        state,
        waiver,
      ]),
    ).toEqual([
      ['undone', 'Ann', 'the wrong row', 'a', 'open', null],
      ['undone', 'Ann', 'the wrong row', 'b', 'open', null],
    ]);
    expect(events.map(({ expectedEvents }) => expectedEvents)).toEqual([2, 2]);
  });

  it.each([['the day after', { ...undoing, today: '2026-11-23' }, 'its last decision is of 2026-11-22']])(
    'is refused %s',
    (_when, late, why) => {
      expect(() => planUndo([lead.breakId], after([lead, led], decided()), late)).toThrow(why);
    },
  );

  it('is refused where a run has judged the break since, and where nothing was decided', () => {
    const [known] = after([lead], decided());
    if (known === undefined) throw new Error('no break');
    const judged = { ...known, events: [...known.events, { ...opened(lead), type: 'seen' as const }] };
    expect(() => planUndo([lead.breakId], [judged], undoing)).toThrow('a run has judged it since');
    expect(() => planUndo([lead.breakId], after([lead], []), undoing)).toThrow('nothing was decided');
  });
});

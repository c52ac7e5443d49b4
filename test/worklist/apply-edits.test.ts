import { describe, expect, it } from 'vitest';
import type { CurrentBreak } from '../../src/ports/store/store.ts';
import { type EditedRow, type EditOutcome, planEdit } from '../../src/worklist/apply-edits.ts';
import { aCurrentBreak } from '../support/a-break.ts';

const standing = aCurrentBreak();
const byAnn = {
  actor: { name: 'ann', account: 'os:ann', proof: 'stated' },
  at: 7,
  today: '2026-11-20',
  limits: { above: new Map(), severities: [] },
} as const;

describe('an edited row', () => {
  const row = { line: 2, breakId: standing.breakId, state: 'open', assignee: '', reason: '', until: '' };

  it('that says what stands changes nothing, and needs no reason', () => {
    expect(planEdit(row, standing, byAnn)).toEqual({ line: 2, outcome: 'unchanged' });
    // Only a waiver has an end.
    expect(planEdit({ ...row, until: '2026-12-31' }, standing, byAnn)).toEqual({ line: 2, outcome: 'unchanged' });
  });

  it.each([
    ['31.12.2026', '2026-12-31'],
    [' 1.2.2027 ', '2027-02-01'],
    ['2026-12-31', '2026-12-31'],
    ['', null],
  ])('may end a waiver on %j, as spreadsheets of several languages write it', (until, end) => {
    const planned = planEdit({ ...row, state: 'waived', reason: 'goodwill', until }, standing, byAnn);
    expect(planned.outcome === 'changes' && planned.events[0]?.after.waiver?.until).toBe(end);
  });

  it.each(['x31.12.2026', '31.12.20261', '31.12.2026x', '3x.12.2026'])('ends no waiver on %j', (until) => {
    const planned = planEdit({ ...row, state: 'waived', reason: 'goodwill', until }, standing, byAnn);
    expect(planned).toMatchObject({ outcome: 'refused', why: `until ${until}: not a date; write it as 2026-12-31` });
  });

  it('may assign and decide at once: two events, the second on top of the first', () => {
    const planned = planEdit({ ...row, state: 'Waived ', assignee: 'bob', reason: 'goodwill' }, standing, byAnn);
    expect(
      planned.outcome === 'changes' &&
        planned.events.map(({ type, expectedEvents, after }) => [type, expectedEvents, after.state, after.assignee]),
    ).toEqual([
      ['assigned', 3, 'open', 'bob'],
      ['waived', 4, 'waived', 'bob'],
    ]);
  });

  it.each([
    [{ state: 'waived' }, 'reason is empty'],
    [
      { state: 'closed', reason: 'x' },
      'state closed: it must be one of open, acknowledged, waived, resolved, reopened',
    ],
    [{ state: 'resolved', reason: 'x' }, 'only a run can set it'],
    [{ state: 'waived', reason: 'x', until: '31.13.2026' }, 'until 31.13.2026: not a date'],
    [{ state: 'waived', reason: 'x', until: '12/31/2026' }, 'until 12/31/2026: not a date'],
    [{ state: 'reopened', reason: 'x' }, 'is open, so it cannot be reopened'],
  ])('%j is refused: %s', (over, why) => {
    const planned = planEdit({ ...row, ...over }, standing, byAnn);
    expect(planned).toMatchObject({ line: 2, outcome: 'refused' });
    expect(planned.outcome === 'refused' && planned.why).toContain(why);
  });

  it.each([
    ['waived', { waiver: aCurrentBreak().waiver }],
    ['open', {}],
    ['resolved', {}],
  ] as const)('of a %s break, with a reason and nothing that it is for, is refused and not dropped', (state, over) => {
    const planned = planEdit({ ...row, state, reason: 'see ticket 7' }, { ...standing, ...over, state }, byAnn);
    expect(planned).toMatchObject({ outcome: 'refused' });
    expect(planned.outcome === 'refused' && planned.why).toContain(`stays ${state}`);
  });

  it('of an acknowledged break, with another reason, is another note', () => {
    const current = { ...standing, state: 'acknowledged' } as const;
    const planned = planEdit({ ...row, state: 'acknowledged', reason: 'asked support' }, current, byAnn);
    expect(planned).toMatchObject({ outcome: 'changes', events: [{ type: 'acknowledged', reason: 'asked support' }] });
  });

  it('of a break that is not there is refused', () => {
    expect(planEdit(row, null, byAnn)).toMatchObject({
      outcome: 'refused',
      why: `there is no break ${standing.breakId}`,
    });
  });

  const planned = (over: Partial<EditedRow>, current: Partial<CurrentBreak> = {}) =>
    planEdit({ ...row, ...over }, { ...standing, ...current }, byAnn);
  const eventsOf = (outcome: EditOutcome) =>
    outcome.outcome === 'changes' ? outcome.events.map(({ type, after }) => [type, after.assignee]) : outcome;

  it.each([
    ['a new assignee', { assignee: 'bob' }, null, [['assigned', 'bob']]],
    ['another assignee', { assignee: ' bob ' }, 'ann', [['assigned', 'bob']]],
    ['no assignee any more', { assignee: '  ' }, 'ann', [['assigned', null]]],
    ['another state, the assignee kept', { state: 'acknowledged', assignee: ' ann' }, 'ann', [['acknowledged', 'ann']]],
  ])('with %s is that one event', (_, over, assignee, events) => {
    expect(eventsOf(planned({ reason: 'because', ...over }, { assignee }))).toEqual(events);
  });

  it('with spaces around what stands changes nothing', () => {
    const current = { assignee: 'ann' };
    expect(planned({ state: ' Open', assignee: ' ann ' }, current)).toEqual({ line: 2, outcome: 'unchanged' });
  });

  it.each([
    ['2026-12-31', '2026-12-31'],
    ['', null],
  ])('that waives until %j says so in the waiver, with who and why', (until, last) => {
    const outcome = planned({ state: 'waived', reason: '  goodwill ', until });
    expect(outcome).toMatchObject({
      line: 2,
      outcome: 'changes',
      events: [
        {
          who: 'ann',
          at: 7,
          reason: 'goodwill',
          after: { waiver: { reason: 'goodwill', author: 'ann', until: last } },
        },
      ],
    });
  });

  it('whose reason is only spaces has none', () => {
    expect(planned({ state: 'waived', reason: '   ' })).toEqual({
      line: 2,
      outcome: 'refused',
      why: 'reason is empty; every change needs one',
    });
  });
});

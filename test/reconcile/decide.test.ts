import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { planEdit } from '../../src/reconcile/apply-edits.ts';
import { type Decision, decide } from '../../src/reconcile/decide.ts';
import type { CurrentBreak } from '../../src/store/contract.ts';

const standing: CurrentBreak = {
  breakId: 'a'.repeat(64),
  kind: 'purchase',
  recordId: 'abc',
  rule: 'FEE_APPLIED_DIFFERS',
  field: 'applied_fee',
  severity: 'high',
  state: 'open',
  firstSeenDate: '2026-11-01',
  lastSeenDate: '2026-11-20',
  timesReopened: 0,
  assignee: null,
  waiver: null,
  expected: '4.76',
  actual: '6.26',
  difference: Decimal.parse('1.5'),
  currency: 'EUR',
  tolerance: Decimal.parse('0.01'),
  explanation: 'The user paid more.',
  evidenceSha256: null,
  hostReference: null,
  events: 3,
};

const decision = (type: Decision['type'], over: Partial<Decision> = {}): Decision => ({
  type,
  who: 'ann',
  reason: 'because',
  until: null,
  assignee: null,
  at: 0,
  ...over,
});

describe('a decision', () => {
  it('waives for this difference, by this author', () => {
    const { after } = decide(standing, decision('waived', { until: '2026-12-31' }));
    expect(after.state).toBe('waived');
    expect(after.waiver).toEqual({
      reason: 'because',
      author: 'ann',
      until: '2026-12-31',
      difference: Decimal.parse('1.5'),
      actual: '6.26',
    });
  });

  it.each([
    ['acknowledged', 'acknowledged'],
    ['acknowledged', 'resolved'],
    ['waived', 'resolved'],
    ['waived', 'waived'],
    ['assigned', 'resolved'],
    ['reopened', 'open'],
    ['reopened', 'resolved'],
  ] as const)('%s is refused for a break that is %s', (type, state) => {
    expect(() => decide({ ...standing, state }, decision(type))).toThrow(`is ${state}, so it cannot be ${type}`);
  });

  it('reopens what was waived, and counts it', () => {
    const { after } = decide({ ...standing, state: 'waived' }, decision('reopened'));
    expect(after).toMatchObject({ state: 'reopened', timesReopened: 1, waiver: null });
  });
});

describe('an edited row', () => {
  const row = { line: 2, breakId: standing.breakId, state: 'open', assignee: '', reason: '', until: '' };

  it('that says what stands changes nothing, and needs no reason', () => {
    expect(planEdit(row, standing, 'ann', 0)).toEqual({ line: 2, outcome: 'unchanged' });
  });

  it('may assign and decide at once: two events, the second on top of the first', () => {
    const planned = planEdit({ ...row, state: 'Waived ', assignee: 'bob', reason: 'goodwill' }, standing, 'ann', 7);
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
    [{ state: 'waived', reason: 'x', until: '31.12.2026' }, 'until 31.12.2026: not a date'],
    [{ state: 'reopened', reason: 'x' }, 'is open, so it cannot be reopened'],
  ])('%j is refused: %s', (over, why) => {
    const planned = planEdit({ ...row, ...over }, standing, 'ann', 0);
    expect(planned).toMatchObject({ line: 2, outcome: 'refused' });
    expect(planned.outcome === 'refused' && planned.why).toContain(why);
  });

  it('of a break that is not there is refused', () => {
    expect(planEdit(row, null, 'ann', 0)).toMatchObject({
      outcome: 'refused',
      why: `there is no break ${standing.breakId}`,
    });
  });
});

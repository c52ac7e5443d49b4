import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { type Decision, DecisionRefusedError, decide, withdraw } from '../../src/worklist/decide.ts';
import { aCurrentBreak } from '../support/a-break.ts';

const standing = aCurrentBreak();

const decision = (type: Decision['type'], over: Partial<Decision> = {}): Decision => ({
  type,
  who: 'ann',
  reason: 'because',
  today: '2026-11-20',
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

  it('may be a second note, and a waiver may be extended', () => {
    expect(decide({ ...standing, state: 'acknowledged' }, decision('acknowledged')).after.state).toBe('acknowledged');
    const extended = { ...decision('waived'), until: '2027-12-31' };
    expect(decide({ ...standing, state: 'waived' }, extended).after.waiver?.until).toBe('2027-12-31');
  });

  it('gives no waiver that is over already', () => {
    const late = { ...decision('waived'), until: '2026-11-19', today: '2026-11-20' };
    expect(() => decide(standing, late)).toThrow(
      'a waiver until 2026-11-19 would be over already: today is 2026-11-20',
    );
    expect(decide(standing, { ...late, until: '2026-11-20' }).after.state).toBe('waived');
  });

  it.each([
    ['acknowledged', 'waived'],
    ['acknowledged', 'resolved'],
    ['waived', 'resolved'],
    ['assigned', 'resolved'],
    ['reopened', 'open'],
    ['reopened', 'resolved'],
  ] as const)('%s is refused for a break that is %s', (type, state) => {
    expect(() => decide({ ...standing, state }, decision(type))).toThrow(`is ${state}, so it cannot be ${type}`);
  });

  it.each([
    ['acknowledged', 'open'],
    ['acknowledged', 'reopened'],
    ['assigned', 'open'],
    ['assigned', 'acknowledged'],
    ['assigned', 'waived'],
    ['assigned', 'reopened'],
    ['waived', 'open'],
    ['waived', 'acknowledged'],
    ['waived', 'reopened'],
    ['reopened', 'waived'],
    ['reopened', 'acknowledged'],
  ] as const)('%s is possible for a break that is %s', (type, state) => {
    const { after } = decide({ ...standing, state }, decision(type));
    expect(after.state).toBe(type === 'assigned' ? state : type);
  });

  it('that is refused names the break, and the command that explains it', () => {
    const refused = () => decide({ ...standing, state: 'resolved' }, decision('waived'));
    expect(refused).toThrow(DecisionRefusedError);
    expect(refused).toThrow(
      /^break aaaaaaaaaaaa is resolved, so it cannot be waived; `tieout breaks show` tells its story$/,
    );
    // The exit code goes by the name.
    expect(refused).toThrow(expect.objectContaining({ name: 'DecisionRefusedError' }));
  });

  it('is an event of a person, not of a run', () => {
    const over = { who: 'bob', reason: 'seen', at: 1_800_000_000_000 };
    expect(decide(standing, decision('acknowledged', over))).toEqual({
      type: 'acknowledged',
      at: 1_800_000_000_000,
      runId: null,
      who: 'bob',
      reason: 'seen',
      after: { ...standing, state: 'acknowledged' },
    });
  });

  it.each([['bob'], [null]])('assigns to %s and leaves the rest as it is', (assignee) => {
    const before = { ...standing, assignee: 'ann' };
    expect(decide(before, decision('assigned', { assignee })).after).toEqual({ ...before, assignee });
  });

  it('reopens a waived break, and counts it', () => {
    const { after } = decide({ ...standing, state: 'waived' }, decision('reopened'));
    expect(after).toMatchObject({ state: 'reopened', timesReopened: 1, waiver: null });
  });
});

it('a break of a record that leaves the population is resolved by a person, and keeps no waiver', () => {
  const waived = decide(standing, decision('waived')).after;
  expect(withdraw(waived, { who: 'ann', reason: 'a test record', at: 5 })).toEqual({
    type: 'resolved',
    at: 5,
    runId: null,
    who: 'ann',
    reason: 'a test record',
    after: { ...waived, state: 'resolved', waiver: null },
  });
});

import { describe, expect, it } from 'vitest';
import type { Run, Selection } from '../../src/domain/run.ts';
import { planScope } from '../../src/reconcile/select.ts';
import { at } from '../support/builders.ts';
import { DUE_POLICY } from '../support/due-rule.ts';

const aRun = (selection: Selection) =>
  ({
    runId: 'audit-2026-11-20-r1',
    job: 'audit',
    businessDate: '2026-11-20',
    timezone: 'Europe/Berlin',
    selection,
  }) as Run;

describe('what a run looks at', () => {
  it('is, for a month, bounded by midnights of the business time zone', () => {
    // In Berlin, summer time ended on 25 October.
    const selection = { type: 'created', from: '2026-10-01', to: '2026-11-01', kind: null } as const;
    expect(planScope(aRun(selection), DUE_POLICY)).toEqual({
      job: 'audit',
      businessDate: '2026-11-20',
      selection,
      policy: { postTerminalDays: [1, 7, 30], breakDailyDays: 30, breakEveryDays: 7, cardDays: 130 },
      createdFrom: at('2026-09-30 22:00'),
      createdTo: at('2026-10-31 23:00'),
    });
  });

  it.each<Selection>([
    { type: 'due' },
    { type: 'all', kind: 'sale' },
    { type: 'ids', ids: ['a1'], kind: null },
    { type: 'delivered' },
  ])('has no bounds in time otherwise: $type', (selection) => {
    expect(planScope(aRun(selection), DUE_POLICY)).toMatchObject({ selection, createdFrom: null, createdTo: null });
  });
});

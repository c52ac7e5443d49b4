import { describe, expect, it } from 'vitest';
import type { CauseRow } from '../../src/ports/store/work-list.ts';
import { causeText, Grouping } from '../../src/worklist/groups.ts';
import { at } from '../support/builders.ts';

const row = (n: number, over: Partial<CauseRow> = {}): CauseRow => ({
  breakId: `b${n}`,
  kind: 'purchase',
  recordId: `r${n}`,
  rule: 'FEE_APPLIED_DIFFERS',
  field: 'applied_fee',
  difference: '2.00',
  currency: 'EUR',
  paymentMethod: 'CARD_PAYMENT',
  // Worth 100 without its fee: the share is 2.0 %.
  fiatValue: '105.90',
  appliedFee: '5.90',
  createdAt: at('2026-10-03 14:00') + n * 3_600_000,
  ...over,
});

function grouped(...rows: CauseRow[]) {
  const grouping = new Grouping();
  for (const each of rows) grouping.add(each);
  return grouping.groups();
}

describe('groups of one cause', () => {
  it('have the same rule, method, currency and share, with any amount', () => {
    const doubled = row(2, { difference: '4.00', fiatValue: '211.80', appliedFee: '11.80' });
    const [group, ...more] = grouped(
      row(1),
      doubled,
      row(3),
      row(4, { currency: 'USD' }),
      row(5, { difference: '3.00' }),
    );
    expect(more).toEqual([]);
    expect(group?.breakIds).toEqual(['b1', 'b2', 'b3']);
    expect([group?.share, group?.total.toString()]).toEqual(['2.0', '8']);
    expect(group && causeText(group)).toBe(
      'FEE_APPLIED_DIFFERS on purchases by card payment: 2.0 % of the value too much, from 2026-10-03 15:00 UTC to 2026-10-03 17:00 UTC',
    );
  });

  it('end with a pause of more than a week', () => {
    const later = [10, 11, 12].map((n) => row(n, { createdAt: at('2026-10-20 10:00') + n }));
    expect(grouped(row(1), row(2), row(3), ...later).map(({ breakIds }) => breakIds.length)).toEqual([3, 3]);
  });

  it('are the same in any order of the breaks', () => {
    const rows = [row(1), row(2), row(3), row(4)];
    expect(grouped(...rows.toReversed())).toEqual(grouped(...rows));
  });

  it('are not made of two', () => {
    expect(grouped(row(1), row(2))).toEqual([]);
  });
});

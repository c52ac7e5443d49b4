import { describe, expect, it } from 'vitest';
import type { CauseRow } from '../../src/ports/store/work-list.ts';
import { causeText, Grouping } from '../../src/worklist/groups.ts';
import { at, dec } from '../support/builders.ts';

const row = (n: number, over: Partial<CauseRow> = {}): CauseRow => ({
  breakId: `b${n}`,
  kind: 'purchase',
  recordId: `r${n}`,
  rule: 'FEE_APPLIED_DIFFERS',
  field: 'applied_fee',
  difference: '2.00',
  moneyAtStake: '2.00',
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
  it('have the same rule, method and share, with any amount and in any currency', () => {
    const doubled = row(2, { difference: '4.00', moneyAtStake: '4.00', fiatValue: '211.80', appliedFee: '11.80' });
    const [group, ...more] = grouped(
      row(1),
      doubled,
      row(3),
      row(4, { currency: 'USD' }),
      row(5, { difference: '3.00' }),
    );
    expect(more).toEqual([]);
    expect(group?.breakIds).toEqual(['b1', 'b2', 'b3', 'b4']);
    expect([group?.share, group?.stakes]).toEqual([
      '2.0',
      [
        { currency: 'EUR', amount: dec('8.00') },
        { currency: 'USD', amount: dec('2.00') },
      ],
    ]);
    expect(group && causeText(group)).toBe(
      'FEE_APPLIED_DIFFERS on purchases by card payment: 2.0 % of the value too much, from 2026-10-03 15:00 UTC to 2026-10-03 18:00 UTC',
    );
  });

  it('have all rules about the fee as one, and no money at stake where none moved', () => {
    const base = row(2, { rule: 'FEE_BASE_DIFFERS', field: 'base_fee', moneyAtStake: null });
    const bound = row(3, { rule: 'FEE_OUT_OF_BOUNDS', field: 'service_fee', currency: 'PLN', moneyAtStake: null });
    const [group] = grouped(row(1), base, bound, row(4, { rule: 'AMOUNT_DIFFERS', field: 'fiat_value' }));
    expect(group?.breakIds).toEqual(['b1', 'b2', 'b3']);
    expect(group?.rules).toEqual(['FEE_APPLIED_DIFFERS', 'FEE_BASE_DIFFERS', 'FEE_OUT_OF_BOUNDS']);
    expect(group?.stakes).toEqual([
      { currency: 'EUR', amount: dec('2.00') },
      { currency: 'PLN', amount: null },
    ]);
  });

  it('end with a pause of more than a week', () => {
    const later = [10, 11, 12].map((n) => row(n, { createdAt: at('2026-10-20 10:00') + n }));
    expect(grouped(row(1), row(2), row(3), ...later).map(({ breakIds }) => breakIds.length)).toEqual([3, 3]);
  });

  it('are the same in any order of the breaks', () => {
    const rows = [row(1), row(2), row(3), row(4)];
    expect(grouped(...rows.toReversed())).toEqual(grouped(...rows));
  });

  it('go on over a pause of a week, and no longer', () => {
    const week = 7 * 86_400_000;
    const at0 = row(0).createdAt;
    const after = (n: number, ms: number) => row(n, { createdAt: at0 + ms });
    const joined = grouped(after(1, 0), after(2, 1), after(3, 2), after(4, 2 + week));
    expect(joined.map(({ breakIds }) => breakIds.length)).toEqual([4]);
    const parted = grouped(after(1, 0), after(2, 1), after(3, 2), after(4, 3 + week));
    expect(parted.map(({ breakIds }) => breakIds.length)).toEqual([3]);
  });

  it('are listed with most breaks first, each with an id of its own that stays', () => {
    const of = (paymentMethod: string, ...ns: number[]) => ns.map((n) => row(n, { paymentMethod }));
    const rows = [...of('CARD', 1, 2, 3), ...of('PIX', 4, 5, 6, 7), ...of('SEPA', 8, 9, 10), ...of('SPEI', 11, 12, 13)];
    const groups = grouped(...rows);
    expect(groups.map(({ breakIds }) => breakIds.length)).toEqual([4, 3, 3, 3]);
    const ids = groups.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(ids.slice(1)).toEqual(ids.slice(1).sort());
    const [again] = grouped(...of('PIX', 4, 5, 6, 7), row(99, { paymentMethod: 'PIX' }));
    expect(again?.id).toBe(ids[0]);
  });

  it('have no record without a value, and say where the user paid too little by any method', () => {
    const free = { fiatValue: '5.90', appliedFee: '5.90' };
    expect(grouped(row(1, free), row(2, free), row(3, free))).toEqual([]);
    const [group] = grouped(...[1, 2, 3].map((n) => row(n, { difference: '-2.00', paymentMethod: null })));
    expect(group && causeText(group)).toContain('on purchases: 2.0 % of the value too little');
  });

  it('are not made of two', () => {
    expect(grouped(row(1), row(2))).toEqual([]);
  });
});

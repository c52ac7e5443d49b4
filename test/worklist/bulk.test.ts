import { describe, expect, it } from 'vitest';
import { planBulk } from '../../src/worklist/bulk.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { dec } from '../support/builders.ts';

const deciding = {
  actor: { name: 'ann', account: 'os:ann', proof: 'stated' },
  at: 7,
  limits: { above: new Map([['EUR', dec('100')]]), severities: [] },
  today: '2026-11-20',
} as const;
const waiver = { type: 'waived', reason: 'goodwill', until: null, assignee: null } as const;
const of = (breakId: string, amount: string | null, currency: string, over = {}) =>
  aCurrentBreak({
    breakId,
    recordId: breakId,
    moneyAtStake: amount === null ? null : dec(amount),
    recordCurrency: currency,
    lossBearer: 'user',
    ...over,
  });

const breaks = [
  of('aa', '3', 'USD'),
  of('bb', '-1', 'EUR', { lossBearer: 'service' }),
  of('cc', '5', 'EUR'),
  of('dd', null, 'EUR'),
  of('ee', '101', 'EUR'),
  of('ff', '1', 'EUR', { state: 'resolved' }),
  of('gg', '1', 'EUR', { state: 'resolved' }),
];

describe('one decision about many breaks', () => {
  const planned = () => planBulk(breaks, breaks, waiver, deciding);

  it('changes what it can, and leaves the rest out by its reason', () => {
    const { events, refused } = planned();
    expect(events.map(({ after }) => after.breakId)).toEqual(['aa', 'bb', 'cc', 'dd']);
    expect([...refused]).toEqual([
      ['it needs a second person: its money is above 100 EUR', 1],
      ['it is resolved', 2],
    ]);
  });

  it('sums the money of what changes, each currency and bearer by itself and in their order', () => {
    const sums = planned().stake.open.map(({ currency, bearer, total }) => `${total} ${currency} ${bearer}`);
    expect(sums).toEqual(['-1 EUR service', '5 EUR user', '3 USD user']);
  });

  it('does not take a fault of the program for a refusal', () => {
    const broken = { ...deciding, limits: null as unknown as typeof deciding.limits };
    expect(() => planBulk(breaks, breaks, waiver, broken)).toThrow(TypeError);
  });
});

describe('the version of a preview', () => {
  const versionOf = (list: typeof breaks) => planBulk(list, list, waiver, deciding).version;

  it('is of the breaks and of what happened to them, in any order', () => {
    expect(versionOf([...breaks].reverse())).toBe(versionOf(breaks));
    expect(versionOf(breaks)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is another once one of them has moved, or is another break', () => {
    const [first, ...rest] = breaks;
    expect(first).toBeDefined();
    expect(versionOf([of('aa', '3', 'USD', { events: 4 }), ...rest])).not.toBe(versionOf(breaks));
    expect(versionOf(rest)).not.toBe(versionOf(breaks));
    expect(versionOf([of('ab', '3', 'USD'), ...rest])).not.toBe(versionOf(breaks));
  });
});

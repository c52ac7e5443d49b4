import { expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { addPartial, reviveDecimals } from '../../src/domain/partial-sums.ts';

const eur = (text: string) => Decimal.parse(text);

it('sums counts and decimals, leaves names, and takes what only one side knows', () => {
  const whole = { rule: 'A', open: 2, bands: [1, 0], sum: eur('1.10'), other: null, extra: undefined };
  const part = { rule: 'A', open: 3, bands: [0, 4], sum: eur('0.905'), other: eur('7'), extra: 1 };
  const sum = addPartial<object>(whole, part);
  expect(sum).toEqual({ rule: 'A', open: 5, bands: [1, 4], sum: eur('2.005'), other: eur('7'), extra: 1 });
});

it('joins maps key by key', () => {
  const whole = new Map([
    ['a', { open: 1, severity: 'high' }],
    ['b', { open: 1, severity: 'low' }],
  ]);
  addPartial(
    whole,
    new Map([
      ['b', { open: 2, severity: 'low' }],
      ['c', { open: 5, severity: 'low' }],
    ]),
  );
  expect([...whole]).toEqual([
    ['a', { open: 1, severity: 'high' }],
    ['b', { open: 3, severity: 'low' }],
    ['c', { open: 5, severity: 'low' }],
  ]);
});

it('brings decimals back that were copied between threads', () => {
  const copied = structuredClone(new Map([['EUR', { sum: eur('1.10'), list: [eur('-2')], none: null, when: 5 }]]));
  const revived = reviveDecimals(copied).get('EUR');
  expect(revived?.sum).toBeInstanceOf(Decimal);
  expect(revived?.sum.plus(eur('1')).toString()).toBe('2.1');
  expect(revived?.list[0]?.isNegative).toBe(true);
});

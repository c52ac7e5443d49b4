import { describe, expect, it } from 'vitest';
import type { Break } from '../../src/domain/break.ts';
import {
  addStake,
  emptyStake,
  stakeAsJson,
  stakeFigures,
  stakeInWords,
  waivedInWords,
} from '../../src/domain/stake-tally.ts';
import { aBreak } from '../store/support/break-events.ts';
import { dec } from '../support/builders.ts';

const staked = (amount: string | null, over: Partial<Break> = {}): Break =>
  aBreak({ moneyAtStake: amount === null ? null : dec(amount), ...over });

const waivedBy = (author: string): Partial<Break> => ({
  state: 'waived',
  waiver: { reason: 'goodwill', author, until: null, difference: null, actual: null },
});

function figuresOf(...records: Break[][]) {
  const sums = emptyStake();
  for (const breaks of records) addStake(sums, breaks);
  return stakeFigures(sums);
}

describe('money at stake, added up', () => {
  const figures = figuresOf(
    [staked('1.5'), staked(null, { rule: 'AMOUNT_DIFFERS' })],
    [staked('2.25', { state: 'reopened' })],
    [staked('-1', { state: 'acknowledged' })],
    [staked('500', { recordCurrency: 'JPY' })],
    [staked(null, { rule: 'STATUS_STUCK' })],
    [staked('9', { ...waivedBy('Ann') }), staked(null, { ...waivedBy('Ann'), rule: 'AMOUNT_DIFFERS' })],
    [staked(null, { ...waivedBy('Bob'), recordCurrency: null })],
    [staked('7', { state: 'resolved' })],
  );

  it('is once per record and per currency, losses of users and of the Service apart', () => {
    expect(stakeAsJson(figures).money_at_stake).toEqual([
      { currency: 'EUR', records: 3, total: '2.75', users_loss: '3.75', services_loss: '-1' },
      { currency: 'JPY', records: 1, total: '500', users_loss: '500', services_loss: '0' },
    ]);
  });

  it('counts records at risk by open breaks, with money or without', () => {
    expect(figures.recordsAtRisk).toBe(5);
  });

  it('sums waived money by person, never together with open money', () => {
    expect(stakeAsJson(figures).waived).toEqual([
      { by: 'Ann', currency: 'EUR', breaks: 2, total: '9' },
      { by: 'Bob', currency: null, breaks: 1, total: null },
    ]);
  });

  it('is written as a sentence, or left out', () => {
    expect(stakeInWords(figures)).toBe(
      "2.75 EUR of 3 records (-1.00 EUR of it the Service's loss); 500 JPY of 1 record",
    );
    expect(waivedInWords(figures)).toBe('Ann: 2 breaks, 9.00 EUR; Bob: 1 break');
    const several = [
      { by: 'Ann', currency: null, breaks: 9, total: null },
      { by: 'Ann', currency: 'EUR', breaks: 2, total: dec('9') },
      { by: 'Ann', currency: 'GBP', breaks: 6, total: null },
      { by: 'Ann', currency: 'JPY', breaks: 1, total: dec('-40') },
    ];
    expect(waivedInWords({ ...figures, waived: several })).toBe('Ann: 18 breaks, 9.00 EUR, -40 JPY');
    expect([stakeInWords(figuresOf()), waivedInWords(figuresOf())]).toEqual([null, null]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Break } from '../../src/domain/break.ts';
import {
  addStake,
  emptyStake,
  pendingInWords,
  stakeAsJson,
  stakeFigures,
  stakeInWords,
  waivedInWords,
} from '../../src/domain/stake-tally.ts';
import { aBreak } from '../support/a-break.ts';
import { dec } from '../support/builders.ts';

/** With the loss of its record, as `withStake` leaves it. */
const staked = (amount: string | null, over: Partial<Break> = {}): Break => {
  const loss = amount === null ? null : dec(amount);
  const isAside = over.state === 'waived' || over.moneyMoved === 'pending' || over.claimId !== undefined;
  return aBreak({
    moneyAtStake: isAside ? null : loss,
    moneyAside: isAside ? loss : null,
    lossBearer: loss === null ? null : loss.isNegative ? 'service' : 'user',
    ...over,
  });
};

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
    [staked('3', { moneyMoved: 'pending' })],
    [staked('17.85', { claimId: 'claim-1' })],
    [staked('170.36', { kind: 'payout', lossBearer: 'host' })],
  );

  it('is once per record and per currency, those of users, of the Service and of the host never netted', () => {
    expect(stakeAsJson(figures).money_at_stake).toEqual([
      { currency: 'EUR', bearer: 'host', records: 1, total: '170.36', pending: '0', claimed: '0' },
      { currency: 'EUR', bearer: 'service', records: 1, total: '-1', pending: '0', claimed: '0' },
      { currency: 'EUR', bearer: 'user', records: 2, total: '3.75', pending: '3', claimed: '17.85' },
      { currency: 'JPY', bearer: 'user', records: 1, total: '500', pending: '0', claimed: '0' },
    ]);
  });

  it('counts records at risk by open breaks, with money or without', () => {
    expect(figures.recordsAtRisk).toBe(7);
  });

  it('sums waived money by person, never together with open money', () => {
    expect(stakeAsJson(figures).waived).toEqual([
      { by: 'Ann', currency: 'EUR', bearer: null, breaks: 1, total: null },
      { by: 'Ann', currency: 'EUR', bearer: 'user', breaks: 1, total: '9' },
      { by: 'Bob', currency: null, bearer: null, breaks: 1, total: null },
    ]);
  });

  it('is written as a sentence, or left out', () => {
    // A purchase that is RETURNED is pending too: its status does not say whether money moved, and it is finished.
    expect(pendingInWords(figures)).toBe('3.00 EUR of users: not known to have been delivered, so not at stake yet');
    expect(stakeInWords(figures)).toBe(
      '170.36 EUR owed to you (1 month); 3.75 EUR lost by users (2 records); 500 JPY lost by users (1 record); ' +
        '1.00 EUR lost by the Service (1 record)',
    );
    expect(waivedInWords(figures)).toBe('Ann: 2 breaks, 9.00 EUR; Bob: 1 break');
    const several = [
      { by: 'Ann', currency: null, bearer: null, breaks: 9, total: null },
      { by: 'Ann', currency: 'EUR', bearer: 'user' as const, breaks: 2, total: dec('9') },
      { by: 'Ann', currency: 'GBP', bearer: null, breaks: 6, total: null },
      { by: 'Ann', currency: 'JPY', bearer: 'service' as const, breaks: 1, total: dec('-40') },
    ];
    expect(waivedInWords({ ...figures, waived: several })).toBe('Ann: 18 breaks, 9.00 EUR, -40 JPY');
    expect([stakeInWords(figuresOf()), waivedInWords(figuresOf())]).toEqual([null, null]);
  });
});

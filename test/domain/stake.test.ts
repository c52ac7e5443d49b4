import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Break, BreakState } from '../../src/domain/break.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { asideOf, isMeasurable, lossByCrypto, lossByFiat, lossOf, withStake } from '../../src/domain/stake.ts';
import { aBreak } from '../support/a-break.ts';
import { dec } from '../support/builders.ts';

const told = (rule: string, loss: string | null, over: Partial<Break> = {}): Break =>
  aBreak({
    rule,
    field: rule.toLowerCase(),
    loss: loss === null ? null : dec(loss),
    moneyAtStake: null,
    leadingBreakId: null,
    moneyMoved: 'yes',
    ...over,
  });

const shown = (breaks: readonly Break[]) => {
  const stake = lossOf(breaks);
  return stake === null ? null : [stake.leading.rule, stake.leading.field, stake.amount.toString()];
};

describe('a loss', () => {
  it('is a higher total for who buys, and a lower one for who sells', () => {
    expect(lossByFiat('purchase', dec('1.5')).toString()).toBe('1.5');
    expect(lossByFiat('sale', dec('1.5')).toString()).toBe('-1.5');
  });

  it('is less crypto for who buys, and more for who sells, to the places of the currency', () => {
    expect(lossByCrypto('purchase', dec('-0.001'), dec('2345.678'), 'EUR').toString()).toBe('2.35');
    expect(lossByCrypto('sale', dec('0.001'), dec('2345.678'), 'JPY').toString()).toBe('2');
    expect(lossByCrypto('sale', dec('-0.001'), dec('2345.678'), 'KWD').toString()).toBe('-2.346');
  });
});

describe('money at stake', () => {
  it('is what the rule explains that explains most', () => {
    expect(shown([told('FEE_APPLIED_DIFFERS', '13.73'), told('AMOUNT_DIFFERS', '13.5')])).toEqual([
      'FEE_APPLIED_DIFFERS',
      'fee_applied_differs',
      '13.73',
    ]);
    expect(shown([told('FEE_APPLIED_DIFFERS', '2'), told('FIELD_CHANGED', '-5')])).toEqual([
      'FIELD_CHANGED',
      'field_changed',
      '-5',
    ]);
  });

  it('adds up what has nothing in common: a dearer fee, a price beyond the market, tokens that are lacking', () => {
    const fee = told('FEE_APPLIED_DIFFERS', '2');
    const network = told('FEE_NETWORK_DIFFERS', '1.5');
    const price = told('SLIPPAGE', '7.26');
    const rest = told('TOTAL_NOT_FOOTING', '0.17');
    const amountOf = (...breaks: Break[]) => shown(breaks)?.slice(0, 3).toSpliced(1, 1).join(' ');
    expect(amountOf(fee, network, price)).toBe('SLIPPAGE 9.26');
    expect(amountOf(fee, network, price, rest, told('AMOUNT_DIFFERS', '0.17'))).toBe('SLIPPAGE 9.43');
    // With a locked price the missing tokens are fee and residual in one.
    expect(amountOf(fee, rest, told('AMOUNT_DIFFERS', '2.17', { severity: 'low' }))).toBe('AMOUNT_DIFFERS 2.17');
    expect(amountOf(fee, price, told('REFUND_DUE', '104.76'))).toBe('REFUND_DUE 104.76');
    // A fee that was written higher than what was taken: the same money on both sides.
    expect(amountOf(fee, told('TOTAL_NOT_FOOTING', '-2'))).toBe('FEE_APPLIED_DIFFERS 2');
    // Waived alone it is aside; waived with the leading one, so is their sum.
    expect(amountOf({ ...fee, state: 'waived' }, price)).toBe('SLIPPAGE 7.26');
    expect(amountOf({ ...fee, state: 'waived' }, { ...price, state: 'waived' })).toBe('SLIPPAGE 9.26');
  });

  it('nets what one rule finds: who buys four times as much for four times the price loses nothing', () => {
    const more = told('AMOUNT_DIFFERS', '400', { field: 'fiat_value' });
    expect(shown([more, told('AMOUNT_DIFFERS', '-400', { field: 'crypto_amount' })])).toBeNull();
    expect(shown([more, told('AMOUNT_DIFFERS', '-390', { field: 'crypto_amount' })])).toEqual([
      'AMOUNT_DIFFERS',
      'fiat_value',
      '10',
    ]);
    const less = told('AMOUNT_DIFFERS', '-450', { field: 'crypto_amount' });
    expect(shown([more, less])).toEqual(['AMOUNT_DIFFERS', 'crypto_amount', '-50']);
  });

  it('leads with the more severe of two that come to the same at the places of the currency', () => {
    const amount = told('AMOUNT_DIFFERS', '13.73', { severity: 'medium' });
    const fee = told('FEE_APPLIED_DIFFERS', '13.730032178217823', { severity: 'high' });
    expect(shown([amount, fee])?.[0]).toBe('FEE_APPLIED_DIFFERS');
    const total = told('AMOUNT_DIFFERS', '13.7331', { severity: 'medium' });
    expect(shown([total, fee])?.[0]).toBe('FEE_APPLIED_DIFFERS');
  });

  it.each([
    ['no break', []],
    ['nothing that measures a loss', [told('STATUS_STUCK', null, { unit: 'days' })]],
    ['a loss below the smallest coin', [told('FEE_APPLIED_DIFFERS', '0.004')]],
    ['a break that is over', [told('FEE_APPLIED_DIFFERS', '5', { state: 'resolved' })]],
  ])('is nothing where there is %s', (_, breaks) => {
    expect(lossOf(breaks)).toBeNull();
  });

  it('leads with the same break whatever people decided, so that waived money does not come up again', () => {
    const waived = told('FEE_APPLIED_DIFFERS', '5', { state: 'waived' });
    expect(shown([waived, told('AMOUNT_DIFFERS', '4', { severity: 'low' })])?.[0]).toBe('FEE_APPLIED_DIFFERS');
    expect(shown([waived, told('AMOUNT_DIFFERS', '6', { severity: 'low' })])?.[0]).toBe('AMOUNT_DIFFERS');
  });

  const columnsOf = (breaks: readonly Break[]) =>
    withStake(breaks).map((each) => [
      each.moneyAtStake?.toString() ?? null,
      asideOf(each),
      each.moneyAside?.toString() ?? null,
      each.lossBearer,
    ]);
  it.each<[string, Partial<Break>, ReturnType<typeof columnsOf>[number]]>([
    ['at stake where money has moved', {}, ['5', null, null, 'user']],
    ['nothing where it never moved', { moneyMoved: 'no' }, [null, null, null, null]],
    ['pending where it has not moved yet', { moneyMoved: 'pending' }, [null, 'pending', '5', 'user']],
    ['pending where nobody knows', { moneyMoved: 'unknown' }, [null, 'pending', '5', 'user']],
    ['waived', { state: 'waived' }, [null, 'waived', '5', 'user']],
    ['claimed', { claimId: 'claim-1' }, [null, 'claimed', '5', 'user']],
    ['claimed even where it is waived', { claimId: 'claim-1', state: 'waived' }, [null, 'claimed', '5', 'user']],
    ['nothing where an offer is waived', { moneyMoved: 'no', state: 'waived' }, [null, null, null, null]],
    ["the host's where it is a payout", { kind: 'payout' }, ['5', null, null, 'host']],
    ["the Service's where it lost", { loss: dec('-5') }, ['-5', null, null, 'service']],
    ['at stake in a break of an older version', { moneyMoved: null }, ['5', null, null, 'user']],
  ])('is %s', (_, over, expected) => {
    expect(columnsOf([told('FEE_APPLIED_DIFFERS', '5', over)])).toEqual([expected]);
  });

  it('is claimed on the leading break, whichever break of the record is in the claim', () => {
    const breaks = [told('FEE_APPLIED_DIFFERS', '5'), told('AMOUNT_DIFFERS', '4', { claimId: 'claim-1' })];
    expect(columnsOf(breaks)).toEqual([
      [null, 'claimed', '5', 'user'],
      [null, null, null, 'user'],
    ]);
  });

  it.each<[string, string, string, [string | null, string]]>([
    ['its rest is at stake, where the claim is of a part', '5', '3', ['2', '3']],
    ['it is what the letter says, and nothing is at stake of what rounding has left', '5.0023', '5.00', [null, '5']],
    ['the same where it was rounded up', '4.9977', '5.00', [null, '5']],
    ['nothing is at stake where the claim asks for more', '5', '5.01', [null, '5']],
  ])('where it is claimed, %s', (_, loss, claimed, [atStake, aside]) => {
    const other = told('AMOUNT_DIFFERS', '3', { claimId: 'claim-1', claimed: dec(claimed) });
    expect(columnsOf([told('FEE_APPLIED_DIFFERS', loss, { claimId: 'claim-1' }), other])[0]).toEqual([
      atStake,
      'claimed',
      aside,
      'user',
    ]);
  });

  const RULES = ['FEE_APPLIED_DIFFERS', 'AMOUNT_DIFFERS', 'FEE_OUT_OF_BOUNDS', 'CHARGED_DIFFERS_FROM_SHOWN'];
  const anyBreaks = fc.uniqueArray(
    fc.record({
      rule: fc.constantFrom(...RULES),
      field: fc.constantFrom('fiat_value', 'crypto_amount', 'applied_fee'),
      cents: fc.option(fc.bigInt(-500_000n, 500_000n)),
      state: fc.constantFrom<BreakState>('open', 'acknowledged', 'reopened', 'waived', 'resolved'),
    }),
    { selector: ({ rule, field }) => `${rule} ${field}`, maxLength: 10 },
  );
  const breaksOf = (drawn: { rule: string; field: string; cents: bigint | null; state: BreakState }[]) =>
    drawn.map(({ rule, field, cents, state }) =>
      told(rule, null, { field, state, loss: cents === null ? null : Decimal.of(cents, 2) }),
    );

  it('is on one break of a record at most, however many breaks it has, and of rules about the same it is what one explains', () => {
    fc.assert(
      fc.property(anyBreaks, (drawn) => {
        const breaks = withStake(breaksOf(drawn));
        const leading = breaks.filter((each) => each.moneyAtStake !== null || each.moneyAside !== null);
        expect(leading.length).toBeLessThanOrEqual(1);
        const [one] = leading;
        if (one === undefined) {
          expect(breaks.every(({ leadingBreakId }) => leadingBreakId === null)).toBe(true);
          return;
        }
        expect(one.state).not.toBe('resolved');
        const cents = drawn
          .filter(({ rule, state }) => rule === one.rule && state !== 'resolved')
          .reduce((sum, each) => sum + (each.cents ?? 0n), 0n);
        expect((one.moneyAtStake ?? one.moneyAside)?.equals(Decimal.of(cents, 2))).toBe(true);
        const named = breaks.filter(({ state }) => state !== 'resolved').map(({ leadingBreakId }) => leadingBreakId);
        expect(new Set(named)).toEqual(new Set([one.breakId]));
      }),
    );
  });

  it('does not depend on the order of the breaks', () => {
    fc.assert(
      fc.property(anyBreaks, (drawn) => {
        const breaks = breaksOf(drawn);
        expect(shown([...breaks].reverse())).toEqual(shown(breaks));
      }),
    );
  });
});

it('a loss of many totals is no measure: of a purchase ten, of a sale, whose payout may be short, a thousand', () => {
  expect(isMeasurable('purchase', dec('-1000'), dec('100'))).toBe(true);
  expect(isMeasurable('purchase', dec('-1000.01'), dec('100'))).toBe(false);
  expect(isMeasurable('sale', dec('99'), dec('1'))).toBe(true);
  expect(isMeasurable('sale', dec('1000.01'), dec('1'))).toBe(false);
  expect(isMeasurable('sale', dec('99'), dec('0'))).toBe(true);
});

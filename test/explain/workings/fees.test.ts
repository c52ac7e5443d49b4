import { describe, expect, it } from 'vitest';
import type { Case } from '../../../src/domain/case.ts';
import { someRunTerms } from '../../reconcile/support/judging.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aSale,
  type CaseOverrides,
  LOCKED,
} from '../../support/builders.ts';
import { arithmeticOf, withTolerance, workedOut as workedOutBy } from '../work-out.ts';

const BOUND = someRunTerms({ binding: LOCKED });
const workedOut = (subject: Case, rule: string, field: string, terms = BOUND) =>
  workedOutBy(subject, rule, field, terms);

/** Half the default purchase: 50 EUR of crypto and a fee of 2.38 EUR (base 1.52, network 0.86). */
const HALF = {
  fiatValue: '52.38',
  cryptoUnits: 20_000_000_000_000_000n,
  appliedFee: '2.38',
  baseFee: '1.52',
  networkFee: '0.86',
};

describe('there is nothing to work with', () => {
  const noRate = { exchangeRate: null, appliedFee: null };
  it.each<[rule: string, field: string, where: string, subject: CaseOverrides]>([
    ['FEE_APPLIED_DIFFERS', 'applied_fee', 'the record was not read', { observation: anUnreachable() }],
    ['FEE_APPLIED_DIFFERS', 'applied_fee', 'no quote belongs to it', { quote: null }],
    ['FEE_APPLIED_DIFFERS', 'applied_fee', 'the quote lacks its method', { quote: aMatchedQuote({ method: null }) }],
    ['FEE_APPLIED_DIFFERS', 'applied_fee', 'it states no fee', { state: aPurchase({ appliedFee: null }) }],
    [
      'FEE_BASE_DIFFERS',
      'base_fee',
      'the quote has no base fee',
      { quote: aMatchedQuote({ method: { baseFee: null } }) },
    ],
    [
      'FEE_BASE_DIFFERS',
      'base_fee',
      'the quote is for another amount and has no base fee',
      { quote: aMatchedQuote({ method: { ...HALF, baseFee: null } }) },
    ],
    [
      'FEE_BASE_DIFFERS',
      'base_fee',
      'shares are compared and the value of the record is not known',
      { state: aPurchase(noRate), quote: aMatchedQuote({ method: HALF }) },
    ],
    [
      'FEE_BASE_DIFFERS',
      'base_fee',
      'shares are compared and the quoted fee leaves no crypto',
      { quote: aMatchedQuote({ method: { ...HALF, fiatValue: '2.38' } }) },
    ],
  ])('for %s of %s where %s', (rule, field, _where, subject) => {
    expect(arithmeticOf(aCase(subject), rule, field)).toBeNull();
  });
});

describe('comparing shares of the value', () => {
  it('a fresh quote is compared by shares even for the same amount', () => {
    const quote = aMatchedQuote({ basis: 'requoted' });
    const subject = aCase({ state: aPurchase({ appliedFee: '5.76', baseFee: '4.90' }), quote });
    expect(workedOut(subject, 'FEE_APPLIED_DIFFERS', 'applied_fee').slice(0, 6)).toEqual([
      "compared as: shares of the crypto's value: a fresh quote",
      'quoted crypto value: 104.76 − 4.76 = 100.00 EUR',
      "this record's value: 0.04 × 2500 = 100.00 EUR",
      'quoted fee: 4.76 EUR',
      'of it the service fee: 4.76 − 0.86 = 3.90 EUR',
      'expected fee: 3.90 × 100.00 ÷ 100.00 + 0.86 = 4.76 EUR',
    ]);
  });

  it('the base fee grows with the amount', () => {
    const subject = aCase({ state: aPurchase({ baseFee: '4.04' }), quote: aMatchedQuote({ method: HALF }) });
    expect(workedOut(subject, 'FEE_BASE_DIFFERS', 'base_fee').slice(3)).toEqual([
      'quoted base fee: 1.52 EUR',
      'expected base fee: 1.52 × 100.00 ÷ 50.00 = 3.04 EUR',
      'actual base fee: 4.04 EUR',
      'difference: 4.04 − 3.04 = +1.00 EUR',
      'tolerance: the larger of 0.01 and 0.25 (0.25 % of 100.00) = 0.25 EUR',
      'outcome: 1.00 > 0.25: a break',
    ]);
  });

  it('the network fee does not', () => {
    const subject = aCase({ state: aPurchase({ networkFee: '1.86' }), quote: aMatchedQuote({ method: HALF }) });
    expect(workedOut(subject, 'FEE_NETWORK_DIFFERS', 'network_fee').slice(3, 6)).toEqual([
      'quoted network fee: 0.86 EUR',
      'actual network fee: 1.86 EUR',
      'difference: 1.86 − 0.86 = +1.00 EUR',
    ]);
  });

  it('a promotion may promise less than the network fee: the share of the service is negative', () => {
    const method = { ...HALF, fiatValue: '50.50', appliedFee: '0.50', baseFee: null };
    const subject = aCase({ state: aPurchase({ appliedFee: '4.76' }), quote: aMatchedQuote({ method }) });
    expect(workedOut(subject, 'FEE_APPLIED_DIFFERS', 'applied_fee').slice(4, 6)).toEqual([
      'of it the service fee: 0.50 − 0.86 = -0.36 EUR',
      'expected fee: (-0.36) × 100.00 ÷ 50.00 + 0.86 = 0.14 EUR',
    ]);
  });

  it('the value of a purchase without a rate is the total minus the fee', () => {
    const state = aPurchase({ exchangeRate: null, fiatValue: '104.76', appliedFee: '4.76', baseFee: '4.04' });
    const subject = aCase({ state, quote: aMatchedQuote({ method: HALF }) });
    expect(workedOut(subject, 'FEE_BASE_DIFFERS', 'base_fee')[2]).toBe(
      "this record's value: 104.76 − 4.76 = 100.00 EUR",
    );
  });

  it('the value of a sale is the payout plus its fee, on both sides', () => {
    const quote = aMatchedQuote({
      quote: { direction: 'offramp' },
      method: {
        fiatValue: '95',
        cryptoUnits: 50_000_000_000_000_000n,
        appliedFee: '5',
        baseFee: null,
        networkFee: null,
      },
    });
    const subject = aCase({ state: aSale({ fiatValue: '190', appliedFee: '30' }), quote });
    expect(workedOut(subject, 'FEE_APPLIED_DIFFERS', 'applied_fee')).toEqual([
      "compared as: shares of the crypto's value: the quote is for another amount",
      'quoted crypto value: 95.00 + 5.00 = 100.00 EUR',
      "this record's value: 190.00 + 30.00 = 220.00 EUR",
      'quoted fee: 5.00 EUR',
      'expected fee: 5.00 × 220.00 ÷ 100.00 = 11.00 EUR',
      'actual fee: 30.00 EUR',
      'difference: 30.00 − 11.00 = +19.00 EUR',
      'tolerance: the larger of 0.011 and 0.55 (0.25 % of 220.00) = 0.55 EUR',
      'outcome: 19.00 > 0.55: a break',
    ]);
  });
});

describe('comparing amounts', () => {
  it('only a converted network fee has more tolerance', () => {
    const subject = aCase({
      state: aPurchase({ appliedFee: '5.76', baseFee: '4.90' }),
      quote: aMatchedQuote({ method: { networkFeeExact: false } }),
    });
    expect(workedOut(subject, 'FEE_BASE_DIFFERS', 'base_fee')[3]).toBe(
      'tolerance: the larger of 0.01 and 0.0039 (0.001 × 3.90) = 0.01 EUR',
    );
  });

  it('a network fee in the currency of the record has no more tolerance', () => {
    const subject = aCase({ state: aPurchase({ networkFee: '1.00' }) });
    expect(workedOut(subject, 'FEE_NETWORK_DIFFERS', 'network_fee').slice(3)).toEqual([
      'tolerance: the larger of 0.01 and 0.00086 (0.001 × 0.86) = 0.01 EUR',
      'outcome: 0.14 > 0.01: a break',
    ]);
  });

  it('a fee within tolerance is not a break', () => {
    const subject = aCase({ state: aPurchase({ appliedFee: '4.77' }) });
    expect(arithmeticOf(subject, 'FEE_APPLIED_DIFFERS', 'applied_fee')?.slice(2, 5)).toEqual([
      'difference: 4.77 − 4.76 = +0.01 EUR',
      'tolerance: the larger of 0.01 and 0.00476 (0.001 × 4.76) = 0.01 EUR',
      'outcome: 0.01 ≤ 0.01: within tolerance',
    ]);
  });

  it.each([
    ['FEE_APPLIED_DIFFERS', 'applied_fee', { appliedFee: '14.76' }],
    ['FEE_BASE_DIFFERS', 'base_fee', { baseFee: '14.76' }],
    ['FEE_NETWORK_DIFFERS', 'network_fee', { networkFee: '14.76' }],
  ])('%s is held to the tolerance that the settings give this rule', (rule, field, fee) => {
    const lines = workedOut(aCase({ state: aPurchase(fee) }), rule, field, withTolerance(rule, '7.5'));
    expect(lines[3]).toMatch(/^tolerance: the larger of 7\.50 and .* = 7\.50 EUR$/);
  });
});

describe('the parts of a difference', () => {
  const lastLine = (subject: CaseOverrides) =>
    workedOut(aCase(subject), 'FEE_APPLIED_DIFFERS', 'applied_fee').at(-1) ?? '';

  it('are not shown where neither base nor network fee can be compared', () => {
    const state = aPurchase({ appliedFee: '6.26', baseFee: null, networkFee: null });
    expect(lastLine({ state })).toBe('outcome: 1.50 > 0.01: a break');
  });

  it('are shown with the network fee alone, where the base fee is not known', () => {
    const state = aPurchase({ appliedFee: '6.26', baseFee: null, networkFee: '1.36' });
    expect(lastLine({ state })).toBe('parts: network +0.50, other parts +1.00; sum +1.50 EUR');
  });
});

/** Every row of fees.csv foots, exact and rounded, and states the reason of its flag. */
import { describe, expect, it, test } from 'vitest';
import { fees } from '../../reports/fees.ts';
import { compareFees } from '../../src/domain/fees.ts';
import { aMatchedQuote, aPurchase, dec, LOCKED, type StateOverrides, someFeeTerms } from '../support/builders.ts';
import { aSettledRecord, rowsOf } from './support/rows.ts';

function row(state: StateOverrides, quoted: Parameters<typeof aMatchedQuote>[0] | null = {}) {
  const body = aPurchase(state);
  const quote = quoted === null ? null : aMatchedQuote(quoted);
  const record = { ...aSettledRecord(), state: body, quote, fees: compareFees(body, quote, someFeeTerms(LOCKED)) };
  return rowsOf(fees, [record])[0] ?? {};
}

describe('tolerance_reason', () => {
  it('says that figures were compared, and which part differs by how much', () => {
    const { within_tolerance: within, tolerance_reason: reason } = row({ appliedFee: '6.26', baseFee: '5.40' });
    expect(within).toBe('false');
    expect(reason).toBe(
      'figure against figure; applied fee 6.26 EUR, expected 4.76 EUR: outside 0.01 EUR; base fee 5.40 EUR, expected 3.90 EUR: outside 0.01 EUR',
    );
    expect(row({})).toMatchObject({ within_tolerance: 'true', tolerance_reason: 'figure against figure' });
  });

  it('of another amount has the fee that the quote comes to, within which a larger variance agrees', () => {
    const twice = { cryptoUnits: 80_000_000_000_000_000n, fiatValue: '208.66', appliedFee: '8.66', baseFee: '7.80' };
    const cells = row(twice);
    expect([cells.applied_fee_variance, cells.tolerance, cells.within_tolerance]).toEqual(['3.9', '0.5', 'true']);
    expect(cells.tolerance_reason).toContain('shares of the value: the quote is for another amount');
    expect(cells.tolerance_reason).toContain('applied fee 8.66 EUR, expected 8.66 EUR: within 0.50 EUR');
  });

  it('leaves an unknown part empty, and names it in the reason', () => {
    const without = row({ appliedFee: '6.26', baseFee: null });
    expect(without).toMatchObject({ base_fee_variance: null, network_fee_variance: '0', adjustment_variance: '1.5' });
    expect(without.tolerance_reason).toContain('no base fee on the record: it is in the adjustment');
    expect(row({ appliedFee: null }).tolerance_reason).toContain('no applied fee on the record');
    expect(row({}, null)).toMatchObject({ within_tolerance: null, tolerance_reason: 'no quote belongs to the record' });
    const other = row({}, { quote: { fiatCurrency: 'GBP' } });
    expect(other.tolerance_reason).toMatch(/^the quote is for another currency or asset/);
  });
});

test('a base fee that may be an unlisted minimum at another rate has that as its reason', () => {
  const reasonOf = (baseFee: string, fee: string) => {
    const body = aPurchase({ fiatCurrency: 'USD', baseFee, appliedFee: fee });
    const quote = aMatchedQuote({ quote: { fiatCurrency: 'USD' } });
    const compared = compareFees(body, quote, { ...someFeeTerms(), movingMinimum: 'unknown' });
    return rowsOf(fees, [{ ...aSettledRecord(), state: body, quote, fees: compared }])[0];
  };
  expect(reasonOf('3.95', '4.81')).toMatchObject({
    within_tolerance: 'true',
    tolerance_reason: expect.stringContaining('no list in USD tells it, so that 1.5 % is allowed'),
  });
  expect(reasonOf('3.90', '4.76')?.tolerance_reason).toBe('figure against figure');
  expect(reasonOf('4.10', '4.96')).toMatchObject({ within_tolerance: 'false' });
});

describe('a row', () => {
  it.each([
    ['all parts', { appliedFee: '6.267', baseFee: '5.405' }],
    ['no base fee', { appliedFee: '6.265', baseFee: null }],
    ['no network fee', { appliedFee: '6.264', networkFee: null }],
  ] as const)('foots with %s: actual − quoted = variance = base + network + adjustment', (_, state) => {
    const cells = row(state);
    const amount = (name: string) => dec(cells[name] ?? '0');
    const variance = amount('applied_fee_variance');
    expect(amount('actual_applied_fee').minus(amount('quoted_applied_fee')).equals(variance)).toBe(true);
    const parts = amount('base_fee_variance').plus(amount('network_fee_variance')).plus(amount('adjustment_variance'));
    expect(parts.equals(variance)).toBe(true);
  });
});

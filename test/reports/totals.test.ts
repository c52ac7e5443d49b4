import { describe, expect, it } from 'vitest';
import { totals } from '../../reports/totals.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import type { FeeParts } from '../../src/domain/fee-parts.ts';
import type { FeeComparison } from '../../src/domain/fees.ts';
import type { SettledRecord } from '../../src/ports/settled.ts';
import { aPurchase } from '../support/builders.ts';
import { aSettledRecord, rowsOf } from './support/rows.ts';

const money = (text: string | null) => (text === null ? null : Decimal.parse(text));

/** A record that paid one fee and was quoted another; null is not known. */
function charged(paid: string | null, quoted: string | null): SettledRecord {
  const [actual, promised] = [money(paid), money(quoted)];
  const parts = (applied: Decimal | null): FeeParts => ({
    fiatValue: Decimal.parse('100'),
    applied,
    base: null,
    network: null,
    adjustment: null,
    exchangeRate: null,
    cv: null,
  });
  const fees: FeeComparison = {
    actual: parts(actual),
    quoted: promised === null ? null : { ...parts(promised), applied: promised, cv: Decimal.parse('95') },
    comparedAs: null,
    applied: null,
    base: null,
    network: null,
    withinTolerance: null,
    feesAtAmount: promised,
  };
  return { ...aSettledRecord(), state: aPurchase({ appliedFee: paid }), fees };
}

describe('totals.csv', () => {
  it('adds up quoted amounts of compared records only: compared − quoted = variance', () => {
    const [row] = rowsOf(totals, [charged('6', '5'), charged(null, '3.5'), charged('2', null), charged('4', '4.25')]);
    expect(row).toMatchObject({
      record_count: '4',
      applied_fee_total: '12',
      compared_count: '2',
      compared_applied_fee_total: '10',
      quoted_applied_fee_total: '9.25',
      quoted_fiat_value_total: '200',
      applied_fee_variance_total: '0.75',
    });
  });

  it('leaves the sums empty where no record has both sides', () => {
    const [row] = rowsOf(totals, [charged(null, '3.5'), charged('2', null)]);
    expect(row).toMatchObject({
      compared_count: '0',
      compared_applied_fee_total: null,
      quoted_applied_fee_total: null,
      quoted_fiat_value_total: null,
      applied_fee_variance_total: null,
    });
  });

  it('counts a record with waived breaks apart from the matched ones', () => {
    const [row] = rowsOf(totals, [aSettledRecord(), { ...aSettledRecord(), verdict: 'waived' }]);
    expect(row).toMatchObject({ record_count: '2', matched_count: '1', break_count: '0', waived_count: '1' });
  });
});

/** Amounts at the places of their currency: rows foot as printed, sums say what rounding took, and the workbook does the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import type { ReportDefinition } from '../../src/ports/report-definition.ts';
import { Amounts } from '../../src/publish/amounts.ts';
import { documentDecimals, tableDecimals } from '../../src/publish/profiles.ts';

interface Fee {
  currency: string;
  quoted: Decimal;
  actual: Decimal;
  base: Decimal;
}

const FEES: ReportDefinition<Fee> = {
  name: 'fees',
  description: 'Fees',
  columns: [
    { name: 'currency', type: 'text', description: 'Currency', value: ({ currency }) => currency },
    {
      name: 'quoted',
      type: 'amount',
      description: 'Quoted',
      currencyColumn: 'currency',
      value: ({ quoted }) => quoted,
    },
    {
      name: 'actual',
      type: 'amount',
      description: 'Actual',
      currencyColumn: 'currency',
      value: ({ actual }) => actual,
    },
    {
      name: 'variance',
      type: 'amount',
      description: 'Variance',
      currencyColumn: 'currency',
      rest: { of: 'actual', without: ['quoted'] },
      value: ({ actual, quoted }) => actual.minus(quoted),
    },
    { name: 'base', type: 'amount', description: 'Base', currencyColumn: 'currency', value: ({ base }) => base },
    {
      name: 'adjustment',
      type: 'amount',
      description: 'Adjustment',
      currencyColumn: 'currency',
      // A remainder of a remainder: the printed variance is itself the difference of the printed quoted and actual amounts.
      rest: { of: 'variance', without: ['base'] },
      value: ({ actual, quoted, base }) => actual.minus(quoted).minus(base),
    },
  ],
};

/** In thousandths of the smallest coin of a currency with two places. */
const thousandths = (text: string) => BigInt(text.replace('.', '')) * 1000n;
const fineAmount = fc.bigInt(-9_999_999n, 9_999_999n);

describe('rounded amounts', () => {
  it('foot in every row as printed, a rest of a rest included', () => {
    fc.assert(
      fc.property(fineAmount, fineAmount, fineAmount, (quoted, actual, base) => {
        const amounts = new Amounts(FEES, 'minor-units');
        const of = (unscaled: bigint) => Decimal.of(unscaled, 5);
        amounts.read({ currency: 'EUR', quoted: of(quoted), actual: of(actual), base: of(base) });
        const [q, a, v, b, rest] = amounts.texts.map(thousandths);
        expect([(a ?? 0n) - (q ?? 0n), (b ?? 0n) + (rest ?? 0n)]).toEqual([v, v]);
      }),
    );
  });

  it('state what rounding took from each sum: printed + rounding = exact', () => {
    fc.assert(
      fc.property(fc.array(fineAmount, { minLength: 1, maxLength: 20 }), (drawn) => {
        const amounts = new Amounts(FEES, 'minor-units');
        for (const each of drawn) {
          amounts.read({ currency: 'EUR', quoted: Decimal.of(each, 5), actual: Decimal.ZERO, base: Decimal.ZERO });
        }
        const exact = Decimal.of(
          drawn.reduce((sum, each) => sum + each, 0n),
          5,
        );
        const printed = Decimal.parse(amounts.totals().EUR?.quoted ?? '');
        const lost = Decimal.parse(amounts.rounding()?.EUR?.quoted ?? '0');
        expect(printed.plus(lost).equals(exact)).toBe(true);
      }),
    );
  });

  it('of exact tables have no rounding, and the sums of threads are joined with their roundings', () => {
    expect(new Amounts(FEES, 'exact').rounding()).toBeNull();
    const row = { currency: 'EUR', quoted: Decimal.parse('0.004'), actual: Decimal.ZERO, base: Decimal.ZERO };
    const [whole, part] = [new Amounts(FEES, 'minor-units'), new Amounts(FEES, 'minor-units')];
    for (const each of [whole, part, part]) each.read(row);
    whole.absorb(structuredClone(part.partial()));
    expect(whole.rounding()?.EUR?.quoted).toBe('0.012');
  });
});

describe('the setting by-profile', () => {
  it('is exact for programs, and at the places of the currency for spreadsheets', () => {
    const modes = (['standard', 'excel', 'excel-eu', 'google-sheets'] as const).map((profile) =>
      tableDecimals('by-profile', profile),
    );
    expect(modes).toEqual(['exact', 'minor-units', 'minor-units', 'minor-units']);
    expect(documentDecimals('by-profile')).toBe('minor-units');
    expect([
      tableDecimals('exact', 'excel'),
      tableDecimals('minor-units', 'standard'),
      documentDecimals('exact'),
    ]).toEqual(['exact', 'minor-units', 'exact']);
  });
});

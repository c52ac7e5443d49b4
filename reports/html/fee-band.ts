import { minorUnit } from '../../src/domain/currency.ts';
import { Decimal, maxDecimal, minDecimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import type { Shown, View } from '../../src/ports/html-view.ts';
import { counted } from '../../src/text/counts.ts';
import { decimalOf, figure, left, percentShown, right } from './cells.ts';

interface Group {
  /**
   * Effective fee in hundredths of a percent → records. Bounded by how far fees reach, not by how many there are. Those that pay the
   * minimum fee are apart: it is an amount, and a large share of a small value.
   */
  percentages: Map<number, number>;
  minimums: Map<number, number>;
  records: number;
  below: number;
  within: number;
  /** Above the percentage, and no more than the published minimum fee: small purchases. */
  byMinimum: number;
  above: number;
  band: { low: Decimal; high: Decimal } | null;
}

/** Fees beyond this are drawn and counted as this. */
const MOST = 100_000;

/** The fee that users really paid, in percent of the crypto's value, against the band that the Service publishes. */
export const feeBandView: View = {
  name: 'fee-band',
  start: () => {
    const groups = new Map<string, Group>();
    let without = 0;
    return {
      rows: {
        fees: (cell) => {
          const percent = decimalOf(cell('actual_fee_percent'));
          if (percent === null) {
            without++;
            return;
          }
          const group = entryOf(groups, `${cell('payment_method') || 'Method unknown'}, ${cell('kind')}`, none);
          group.records++;
          const hundredths = Math.min(MOST, Number(percent.times(Decimal.HUNDRED).rounded(0).unscaled));
          const take = (counts: Map<number, number>) => counts.set(hundredths, (counts.get(hundredths) ?? 0) + 1);
          const [low, high] = [decimalOf(cell('min_fee_percent')), decimalOf(cell('max_fee_percent'))];
          if (low === null || high === null) {
            take(group.percentages);
            return;
          }
          group.band =
            group.band === null
              ? { low, high }
              : { low: minDecimal(group.band.low, low), high: maxDecimal(group.band.high, high) };
          const fee = serviceFee(cell('actual_applied_fee'), cell('actual_network_fee'));
          const least = decimalOf(cell('min_fee_amount'));
          const place = placeOf({ percent, low, high, fee, least, currency: cell('fiat_currency') });
          group[place]++;
          take(place === 'byMinimum' ? group.minimums : group.percentages);
        },
      },
      sections: () => {
        const rows = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, group]) => ({ name, ...group }));
        const above = rows.reduce((sum, row) => sum + row.above, 0);
        const banded = rows.reduce((sum, row) => sum + row.below + row.within + row.byMinimum + row.above, 0);
        return {
          id: 'band',
          title: 'Effective fee and the published band',
          lead:
            rows.length === 0
              ? 'No verified record states a fee.'
              : `The service fee (without the network fee) in percent of the crypto’s value. Of ${counted(banded, 'record')} with a band in force at their creation, ${counted(above, 'is', 'are')} above it and not explained by the minimum fee. ${counted(without, 'verified record states', 'verified records state')} no fee.`,
          figures: rows.length === 0 ? [] : [byMethod(rows)],
        };
      },
    };
  },
};

const none = (): Group => ({
  percentages: new Map(),
  minimums: new Map(),
  records: 0,
  below: 0,
  within: 0,
  byMinimum: 0,
  above: 0,
  band: null,
});

function serviceFee(applied: string, network: string): Decimal | null {
  return decimalOf(applied)?.minus(decimalOf(network) ?? Decimal.ZERO) ?? null;
}

interface Placed {
  percent: Decimal;
  low: Decimal;
  high: Decimal;
  /** Null where the record has no amounts to hold against the minimum. */
  fee: Decimal | null;
  least: Decimal | null;
  currency: string;
}

/** Fees come from binary floating point: one that is a hair above a bound is at it. */
const RELATIVE = Decimal.parse('0.001');

function placeOf({ percent, low, high, fee, least, currency }: Placed): 'below' | 'within' | 'byMinimum' | 'above' {
  // The same agreement as the rules' own: one minor unit of the currency, or a thousandth, whichever is more.
  const unit = minorUnit(currency) ?? Decimal.ZERO;
  const inPercent = fee === null || fee.isZero ? Decimal.ZERO : unit.times(percent).dividedBy(fee.abs(), 12);
  const slack = (bound: Decimal) => maxDecimal(inPercent, bound.times(RELATIVE));
  if (percent.lessThan(low.minus(slack(low)))) return 'below';
  if (!percent.greaterThan(high.plus(slack(high)))) return 'within';
  if (fee === null || least === null) return 'above';
  return fee.greaterThan(least.plus(maxDecimal(unit, least.times(RELATIVE)))) ? 'above' : 'byMinimum';
}

/** The fee that this share of the records does not pass, to 0.01 points; null without records. */
function quantile(counts: ReadonlyMap<number, number>, share: number): Decimal | null {
  const records = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let left = Math.max(1, Math.ceil(records * share));
  for (const [hundredths, count] of [...counts].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return Decimal.parse(String(hundredths)).dividedBy(Decimal.HUNDRED, 2);
  }
  return null;
}

function byMethod(rows: readonly (Group & { name: string })[]) {
  const shown = rows.map((row) => ({
    ...row,
    low: quantile(row.percentages, 0.05),
    middle: quantile(row.percentages, 0.5),
    high: quantile(row.percentages, 0.95),
    minimum: quantile(row.minimums, 0.5),
  }));
  const drawn = shown
    .filter(({ middle }) => middle !== null)
    .toSorted((a, b) => (b.middle ?? Decimal.ZERO).compare(a.middle ?? Decimal.ZERO));
  return figure({
    title: 'Effective fee by payment method',
    chart:
      drawn.length === 0
        ? null
        : {
            type: 'ranges',
            unit: '% of value, minimum fees apart',
            groups: drawn.map(({ name, low, middle, high, band }) => ({ name, low, middle, high, band })),
          },
    caption:
      'Effective fee in percent: median and the range of nine records in ten, how they lie to the band, and those that pay the minimum fee apart',
    columns: [
      ...left('Method and kind'),
      ...right('Records', 'Median', '5th to 95th percentile', 'Published band', 'Below', 'Within', 'Above'),
      ...right('Minimum fee', 'Median of those'),
    ],
    rows: shown.map((row): Shown[] => [
      row.name,
      { count: row.records },
      percentShown(row.middle, 2),
      row.low === null || row.high === null ? null : `${row.low.toPlaces(2)} – ${row.high.toPlaces(2)} %`,
      row.band === null ? null : `${row.band.low} – ${row.band.high} %`,
      { count: row.below },
      { count: row.within },
      { count: row.above },
      { count: row.byMinimum },
      percentShown(row.minimum, 2),
    ]),
    note: 'Broad bar: the published band. Narrow bar: nine records in ten. Line across: the median. Small purchases pay the published minimum fee, a large share of their value: they are not in the chart, and are counted apart. Below the band is a discount, not a break. Sales have no published band. A fee within one minor unit or a thousandth of a bound counts as at it.',
  });
}

import { Decimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import type { Figure, Shown, View } from '../../src/ports/html-view.ts';
import { count, counted } from '../../src/text/counts.ts';
import { classAmong, classesOf, decimalOf, figure, known, left, percentOf, percentShown, right } from './cells.ts';

/** Ends of the classes, in percent of the quoted fee. */
const EDGES = ['-10', '-5', '-1', '-0.1', '0.1', '1', '5', '10'];
const CLASSES = classesOf([
  ...['below −10 %', '−10 to −5 %', '−5 to −1 %', '−1 to −0.1 %'],
  'within ±0.1 %',
  ...['0.1 to 1 %', '1 to 5 %', '5 to 10 %', 'above 10 %'],
]);
const AS_QUOTED = 4;

interface CurrencyRow {
  compared: number;
  outside: number;
  quoted: Decimal;
  variance: Decimal;
  over: Decimal;
  under: Decimal;
}

/** How far the fees that users paid are from those they were quoted. */
export const feeVarianceView: View = {
  name: 'fee-variance',
  start: () => {
    const classes = CLASSES.map(() => 0);
    const currencies = new Map<string, CurrencyRow>();
    const edges = EDGES.map((edge) => Decimal.parse(edge));
    let uncompared = 0;
    return {
      rows: {
        fees: (cell) => {
          const quoted = decimalOf(cell('quoted_applied_fee'));
          const variance = decimalOf(cell('applied_fee_variance'));
          if (quoted === null || variance === null) {
            uncompared++;
            return;
          }
          const place = classOf(variance, quoted, edges);
          classes[place] = (classes[place] ?? 0) + 1;
          const isOutside = cell('within_tolerance') === 'false';
          add(entryOf(currencies, cell('fiat_currency'), none), quoted, variance, isOutside);
        },
      },
      sections: () => {
        const compared = classes.reduce((sum, each) => sum + each, 0);
        const asQuoted = classes[AS_QUOTED] ?? 0;
        const outside = [...currencies.values()].reduce((sum, each) => sum + each.outside, 0);
        const lead =
          compared === 0
            ? 'No record has a quote with a fee to compare with.'
            : `${count(asQuoted)} of ${counted(compared, 'record')} with a quoted fee were charged it to within 0.1 %; ${counted(outside, 'is', 'are')} outside the tolerance in force, in the whole fee or in a part of it. ${counted(uncompared, 'verified record has', 'verified records have')} no fee to compare.`;
        return {
          id: 'fees',
          title: 'Fees against quotes',
          lead,
          figures: compared === 0 ? [] : [distribution(classes, compared), byCurrency(currencies)],
        };
      },
    };
  },
};

const none = (): CurrencyRow => ({
  compared: 0,
  outside: 0,
  quoted: Decimal.ZERO,
  variance: Decimal.ZERO,
  over: Decimal.ZERO,
  under: Decimal.ZERO,
});

function add(row: CurrencyRow, quoted: Decimal, variance: Decimal, isOutside: boolean): void {
  row.compared++;
  if (isOutside) row.outside++;
  row.quoted = row.quoted.plus(quoted);
  row.variance = row.variance.plus(variance);
  if (variance.isNegative) row.under = row.under.plus(variance);
  else row.over = row.over.plus(variance);
}

/** Compared by multiplying out, so that nothing is rounded. Where nothing was quoted, any fee is above every class. */
function classOf(variance: Decimal, quoted: Decimal, edges: readonly Decimal[]): number {
  if (variance.isZero) return AS_QUOTED;
  const scaled = variance.times(Decimal.HUNDRED);
  return classAmong(edges, (edge) => scaled.compare(edge.times(quoted)));
}

function distribution(classes: readonly number[], compared: number): Figure {
  const others = CLASSES.map((each, i) => ({ ...each, count: classes[i] ?? 0 })).filter((_, i) => i !== AS_QUOTED);
  const differ = others.some(({ count }) => count > 0);
  return figure({
    title: 'Distribution of the applied fee’s variance',
    chart: differ
      ? {
          type: 'columns',
          unit: 'records',
          categories: others.map(({ title }) => title),
          tones: others.map(({ tone }) => tone),
          values: others.map(({ count }) => count),
        }
      : null,
    caption: 'Records by variance in percent of the quoted fee (actual − quoted)',
    columns: [...left('Variance'), ...right('Records', 'Share of compared')],
    rows: CLASSES.map(({ title }, i): Shown[] => [
      title,
      { count: classes[i] ?? 0 },
      {
        percent: Decimal.of(BigInt(classes[i] ?? 0) * 100n).dividedBy(Decimal.of(BigInt(compared)), 4),
        places: 2,
      },
    ]),
    ...(differ
      ? { note: 'Records within ±0.1 % are not drawn: next to them the others would be too small to see.' }
      : {}),
  });
}

function byCurrency(currencies: ReadonlyMap<string, CurrencyRow>): Figure {
  const rows = [...currencies].sort(([a, x], [b, y]) => y.compared - x.compared || (a < b ? -1 : 1));
  return figure({
    title: 'Totals by currency',
    caption: 'Fees quoted and the variances from them; over and under are charges above and below the quote',
    columns: [
      ...left('Currency'),
      ...right('Compared', 'Outside tolerance', 'Quoted fees', 'Over', 'Under', 'Net variance', 'Net, % of quoted'),
    ],
    rows: rows.map(([currency, row]): Shown[] => [
      known(currency),
      { count: row.compared },
      { count: row.outside },
      ...[row.quoted, row.over, row.under, row.variance].map((amount) => ({ amount, currency })),
      percentShown(percentOf(row.variance, row.quoted), 3),
    ]),
  });
}

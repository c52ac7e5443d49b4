import { addKnown, Decimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import type { Shown, View } from '../../src/ports/html-view.ts';
import { counted } from '../../src/text/counts.ts';
import { countOf, decimalOf, figure, known, left, money, percentOf, percentShown, right } from './cells.ts';

interface Sums {
  purchases: number;
  sales: number;
  volume: Decimal | null;
  cut: Decimal | null;
  withoutCut: number;
}

/** Currencies that the charts have room for; the tables have all. */
const DRAWN = 14;
/** Months of the table, the newest. */
const MONTHS = 12;

/** What went through, and the host's accrued share of it. */
export const volumeView: View = {
  name: 'volume',
  start: () => {
    const currencies = new Map<string, Sums>();
    const months = new Map<string, Sums>();
    return {
      rows: {
        host_revenue: (cell) => {
          const code = cell('fiat_currency');
          const month = `${cell('business_month')}\n${code}`;
          for (const sums of [entryOf(currencies, code, none), entryOf(months, month, none)]) {
            sums[cell('kind') === 'sale' ? 'sales' : 'purchases'] += countOf(cell('record_count'));
            sums.volume = addKnown(sums.volume, decimalOf(cell('fiat_value_total')));
            sums.cut = addKnown(sums.cut, decimalOf(cell('host_fee_cut_total')));
            sums.withoutCut += countOf(cell('records_without_host_fee_cut'));
          }
        },
      },
      sections: () => {
        const rows = [...currencies].sort(([a, x], [b, y]) => allOf(y) - allOf(x) || (a < b ? -1 : 1));
        const all = rows.reduce((sum, [, sums]) => sum + allOf(sums), 0);
        return {
          id: 'volume',
          title: 'Volume and host revenue',
          lead: `${counted(all, 'verified record')} in ${counted(rows.length, 'currency', 'currencies')}. Host revenue is an accrual: what the records themselves state as the host’s share. The Service has nothing that confirms it, and a record that states none adds nothing: what its linked quote promised is counted separately, by tieout revenue.`,
          figures: rows.length === 0 ? [] : [byCurrency(rows), share(rows), byMonth(months)],
        };
      },
    };
  },
};

const none = (): Sums => ({ purchases: 0, sales: 0, volume: null, cut: null, withoutCut: 0 });
const allOf = ({ purchases, sales }: Sums) => purchases + sales;

function byCurrency(rows: readonly (readonly [string, Sums])[]) {
  const drawn = rows.slice(0, DRAWN);
  return figure({
    title: 'Records and volume by currency',
    chart: {
      type: 'stacked',
      unit: 'records',
      categories: drawn.map(([code]) => code),
      series: [
        { name: 'purchases', tone: 'one', values: drawn.map(([, { purchases }]) => purchases) },
        { name: 'sales', tone: 'two', values: drawn.map(([, { sales }]) => sales) },
      ],
    },
    caption: 'Verified records and their fiat value, by currency; never added across currencies',
    columns: [...left('Currency'), ...right('Purchases', 'Sales', 'Volume')],
    rows: rows.map(([code, { purchases, sales, volume }]): Shown[] => [
      known(code),
      { count: purchases },
      { count: sales },
      money(volume, code),
    ]),
  });
}

function share(rows: readonly (readonly [string, Sums])[]) {
  const shareOf = ({ cut, volume }: Sums) => percentOf(cut, volume);
  const sizeOf = (sums: Sums) => shareOf(sums) ?? Decimal.ZERO;
  const drawn = rows
    .filter(([, { cut }]) => cut !== null)
    .slice(0, DRAWN)
    .toSorted(([, a], [, b]) => sizeOf(b).compare(sizeOf(a)));
  return figure({
    title: 'Host revenue, accrued',
    chart:
      drawn.length === 0
        ? null
        : {
            type: 'stacked',
            unit: 'host revenue in % of volume',
            categories: drawn.map(([code]) => code),
            series: [{ name: 'host revenue', tone: 'three', values: drawn.map(([, sums]) => shareOf(sums)) }],
          },
    caption: 'Host fee cuts that records state, by currency',
    columns: [...left('Currency'), ...right('Host revenue (accrual)', '% of volume', 'Records that state none')],
    rows: rows.map(([code, sums]): Shown[] => [
      known(code),
      money(sums.cut, code),
      percentShown(shareOf(sums), 3),
      { count: sums.withoutCut },
    ]),
  });
}

function byMonth(months: ReadonlyMap<string, Sums>) {
  const newest = [...new Set([...months.keys()].map((key) => key.split('\n')[0] ?? ''))].sort().slice(-MONTHS);
  const rows = [...months]
    .map(([key, sums]) => ({ month: key.split('\n')[0] ?? '', code: key.split('\n')[1] ?? '', sums }))
    .filter(({ month }) => newest.includes(month))
    .sort((a, b) => (a.month === b.month ? (a.code < b.code ? -1 : 1) : a.month < b.month ? 1 : -1));
  return figure({
    title: 'Host revenue by month of creation',
    caption: `By month in which the records were created, newest first, and currency${newest.length === MONTHS ? `; the last ${MONTHS} months` : ''}`,
    columns: [...left('Month', 'Currency'), ...right('Records', 'Volume', 'Host revenue (accrual)')],
    rows: rows.map(({ month, code, sums }): Shown[] => [
      known(month),
      known(code),
      { count: allOf(sums) },
      money(sums.volume, code),
      money(sums.cut, code),
    ]),
  });
}

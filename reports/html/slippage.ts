import { Decimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import type { Figure, Shown, Tone, View } from '../../src/ports/html-view.ts';
import { counted, decimalOf, left, many, right } from './cells.ts';

/** Ends of the classes, in percent of the quoted price; plus is against the user. The class in the middle is the zero line. */
const EDGES = ['-3', '-1', '-0.3', '-0.01', '0.01', '0.3', '1', '3'];
const CLASSES: readonly { title: string; tone: Tone }[] = [
  { title: 'over 3 % better', tone: 'three' },
  { title: '1 to 3 % better', tone: 'three' },
  { title: '0.3 to 1 % better', tone: 'three' },
  { title: 'up to 0.3 % better', tone: 'three' },
  { title: '0: as quoted', tone: 'good' },
  { title: 'up to 0.3 % worse', tone: 'two' },
  { title: '0.3 to 1 % worse', tone: 'two' },
  { title: '1 to 3 % worse', tone: 'two' },
  { title: 'over 3 % worse', tone: 'two' },
];

interface Cost {
  records: number;
  fee: Decimal;
  price: Decimal;
  amount: Decimal;
  residual: Decimal;
  total: Decimal;
}

const EFFECTS = ['fee', 'price', 'amount', 'residual', 'total'] as const;

/** How far executed prices lie from quoted ones beyond the market, and what that and the fees cost the users. */
export const slippageView: View = {
  name: 'slippage',
  start: () => {
    const edges = EDGES.map((edge) => Decimal.parse(edge));
    const assets = new Map<string, number[]>();
    const costs = new Map<string, Cost>();
    let withoutPrice = 0;
    return {
      open: (table, at) => {
        if (table !== 'slippage') return null;
        const [kind, asset, currency] = [at('kind'), at('asset_symbol'), at('fiat_currency')];
        const [created, date, unexplained] = [at('created_at'), at('business_date'), at('unexplained_percent')];
        const places = EFFECTS.map((name) => ({
          name,
          place: at(`${name}_effect`.replace('residual_effect', 'residual')),
        }));
        return (row) => {
          const move = decimalOf(row[unexplained]);
          if (move === null) {
            withoutPrice++;
            return;
          }
          const classes = entryOf(assets, row[asset] ?? '', () => CLASSES.map(() => 0));
          const place = classOf(row[kind] === 'sale' ? move.negated() : move, edges);
          classes[place] = (classes[place] ?? 0) + 1;
          const month = (row[created] || row[date] || '').slice(0, 7);
          const cost = entryOf(costs, `${month} ${row[currency] ?? ''}`, noCost);
          cost.records++;
          for (const { name, place: at } of places) cost[name] = cost[name].plus(decimalOf(row[at]) ?? Decimal.ZERO);
        };
      },
      sections: () => {
        const compared = [...costs.values()].reduce((sum, { records }) => sum + records, 0);
        const worse = [...assets.values()].reduce((sum, classes) => sum + sumOf(classes.slice(5)), 0);
        const better = [...assets.values()].reduce((sum, classes) => sum + sumOf(classes.slice(0, 4)), 0);
        const lead =
          compared === 0
            ? 'No finished record has a quote whose price could be compared.'
            : `Of ${counted(compared, 'record')} with a quoted price, ${many(worse)} ${worse === 1 ? 'was' : 'were'} executed at a worse one and ${many(better)} at a better one than the quote and the market explain. ${counted(withoutPrice, 'further record')} with a quote ${withoutPrice === 1 ? 'has' : 'have'} no fixed price yet.`;
        return [
          {
            id: 'slippage',
            title: 'Slippage',
            lead,
            figures: compared === 0 ? [] : [histogram(assets), byMonth(costs)],
          },
        ];
      },
    };
  },
};

const noCost = (): Cost => ({
  records: 0,
  fee: Decimal.ZERO,
  price: Decimal.ZERO,
  amount: Decimal.ZERO,
  residual: Decimal.ZERO,
  total: Decimal.ZERO,
});

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

/** An edge belongs to the class nearer to zero. */
function classOf(move: Decimal, edges: readonly Decimal[]): number {
  const place = edges.findIndex((edge) => (edge.isNegative ? move.lessThan(edge) : !move.greaterThan(edge)));
  return place === -1 ? edges.length : place;
}

function histogram(assets: ReadonlyMap<string, readonly number[]>): Figure {
  const rows = [...assets].sort(([a, x], [b, y]) => sumOf(y) - sumOf(x) || (a < b ? -1 : 1));
  const all = CLASSES.map((_, i) => sumOf(rows.map(([, classes]) => classes[i] ?? 0)));
  return {
    title: 'Moves of the price that the market does not explain',
    chart: {
      type: 'columns',
      unit: 'records',
      categories: CLASSES.map(({ title }) => title),
      tones: CLASSES.map(({ tone }) => tone),
      values: all,
    },
    table: {
      caption: 'Records by asset and by how far the executed price lies from the quoted one, for the user',
      columns: [{ title: 'Asset' }, ...CLASSES.map(({ title }) => ({ title, align: 'right' as const }))],
      rows: [...rows, ['All', all] as const].map(([asset, classes]): Shown[] => [
        asset === '' ? null : asset,
        ...classes.map((count) => ({ count })),
      ]),
    },
    note: 'Left of the zero line the user got a better price, right of it a worse one. On a fair market both sides are alike.',
  };
}

function byMonth(costs: ReadonlyMap<string, Cost>): Figure {
  const rows = [...costs].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    title: 'What execution cost the users, by month and currency',
    chart: null,
    table: {
      caption: 'Against the quotes; plus is the users’ loss. The four effects add up to the total',
      columns: [...left('Month'), ...right('Records', 'Fees', 'Price', 'Another amount', 'Unexplained', 'Total')],
      rows: rows.map(([key, cost]): Shown[] => {
        const [month, currency = ''] = key.split(' ');
        return [
          `${month} ${currency}`,
          { count: cost.records },
          ...EFFECTS.map((name) => ({ amount: cost[name], currency })),
        ];
      }),
    },
  };
}

import { Decimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import type { Figure, Shown, View } from '../../src/ports/html-view.ts';
import { count, counted } from '../../src/text/counts.ts';
import { classAmong, classesOf, decimalOf, figure, known, left, right } from './cells.ts';

/** Ends of the classes, in percent of the quoted price; plus is against the user. The class in the middle is the zero line. */
const EDGES = ['-3', '-1', '-0.3', '-0.01', '0.01', '0.3', '1', '3'];
const CLASSES = classesOf([
  ...['over 3 % better', '1 to 3 % better', '0.3 to 1 % better', 'up to 0.3 % better'],
  '0: as quoted',
  ...['up to 0.3 % worse', '0.3 to 1 % worse', '1 to 3 % worse', 'over 3 % worse'],
]);

const EFFECTS = ['fee_effect', 'price_effect', 'amount_effect', 'residual', 'total_effect'] as const;

interface Cost {
  records: number;
  /** In the order of EFFECTS. */
  effects: Decimal[];
}

/** How far executed prices lie from quoted ones beyond the market, and what that and the fees cost the users. */
export const slippageView: View = {
  name: 'slippage',
  start: () => {
    const edges = EDGES.map((edge) => Decimal.parse(edge));
    const assets = new Map<string, number[]>();
    const costs = new Map<string, Cost>();
    let withoutPrice = 0;
    return {
      rows: {
        slippage: (cell) => {
          const move = decimalOf(cell('unexplained_percent'));
          if (move === null) {
            withoutPrice++;
            return;
          }
          const against = cell('kind') === 'sale' ? move.negated() : move;
          const classes = entryOf(assets, cell('asset_symbol'), () => CLASSES.map(() => 0));
          const place = classAmong(edges, (edge) => against.compare(edge));
          classes[place] = (classes[place] ?? 0) + 1;
          const month = (cell('created_at') || cell('business_date')).slice(0, 7);
          const cost = entryOf(costs, `${month} ${cell('fiat_currency')}`, noCost);
          cost.records++;
          cost.effects = EFFECTS.map((name, i) =>
            (cost.effects[i] ?? Decimal.ZERO).plus(decimalOf(cell(name)) ?? Decimal.ZERO),
          );
        },
      },
      sections: () => {
        const compared = [...costs.values()].reduce((sum, { records }) => sum + records, 0);
        const worse = [...assets.values()].reduce((sum, classes) => sum + sumOf(classes.slice(5)), 0);
        const better = [...assets.values()].reduce((sum, classes) => sum + sumOf(classes.slice(0, 4)), 0);
        const lead =
          compared === 0
            ? 'No finished record has a quote whose price could be compared.'
            : `Of ${counted(compared, 'record')} with a quoted price, ${counted(worse, 'was', 'were')} executed at a worse one and ${count(better)} at a better one than the quote and the market explain. ${counted(withoutPrice, 'further record with a quote has', 'further records with a quote have')} no fixed price yet.`;
        return {
          id: 'slippage',
          title: 'Slippage',
          lead,
          figures: compared === 0 ? [] : [histogram(assets), byMonth(costs)],
        };
      },
    };
  },
};

const noCost = (): Cost => ({ records: 0, effects: EFFECTS.map(() => Decimal.ZERO) });

const sumOf = (counts: readonly number[]) => counts.reduce((sum, each) => sum + each, 0);

function histogram(assets: ReadonlyMap<string, readonly number[]>): Figure {
  const rows = [...assets].sort(([a, x], [b, y]) => sumOf(y) - sumOf(x) || (a < b ? -1 : 1));
  const all = CLASSES.map((_, i) => sumOf(rows.map(([, classes]) => classes[i] ?? 0)));
  return figure({
    title: 'Moves of the price that the market does not explain',
    chart: {
      type: 'columns',
      unit: 'records',
      categories: CLASSES.map(({ title }) => title),
      tones: CLASSES.map(({ tone }) => tone),
      values: all,
    },
    caption: 'Records by asset and by how far the executed price lies from the quoted one, for the user',
    columns: [...left('Asset'), ...right(...CLASSES.map(({ title }) => title))],
    rows: [...rows, ['All', all] as const].map(([asset, classes]): Shown[] => [
      known(asset),
      ...classes.map((each) => ({ count: each })),
    ]),
    note: 'Left of the zero line the user got a better price, right of it a worse one. On a fair market both sides are alike.',
  });
}

function byMonth(costs: ReadonlyMap<string, Cost>): Figure {
  const rows = [...costs].sort(([a], [b]) => (a < b ? -1 : 1));
  return figure({
    title: 'What execution cost the users, by month and currency',
    caption: 'Against the quotes; plus is the users’ loss. The four effects add up to the total',
    columns: [...left('Month'), ...right('Records', 'Fees', 'Price', 'Another amount', 'Unexplained', 'Total')],
    rows: rows.map(([key, cost]): Shown[] => {
      const [month, currency = ''] = key.split(' ');
      return [`${month} ${currency}`, { count: cost.records }, ...cost.effects.map((amount) => ({ amount, currency }))];
    }),
  });
}

/** The tables of a month-end pack and the sections of its page, in their order. */
import { Decimal } from '../../src/domain/decimal.ts';
import type { CellOf, Shown, View } from '../../src/ports/html-view.ts';
import type { Column, ReportDefinition } from '../../src/ports/report-definition.ts';
import { figure } from '../html/cells.ts';
import { payoutLines } from '../payout-lines.ts';
import { payouts } from '../payouts.ts';
import { revenueLegs } from '../revenue-legs.ts';
import { revenueReconciliation } from '../revenue-reconciliation.ts';
import { hostBridge, journal, movement, notVerified, signOff } from './tables.ts';

export { hostBridge, journal, movement, notVerified, signOff } from './tables.ts';

/** Rows that the page shows of a table; the CSV file has all of them. */
const SHOWN = 1000;

/** A section with one table of the pack. */
function packView<Row>(definition: ReportDefinition<Row>, title: string, lead: string): View {
  const { columns } = definition;
  return {
    name: definition.name,
    start: () => {
      const rows: Shown[][] = [];
      let all = 0;
      return {
        rows: {
          [definition.name]: (cell) => {
            if (++all <= SHOWN) rows.push(columns.map((column) => shown(column, cell)));
          },
        },
        printsRows: true,
        sections: () => ({
          id: definition.name,
          title,
          lead: all === 0 ? `${lead} There is none.` : lead,
          figures: [
            figure({
              title,
              caption:
                all > SHOWN
                  ? `The first ${SHOWN} of ${all}; ${definition.name}.csv has all of them`
                  : definition.description,
              columns: columns.map(({ name, type }) => ({
                title: titleOf(name),
                ...(type === 'amount' || type === 'count' ? { align: 'right' as const } : {}),
              })),
              rows,
            }),
          ],
        }),
      };
    },
  };
}

/** `record_count` → `Record count` */
function titleOf(column: string): string {
  return `${column.charAt(0).toUpperCase()}${column.slice(1).replaceAll('_', ' ')}`;
}

function shown<Row>(column: Column<Row>, cellOf: CellOf): Shown {
  const cell = cellOf(column.name);
  if (cell === '') return null;
  if (column.type === 'count') return { count: Number.parseInt(cell, 10) };
  if (column.type === 'amount') return { amount: Decimal.parse(cell), currency: cellOf(column.currencyColumn) };
  if (column.type === 'instant') return `${cell.slice(0, 10)} ${cell.slice(11, 16)} UTC`;
  return column.type === 'id' ? { code: cell } : cell;
}

export const PACK_VIEWS: readonly View[] = [
  packView(signOff, 'Sign-offs', 'Who closed the month, what was accepted as open, and who reviewed it.'),
  packView(
    movement,
    'Movement of open breaks',
    'Opening + new − resolved − waived = closing, by code and currency, in breaks and in money at stake. Opening is what the close before left.',
  ),
  packView(
    hostBridge,
    'Host share, step by step',
    'From what all records of the month state to what is expected and booked. An accrual: the payout statement confirms it.',
  ),
  packView(journal, 'Journal', 'What is booked for the month, from the sealed set alone.'),
  packView(
    notVerified,
    'Records that were not verified',
    'By name: never looked at, not readable, or not at their end when the month was closed.',
  ),
];

/** Where the nights of the month knew of payments. */
export const REVENUE_VIEWS: readonly View[] = [
  packView(
    revenueLegs.definition,
    'Host revenue: accrued, paid, posted',
    'The month in three legs, as the last night before the close knew it. A month is paid after its end: its payment may be in a later pack.',
  ),
  packView(
    revenueReconciliation.definition,
    'Host revenue: the reconciliation',
    'Opening + earned − paid + clawback + exchange = closing, by currency, aged by the month in which it was earned, and held against the books.',
  ),
  packView(payouts.definition, 'Payments of the host revenue', 'Those that pay this month.'),
  packView(
    payoutLines.definition,
    'Lines of the partner',
    'Every difference is in one bucket; the buckets come to it.',
  ),
];

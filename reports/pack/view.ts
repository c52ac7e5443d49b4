/** The page of a month-end pack: each table whole, amounts to the places of their currency. */
import { Decimal } from '../../src/domain/decimal.ts';
import type { Shown, View } from '../../src/ports/html-view.ts';
import type { Column, ReportDefinition } from '../../src/ports/report-definition.ts';

/** Rows that the page shows of a table; the CSV file has all of them. */
const SHOWN = 1000;

/** A section with one table of the pack. */
export function packView(definition: ReportDefinition<never>, title: string, lead: string): View {
  const columns: readonly Column<never>[] = definition.columns;
  return {
    name: definition.name,
    start: () => {
      const rows: Shown[][] = [];
      let all = 0;
      return {
        open: (table) => {
          if (table !== definition.name) return null;
          const currencyAt = new Map(columns.map((column) => [column.name, columns.findIndex(isCurrencyOf(column))]));
          return (cells) => {
            if (++all > SHOWN) return;
            rows.push(
              columns.map((column, i) => shown(column, cells[i] ?? '', cells[currencyAt.get(column.name) ?? -1])),
            );
          };
        },
        sections: () => [
          {
            id: definition.name,
            title,
            lead: all === 0 ? `${lead} There is none.` : lead,
            figures: [
              {
                title,
                chart: null,
                table: {
                  caption:
                    all > SHOWN
                      ? `The first ${SHOWN} of ${all}; ${definition.file} has all of them`
                      : definition.description,
                  columns: columns.map(({ name, type }) => ({
                    title: titleOf(name),
                    ...(type === 'amount' || type === 'count' ? { align: 'right' as const } : {}),
                  })),
                  rows,
                },
              },
            ],
          },
        ],
      };
    },
  };
}

/** `record_count` → `Record count` */
function titleOf(column: string): string {
  return `${column.charAt(0).toUpperCase()}${column.slice(1).replaceAll('_', ' ')}`;
}

const isCurrencyOf = (column: Column<never>) => (other: Column<never>) =>
  column.type === 'amount' && other.name === column.currencyColumn;

function shown({ type }: Column<never>, cell: string, currency: string | undefined): Shown {
  if (cell === '') return null;
  if (type === 'count') return { count: Number.parseInt(cell, 10) };
  if (type === 'amount') return { amount: Decimal.parse(cell), currency: currency ?? '' };
  if (type === 'instant') return `${cell.slice(0, 10)} ${cell.slice(11, 16)} UTC`;
  return type === 'id' ? { code: cell } : cell;
}

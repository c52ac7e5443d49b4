/** The page of a month-end pack: each table whole, amounts to the places of their currency. */
import { Decimal } from '../../src/domain/decimal.ts';
import type { CellOf, Shown, View } from '../../src/ports/html-view.ts';
import type { Column, ReportDefinition } from '../../src/ports/report-definition.ts';
import { figure } from '../html/cells.ts';

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
        rows: {
          [definition.name]: (cell) => {
            if (++all <= SHOWN) rows.push(columns.map((column) => shown(column, cell)));
          },
        },
        sections: () => [
          {
            id: definition.name,
            title,
            lead: all === 0 ? `${lead} There is none.` : lead,
            figures: [
              figure({
                title,
                caption:
                  all > SHOWN
                    ? `The first ${SHOWN} of ${all}; ${definition.file} has all of them`
                    : definition.description,
                columns: columns.map(({ name, type }) => ({
                  title: titleOf(name),
                  ...(type === 'amount' || type === 'count' ? { align: 'right' as const } : {}),
                })),
                rows,
              }),
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

function shown(column: Column<never>, cellOf: CellOf): Shown {
  const cell = cellOf(column.name);
  if (cell === '') return null;
  if (column.type === 'count') return { count: Number.parseInt(cell, 10) };
  if (column.type === 'amount') return { amount: Decimal.parse(cell), currency: cellOf(column.currencyColumn) };
  if (column.type === 'instant') return `${cell.slice(0, 10)} ${cell.slice(11, 16)} UTC`;
  return column.type === 'id' ? { code: cell } : cell;
}

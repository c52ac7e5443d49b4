/** The tables that a night has of payments, for a command that publishes no set. */
import { REVENUE_REPORTS } from '../../reports/index.ts';
import { isoInstant } from '../domain/record.ts';
import type { Column } from '../ports/report-definition.ts';
import type { Report, SettledRevenue } from '../ports/settled.ts';
import { harmless } from '../text/visible.ts';

/** Of the legs: their finding and its day, which the command prints separately. */
const LEFT_OUT: readonly string[] = ['due_date', 'finding'];

/** By the name of the table: cells in the order of the columns; amounts exact, null where it is unknown. */
export function revenueTables(known: SettledRevenue) {
  return Object.fromEntries(REVENUE_REPORTS.map((each) => [each.definition.name, tableOf(each, known)]));
}

function tableOf({ definition, start }: Report, known: SettledRevenue) {
  const isIn = ({ name }: { name: string }) => !LEFT_OUT.includes(name);
  const rows: (string | null)[][] = [];
  const feed = start(known.run, {
    open: ({ columns }) => ({
      write: (batch) => {
        for (const row of batch) rows.push(columns.filter(isIn).map((column) => textOf(column, row)));
      },
    }),
  });
  feed.revenue?.(known);
  return { columns: definition.columns.filter(isIn).map(({ name }) => name), rows };
}

function textOf<Row>(column: Column<Row>, row: Row): string | null {
  if (column.type === 'instant') {
    const at = column.value(row);
    return at === null ? null : isoInstant(at);
  }
  const value = column.value(row);
  if (value === null) return null;
  return column.type === 'text' ? harmless(String(value)) : String(value);
}

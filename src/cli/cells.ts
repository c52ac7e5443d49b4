/** Tables that commands write as CSV and as JSON: each column by its name, and what it says of a row. */
import { csvText } from '../text/csv-text.ts';
import { harmless } from '../text/visible.ts';

export type Cells<Row> = Readonly<Record<string, (row: Row) => unknown>>;

export function cellsOf<Row>(columns: Cells<Row>, row: Row): Record<string, unknown> {
  return Object.fromEntries(Object.entries(columns).map(([name, cell]) => [name, cell(row)]));
}

/** The header is written even without rows; unknown is empty, never 0. */
export function csvOf<Row>(columns: Cells<Row>, rows: readonly Row[]): string {
  const lines = rows.map((row) => Object.values(columns).map((cell) => harmless(String(cell(row) ?? ''))));
  return csvText([Object.keys(columns), ...lines]);
}

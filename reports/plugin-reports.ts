/** Reports of plugins. Rows of a record for which one throws, or answers nonsense, are left out, and the set says so by name. */

import { Decimal } from '../src/domain/decimal.ts';
import { boundedCalls, frozen, handled, thrownText, whyNoList } from '../src/domain/foreign-code.ts';
import { listedReasons } from '../src/domain/not-judged.ts';
import type { Column, ReportDefinition } from '../src/ports/report-definition.ts';
import type { Report, RunFacts, SettledRecord } from '../src/ports/settled.ts';
import { counted } from '../src/text/counts.ts';

/** A report of a plugin: its columns, and the rows that each record of the run gives. */
export interface PluginReport<Row> extends Omit<ReportDefinition<Row>, 'notes'> {
  rows(record: SettledRecord, run: RunFacts): readonly Row[];
}

type Cell = string | number | boolean | Decimal | null;
type Cells = readonly Cell[];
type Definition = ReportDefinition<never>;

const NAME = /^[a-z][a-z0-9_]{0,40}$/;
/** What a cell of a spreadsheet holds. */
const LONGEST = 32_767;

const IS: Readonly<Record<Column<never>['type'], readonly [(value: Cell) => boolean, string]>> = {
  text: [isText, `a text of at most ${LONGEST} characters`],
  id: [isText, `a text of at most ${LONGEST} characters`],
  date: [(value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value), 'a text such as 2026-11-20'],
  units: [(value) => typeof value === 'string' && /^-?\d+$/.test(value), 'a text of digits'],
  instant: [(value) => Number.isSafeInteger(value), 'a number of milliseconds'],
  percent: [(value) => value instanceof Decimal, 'a Decimal'],
  amount: [(value) => value instanceof Decimal, 'a Decimal'],
  count: [(value) => Number.isSafeInteger(value), 'a whole number'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
};

function isText(value: Cell): boolean {
  return typeof value === 'string' && value.length <= LONGEST;
}

/** What is wrong with a report of a plugin, or null. @param taken names of other reports */
export function reportProblem(report: unknown, taken: ReadonlySet<string>): string | null {
  if (typeof report !== 'object' || report === null) return 'is not an object';
  const { name, description, columns, rows } = report as Partial<Record<keyof PluginReport<never>, unknown>>;
  if (typeof name !== 'string' || !NAME.test(name)) return 'has no name such as our_report';
  if (taken.has(name)) return `has the name ${name}, which is another report's`;
  if (typeof description !== 'string' || description === '') return `${name}: description must be a text`;
  if (typeof rows !== 'function') return `${name}: rows must be a function`;
  if (!Array.isArray(columns) || columns.length === 0) return `${name}: columns is a list of columns`;
  const seen = new Set<string>();
  for (const column of columns as readonly Partial<Column<never> & { currencyColumn: unknown }>[]) {
    const what = `${name}: the column ${String(column?.name)}`;
    if (typeof column?.name !== 'string' || !NAME.test(column.name)) return `${what} has no name such as our_column`;
    if (seen.has(column.name)) return `${what} is there twice`;
    seen.add(column.name);
    if (column.type === undefined || !Object.hasOwn(IS, column.type))
      return `${what} has the type ${String(column.type)}; allowed: ${Object.keys(IS).join(', ')}`;
    if (typeof column.description !== 'string' || column.description === '') return `${what} has no description`;
    if (typeof column.value !== 'function') return `${what} has no function value`;
    const currency = columns.find((each) => each?.name === column.currencyColumn)?.type;
    if (column.type === 'amount' && currency !== 'text' && currency !== 'id')
      return `${what} names no text column with its currency in currencyColumn`;
  }
  return null;
}

let inUse: readonly Report[] = [];

export const pluginReports = (): readonly Report[] => inUse;

/** Puts the reports of all plugins in place of those of before. @param plugins each with a name, and reports without a problem */
export function usePluginReports(plugins: readonly { name: string; reports: readonly PluginReport<never>[] }[]): void {
  inUse = plugins.flatMap(({ name, reports }) => reports.map((report) => guarded(name, report)));
}

function guarded(plugin: string, report: PluginReport<never>): Report {
  const columns = report.columns.map((column, at) => ({ ...column, value: (cells: Cells) => cells[at] ?? null }));
  const definition = { ...report, columns } as unknown as Definition;
  return {
    definition,
    start: (run, opener) => {
      const bounded = boundedCalls();
      const sink = opener.open(definition as unknown as ReportDefinition<Cells>);
      const failures = new Map<string, number>();
      const add = (why: string, records: number) => failures.set(why, (failures.get(why) ?? 0) + records);
      return {
        record: (record) => {
          let rows: readonly Cells[];
          try {
            rows = bounded(() => cellsOf(report, report.rows(frozen(record), frozen(run))));
          } catch (error) {
            add(thrownText(error), 1);
            return;
          }
          if (rows.length > 0) sink.write(rows);
        },
        outside: () => undefined,
        partial: () => failures,
        absorb: (partial) => {
          for (const [why, records] of partial as ReadonlyMap<string, number>) add(why, records);
        },
        end: () => undefined,
        problems: () =>
          listedReasons(failures).map(
            ([why, records]) =>
              `the plugin ${plugin} failed: ${report.name}.csv leaves out ${counted(records, 'record', 'records')}: ${why}`,
          ),
      };
    },
  };
}

/** @throws Error for what is no row, or no value of its column */
function cellsOf({ columns }: PluginReport<never>, rows: unknown): readonly Cells[] {
  if (!Array.isArray(rows)) throw new Error(whyNoList(rows, 'rows'));
  // An async map gives a list of promises, and each needs its handler.
  if (rows.filter((row) => handled(row) instanceof Promise).length > 0) throw new Error('a row is a promise');
  return (rows as readonly unknown[] as readonly never[]).map((row) => {
    const cells = columns.map((column) => {
      const value: Cell = handled(column.value(row)) ?? null;
      const [isRight, what] = IS[column.type];
      if (value !== null && !isRight(value)) throw new Error(`${column.name} is not ${what}`);
      return value;
    });
    for (const [at, column] of columns.entries()) {
      if (column.type !== 'amount' || cells[at] === null) continue;
      const currency = columns.findIndex(({ name }) => name === column.currencyColumn);
      if (cells[currency] === null) throw new Error(`${column.name} has no currency in ${column.currencyColumn}`);
    }
    return cells;
  });
}

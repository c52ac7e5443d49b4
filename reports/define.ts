/** Makes a report of a definition and a collector. */
import type { Decimal } from '../src/domain/decimal.ts';
import { addPartial, reviveDecimals } from '../src/domain/partial-sums.ts';
import { columnsOf } from '../src/ports/report-columns.ts';
import type { Column, FileOpener, ReportDefinition } from '../src/ports/report-definition.ts';
import type { OutsideBreak, Report, RunFacts, SettledRecord, SettledRevenue } from '../src/ports/settled.ts';

export { columnsOf } from '../src/ports/report-columns.ts';

/** The first columns of a run's report. @param run what `run_id` says. */
export function runColumns(run = 'id of the run'): readonly Column<{ run: RunFacts }>[] {
  const { id, date } = columnsOf<{ run: RunFacts }>();
  return [
    id('run_id', (row) => row.run.runId, { description: run }),
    date('business_date', (row) => row.run.businessDate, 'the business date: the day that the run is for'),
  ];
}

const ofRecord = columnsOf<Pick<SettledRecord, 'kind' | 'recordId'>>();

export const KIND = ofRecord.text('kind', ({ kind }) => kind, '`purchase` or `sale`');
export const RECORD_ID = ofRecord.id('record_id', ({ recordId }) => recordId, {
  description: 'id of the record at the Service',
});
export const hostReference = <Row>(of: (row: Row) => string | null): Column<Row> =>
  columnsOf<Row>().text('host_reference', of, {
    description: "the app's own reference of the record, for example an order number",
    empty: 'the app gave none',
  });
export const HOST_REFERENCE = hostReference(({ tracked }: Pick<SettledRecord, 'tracked'>) => tracked.hostReference);

/** The first columns of what is listed by month and currency. @param what whose month it is */
export function monthlyColumns(what: string): readonly Column<{ month: string; currency: string }>[] {
  const { text } = columnsOf<{ month: string; currency: string }>();
  return [
    text('business_month', ({ month }) => month, { description: what, unit: '`2026-10`' }),
    text('currency', ({ currency }) => currency, {
      description: 'currency of all amounts in the row',
      unit: 'ISO code',
    }),
  ];
}

/** How settled records become rows. Reports that add up keep their sums in it; the others pass rows straight through. */
interface RowCollector<Row> {
  /** Rows to write now. Records come in report order, so rows need no sorting. */
  record?: (record: SettledRecord) => readonly Row[];
  outside?: (each: OutsideBreak) => readonly Row[];
  revenue?: (known: SettledRevenue) => readonly Row[];
  /** Sums that become rows at the end, in their order. */
  groups?: { partial: () => unknown; absorb: (partial: never) => void; sorted: () => readonly Row[] };
}

export function defineReport<Row>(report: {
  definition: ReportDefinition<Row>;
  collect: (run: RunFacts) => RowCollector<Row>;
}): Report {
  return {
    definition: report.definition,
    start: (run: RunFacts, opener: FileOpener) => {
      const collector = report.collect(run);
      const file = opener.open(report.definition);
      const write = (rows: readonly Row[]) => {
        if (rows.length > 0) file.write(rows);
      };
      return {
        record: (record) => write(collector.record?.(record) ?? []),
        outside: (each) => write(collector.outside?.(each) ?? []),
        revenue: (known) => write(collector.revenue?.(known) ?? []),
        partial: () => collector.groups?.partial() ?? null,
        absorb: (partial) => collector.groups?.absorb(partial as never),
        end: () => write(collector.groups?.sorted() ?? []),
      };
    },
  };
}

/** A row of a report that adds up: its cells, in the order of the columns. */
type Cells = (string | number | Decimal | null)[];

/**
 * A report that adds up. Its columns say what one item has in them: counts and amounts are summed, an unknown amount
 * adding nothing, and the texts of all other columns name the group, which is one row.
 */
export function defineSums<Item>(report: {
  definition: ReportDefinition<Item>;
  items: (run: RunFacts) => Pick<RowCollector<Item>, 'record' | 'outside'>;
}): Report {
  const columns = report.definition.columns.map((column, i) => ({ ...column, value: (row: Cells) => row[i] ?? null }));
  return defineReport<Cells>({
    definition: { ...report.definition, columns: columns as Column<Cells>[] },
    collect: (run) => {
      const groups = groupsOf(report.definition.columns);
      const { record, outside } = report.items(run);
      return {
        record: (each) => groups.add(record?.(each)),
        outside: (each) => groups.add(outside?.(each)),
        groups,
      };
    },
  });
}

function groupsOf<Item>(columns: readonly Column<Item>[]) {
  const isSum = columns.map(({ type }) => type === 'count' || type === 'amount');
  const rows = new Map<string, Cells>();
  const sum = (key: string, cells: Cells) => {
    const row = rows.get(key);
    if (row === undefined) rows.set(key, cells);
    else for (const [i, cell] of cells.entries()) if (isSum[i]) row[i] = addPartial(row[i] ?? null, cell);
  };
  return {
    /** No row is ready before the end. */
    add(items: readonly Item[] = []): readonly never[] {
      for (const item of items) {
        const cells = columns.map(({ value }) => value(item) as Cells[number]);
        const names = cells.filter((_, i) => !isSum[i]);
        // A separator that no cell can hold keeps ("a", "bc") and ("ab", "c") apart. An empty cell sorts first.
        sum(names.map((name) => name ?? '').join('\u0000'), cells);
      }
      return [];
    },
    /** For another thread's groups; copied on the way, so that decimals arrive without their class. */
    partial: () => rows,
    absorb(partial: ReadonlyMap<string, Cells>): void {
      for (const [key, cells] of reviveDecimals(partial)) sum(key, cells);
    },
    sorted: () => [...rows].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row),
  };
}

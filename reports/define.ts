/** Makes a report of a definition and a collector. */
import type { FileOpener, ReportDefinition } from '../src/ports/report-definition.ts';
import type { OutsideBreak, Report, RunFacts, SettledRecord } from '../src/ports/settled.ts';

/** How settled records become rows. Reports that add up keep their sums in it; the others pass rows straight through. */
export interface RowCollector<Row> {
  /** Rows to write now. Records come in report order, so rows need no sorting. */
  record: (record: SettledRecord) => readonly Row[];
  outside?: (each: OutsideBreak) => readonly Row[];
  /** Rows that only the end can tell. */
  end?: () => readonly Row[];
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
        record: (record) => write(collector.record(record)),
        outside: (each) => write(collector.outside?.(each) ?? []),
        end: () => write(collector.end?.() ?? []),
      };
    },
  };
}

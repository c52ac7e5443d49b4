/** A report's rows from settled records, as a test reads them: column name → value as text, unknown as null. */
import { NO_FIGURES } from '../../../src/domain/case.ts';
import type { ReportDefinition } from '../../../src/ports/report-definition.ts';
import type { Report, SettledRecord } from '../../../src/ports/settled.ts';
import { aCase, type CaseOverrides } from '../../support/builders.ts';

const RUN = { runId: 'nightly-2026-11-20-r1', businessDate: '2026-11-20', timezone: 'Europe/Berlin' };

/** A record of tonight: verified, matched, without a break. What it states is in `state`, as `aPurchase` makes it. */
export function aSettledRecord(overrides: CaseOverrides = {}): SettledRecord {
  const judged = aCase(overrides);
  const { observation } = judged;
  return {
    ...judged,
    run: RUN,
    attempts: 1,
    state: observation.outcome === 'verified' ? observation.snapshot.state : null,
    ...NO_FIGURES,
    moved: 'yes',
    businessMonth: null,
    revenue: null,
    findings: [],
    notApplicable: [],
    notJudged: [],
    verdict: 'matched',
    breaks: [],
    openBreaks: 0,
    events: [],
    statusChanges: [],
  };
}

export function rowsOf(report: Report, records: readonly SettledRecord[]): Record<string, string | null>[] {
  const rows: Record<string, string | null>[] = [];
  const feed = report.start(RUN, {
    open: <Row>({ columns }: ReportDefinition<Row>) => ({
      write: (written: readonly Row[]) => {
        for (const row of written) {
          const cells = columns.map((column): [string, string | null] => [
            column.name,
            column.value(row)?.toString() ?? null,
          ]);
          rows.push(Object.fromEntries(cells));
        }
      },
    }),
  });
  for (const record of records) feed.record(record);
  feed.end();
  return rows;
}

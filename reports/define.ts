/** Makes a report of a definition and a collector. */

import { addPartial, reviveDecimals } from '../src/domain/partial-sums.ts';
import type { FileOpener, ReportDefinition } from '../src/ports/report-definition.ts';
import type { OutsideBreak, Report, RunFacts, SettledRecord, SettledRevenue } from '../src/ports/settled.ts';

export { addKnown } from '../src/domain/decimal.ts';

/** How settled records become rows. Reports that add up keep their sums in it; the others pass rows straight through. */
interface RowCollector<Row> {
  /** Rows to write now. Records come in report order, so rows need no sorting. */
  record?: (record: SettledRecord) => readonly Row[];
  outside?: (each: OutsideBreak) => readonly Row[];
  revenue?: (known: SettledRevenue) => readonly Row[];
  /** Sums that become rows at the end, in their order. */
  groups?: Groups<Row>;
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
        absorb: (partial) => collector.groups?.absorb(partial as ReadonlyMap<string, Row>),
        end: () => write(collector.groups?.sorted() ?? []),
      };
    },
  };
}

/** Groups by the texts of a key, in their order; null sorts first, as an empty cell does. */
export class Groups<Group> {
  private readonly groups = new Map<string, Group>();
  private readonly create: (key: readonly (string | null)[]) => Group;

  constructor(create: (key: readonly (string | null)[]) => Group) {
    this.create = create;
  }

  of(key: readonly (string | null)[]): Group {
    // A separator that no cell can hold keeps ("a", "bc") and ("ab", "c") apart.
    const joined = key.map((part) => part ?? '').join('\u0000');
    let group = this.groups.get(joined);
    if (group === undefined) {
      group = this.create(key);
      this.groups.set(joined, group);
    }
    return group;
  }

  /** For another thread's groups; copied on the way, so that decimals arrive without their class. */
  partial(): ReadonlyMap<string, Group> {
    return this.groups;
  }

  absorb(partial: ReadonlyMap<string, Group>): void {
    for (const [key, part] of reviveDecimals(partial)) {
      const whole = this.groups.get(key);
      this.groups.set(key, whole === undefined ? part : addPartial(whole, part));
    }
  }

  sorted(): readonly Group[] {
    return [...this.groups].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, group]) => group);
  }
}

/** Drives the collectors of a run's reports through its pages. A thread that renders a range loads this and no publication. */
import { type Break, isOnRecord } from '../domain/break.ts';
import { TieoutError } from '../domain/errors.ts';
import type { FileOpener } from '../ports/report-definition.ts';
import { RecordNotPrintedError } from '../ports/report-set.ts';
import type { JudgedPage, OutsideBreak, Report, ReportFeed, RunFacts, SettledRecord } from '../ports/settled.ts';

export class ReportRows {
  private readonly feeds: readonly ReportFeed[];

  constructor(reports: readonly Report[], run: RunFacts, opener: FileOpener) {
    this.feeds = reports.map((report) => report.start(run, opener));
  }

  write(page: Pick<JudgedPage, 'outside' | 'revenue'> & { records: readonly SettledRecord[] }): void {
    const { revenue } = page;
    if (revenue !== undefined) for (const feed of this.feeds) feed.revenue?.(revenue);
    // Breaks of records outside the run belong between the records, so both are walked in one order.
    let next = 0;
    for (const record of page.records) {
      for (; next < page.outside.length; next++) {
        const each = page.outside[next];
        if (each === undefined) break;
        const isBefore = each.kind === record.kind ? each.recordId < record.recordId : each.kind < record.kind;
        if (!isBefore) break;
        this.writeOutside(each);
      }
      this.writeRecord(record);
    }
    for (const each of page.outside.slice(next)) this.writeOutside(each);
  }

  private writeRecord(record: SettledRecord): void {
    try {
      for (const feed of this.feeds) feed.record(record);
    } catch (error) {
      throw named(record, error);
    }
  }

  private writeOutside(each: OutsideBreak): void {
    try {
      for (const feed of this.feeds) feed.outside(each);
    } catch (error) {
      throw named(each, error);
    }
  }

  /** Per report, its sums so far. */
  partial(): readonly unknown[] {
    return this.feeds.map((feed) => feed.partial());
  }

  absorb(partial: readonly unknown[]): void {
    for (const [i, feed] of this.feeds.entries()) feed.absorb(partial[i]);
  }

  end(): void {
    for (const feed of this.feeds) feed.end();
  }

  /** Of reports of plugins, after `end`. */
  problems(): readonly string[] {
    return this.feeds.flatMap((feed) => feed.problems?.() ?? []);
  }
}

/** Errors of the file system and our own are about the set, all others about what the record holds. */
function named({ kind, recordId }: Pick<Break, 'kind' | 'recordId'>, error: unknown): unknown {
  if (error instanceof TieoutError || (error instanceof Error && 'code' in error)) return error;
  return isOnRecord(kind) ? new RecordNotPrintedError({ kind, recordId }, error) : error;
}

/**
 * The judged records of a run, part after part in report order. A part is a page that was judged here, or a range that another
 * thread judged and rendered; both add the same counts, break events and rows.
 */
import { reviveDecimals } from '../domain/partial-sums.ts';
import type { RenderedRange, ReportSink } from '../ports/report-set.ts';
import type { JudgedPage, Tally } from '../ports/settled.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { type JudgeStore, judge, type RecordRange } from './judge.ts';
import type { ThawedRun } from './run-book.ts';
import type { TryPrinting } from './set-aside.ts';
import { addTally, emptyTally, tallyPage } from './tally.ts';

type StagedEvents = Parameters<BreakStore['stage']>[2];

/** What some records in report order came to. */
export interface JudgedPart {
  /** Counts its records, too. */
  addTo(tally: Tally): void;
  /** What happened to breaks of these records in this run. */
  events: StagedEvents;
  /** Passes the rows to the reports. */
  writeTo(reports: ReportSink): void;
}

/** What a thread answers for a range; it is copied between threads. */
export interface JudgedRange {
  tally: Tally;
  events: StagedEvents;
  rendered: RenderedRange;
}

/** In report order; together all records of the run, each once. */
export type JudgedParts = AsyncIterable<JudgedPart>;

/** Judges every record in this thread. */
export async function* judgeHere(
  thawed: ThawedRun,
  store: JudgeStore,
  tryPrinting: TryPrinting | null = null,
): AsyncGenerator<JudgedPart> {
  for await (const page of judge(thawed, store, undefined, tryPrinting)) {
    yield {
      addTo: (tally) => tallyPage(tally, page),
      events: eventsOf(page),
      writeTo: (reports) => reports.write(page),
    };
  }
}

/** Judges a range for another thread. @param write renders each page */
export async function judgeRange(
  thawed: ThawedRun,
  store: JudgeStore,
  range: RecordRange,
  write: (page: JudgedPage) => void,
  tryPrinting: TryPrinting | null = null,
): Promise<Omit<JudgedRange, 'rendered'>> {
  const tally = emptyTally();
  const events: StagedEvents[number][] = [];
  for await (const page of judge(thawed, store, range, tryPrinting)) {
    tallyPage(tally, page);
    events.push(...eventsOf(page));
    write(page);
  }
  return { tally, events };
}

export function partOf({ tally, events, rendered }: JudgedRange): JudgedPart {
  return {
    addTo: (whole) => addTally(whole, reviveDecimals(tally)),
    events: reviveDecimals(events),
    writeTo: (reports) => reports.append(rendered),
  };
}

function eventsOf(page: JudgedPage): StagedEvents {
  const events = page.records.flatMap(({ recordKey, events }) => events.map((event) => ({ ...event, recordKey })));
  return [...events, ...(page.about?.events ?? []).map((event) => ({ ...event, recordKey: null }))];
}

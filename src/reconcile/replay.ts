/** A replay judges a stored run again, offline: the same pages, the same order, the same bytes. */
import type { Run } from '../domain/run.ts';
import type { ReportSink } from '../ports/report-set.ts';
import type { Tally } from '../ports/settled.ts';
import { type JudgeStore, judge } from './judge.ts';
import { thawRun } from './run-book.ts';
import { emptyTally, tallyPage } from './tally.ts';

/** Sends no request and writes nothing to the store; rows go to the sink. @throws RangeError for a run that was never judged */
export async function replay(run: Run, store: JudgeStore, sink: ReportSink): Promise<Tally> {
  const tally = emptyTally();
  for await (const page of judge(thawRun(run), store)) {
    tallyPage(tally, page);
    sink.write(page);
  }
  return tally;
}

/** A replay judges a stored run again, offline: the same pages, the same order, the same bytes. */
import { isWholeNight, type Run, withWatermarks } from '../domain/run.ts';
import type { ReportSink } from '../ports/report-set.ts';
import type { Tally } from '../ports/settled.ts';
import { createRuleSet } from '../rules/rule-set.ts';
import { thawTerms } from '../rules/terms.ts';
import { type JudgeStore, judge } from './judge.ts';
import { emptyTally, tallyOutside, tallyRecord } from './tally.ts';

/** Sends nothing and writes nothing to the store; rows go to the sink. */
export async function replay(run: Run, store: JudgeStore, sink: ReportSink): Promise<Tally> {
  const terms = thawTerms(run.terms);
  const tally = emptyTally();
  for await (const page of judge(withWatermarks(run), terms, createRuleSet(terms.rules), store, isWholeNight(run))) {
    for (const record of page.records) tallyRecord(tally, record);
    for (const each of page.outside) tallyOutside(tally, each);
    sink.write(page);
  }
  return tally;
}

/** Runs by key with their thawed terms: a month was judged by many nights, each by what was in force then. */
import type { JudgingTerms } from '../domain/case.ts';
import { type JudgeableRun, withWatermarks } from '../domain/run.ts';
import type { PeriodStore } from '../ports/store/periods.ts';
import { createRuleSet, type RuleSet } from '../rules/rule-set.ts';
import { judgingTerms, type RunTerms, thawTerms } from '../rules/terms.ts';

export interface BookedRun {
  run: JudgeableRun;
  terms: RunTerms;
  judging: JudgingTerms;
  ruleSet: RuleSet;
}

/** Reads each run once; a year has a thousand. */
export class RunBook {
  private readonly runs = new Map<number, Promise<BookedRun>>();
  private readonly store: Pick<PeriodStore, 'run'>;

  constructor(store: Pick<PeriodStore, 'run'>) {
    this.store = store;
  }

  of(runKey: number): Promise<BookedRun> {
    let booked = this.runs.get(runKey);
    if (booked === undefined) {
      booked = this.read(runKey);
      this.runs.set(runKey, booked);
    }
    return booked;
  }

  private async read(runKey: number): Promise<BookedRun> {
    const run = withWatermarks(await this.store.run(runKey));
    const terms = thawTerms(run.terms);
    return { run, terms, judging: judgingTerms(terms, run.asOf), ruleSet: createRuleSet(terms.rules) };
  }
}

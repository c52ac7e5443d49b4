/** The part of a run about markets as a whole; it comes before payments and records. */
import type { JudgeableRun } from '../domain/run.ts';
import type { Store } from '../ports/store/store.ts';
import type { JudgedPart } from '../reconcile/judged-parts.ts';
import { thawRun } from '../reconcile/run-book.ts';
import { settleSubjects } from '../reconcile/settle.ts';
import { asFinding } from '../rules/judge-case.ts';
import { oneSidedIn, slippageOneSided } from '../rules/slippage-one-sided.ts';
import { partOf } from './revenue.ts';

/** Nothing for a run over chosen records, whose moves are not those of 30 days. */
export async function* marketPart(run: JudgeableRun, store: Store): AsyncGenerator<JudgedPart> {
  const { survey, watermarks } = run;
  if (survey === null || survey.of === 'night') return;
  const standing = await store.breaks.statusOn('market', watermarks.breakEvent);
  const { severityOf, switchedOff } = thawRun(run);
  const severity = severityOf(slippageOneSided.code);
  const found = new Map(
    severity === null
      ? []
      : survey.oneSided?.map((each) => [each.market, asFinding(slippageOneSided.code, severity, oneSidedIn(each))]),
  );
  const markets = [...new Set([...found.keys(), ...standing.map(({ recordId }) => recordId)])].sort();
  if (markets.length === 0) return;
  const subjects = markets.map((market) => {
    const finding = found.get(market);
    return { recordId: market, findings: finding === undefined ? [] : [finding] };
  });
  yield partOf(run, settleSubjects('market', subjects, { run, standing, switchedOff }));
}

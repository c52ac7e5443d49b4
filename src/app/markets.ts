/** The part of a run about markets as a whole; it comes before payments and records. */
import type { JudgeableRun } from '../domain/run.ts';
import type { Store } from '../ports/store/store.ts';
import type { JudgedPart } from '../reconcile/judged-parts.ts';
import { thawRun } from '../reconcile/run-book.ts';
import { settle } from '../reconcile/settle.ts';
import { asFinding } from '../rules/judge-case.ts';
import { oneSidedIn, slippageOneSided } from '../rules/slippage-one-sided.ts';
import { partOf } from './revenue.ts';

/** Nothing for a run over chosen records, whose moves are not those of 30 days. */
export async function* marketPart(run: JudgeableRun, store: Store): AsyncGenerator<JudgedPart> {
  const { runId, businessDate, timezone, asOf, survey, watermarks } = run;
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
  const settled = markets.map((market) => {
    const finding = found.get(market);
    return settle({
      kind: 'market',
      recordId: market,
      findings: finding === undefined ? [] : [finding],
      standing: standing.filter(({ recordId }) => recordId === market),
      verified: true,
      notApplicable: [],
      switchedOff,
      evidenceSha256: null,
      recordCurrency: null,
      recordStatus: null,
      moneyMoved: 'yes',
      run: { runId, businessDate, at: asOf },
    });
  });
  if (settled.length === 0) return;
  const facts = { runId, businessDate, timezone };
  const breaks = settled.flatMap((each) => each.breaks).map((each) => ({ ...each, hostReference: null, run: facts }));
  const events = settled.flatMap((each) => each.events).map((event) => ({ ...event, recordKey: null }));
  yield partOf(breaks, events, { records: [], outside: breaks });
}

/** The reports of a run: those that every run has, and those whose sources were configured when it began. */
import { EVIDENCE_REPORTS, REPORTS, REVENUE_REPORTS } from '../../reports/index.ts';
import { pluginReports } from '../../reports/plugin-reports.ts';
import type { Run } from '../domain/run.ts';
import type { Report } from '../ports/settled.ts';
import { printingToNowhere, type RangeSettings } from '../publish/rendered-range.ts';
import type { TryPrinting } from '../reconcile/set-aside.ts';
import { thawTerms } from '../rules/terms.ts';

export function reportsOf({
  terms,
  watermarks,
}: Pick<Run, 'terms'> & {
  watermarks?: { evidence?: { revenue?: boolean } | null } | null;
}): readonly Report[] {
  return [
    ...REPORTS,
    ...(thawTerms(terms).deliveries === null ? [] : [EVIDENCE_REPORTS.deliveries]),
    ...(watermarks?.evidence?.revenue === true ? REVENUE_REPORTS : []),
    ...pluginReports(),
  ];
}

/** Null where nothing is printed, or records need not be tried one by one. */
export function printCheckOf(
  run: Run,
  {
    reports,
    rendering,
    eachIsPrinted = false,
  }: { reports: readonly string[]; rendering: RangeSettings; eachIsPrinted?: boolean },
): TryPrinting | null {
  if (!eachIsPrinted) return null;
  const wanted = reportsOf(run).filter(({ definition }) => reports.includes(definition.name));
  return printingToNowhere(wanted, run, rendering);
}

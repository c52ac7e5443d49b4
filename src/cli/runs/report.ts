/** The printed result of a run, and its exit code. */

import { EXIT, type ExitCode } from '../../domain/errors.ts';
import { severityRank } from '../../domain/finding.ts';
import { lackingInWords, listedReasons, notJudgedInWords } from '../../domain/not-judged.ts';
import { type Reporting, reportedAsJson, reportedInWords } from '../../domain/reporting.ts';
import { type Run, type SourceFigures, verdictsInWords, whyIncomplete } from '../../domain/run.ts';
import { pendingInWords, stakeAsJson, stakeFigures, stakeInWords, waivedInWords } from '../../domain/stake-tally.ts';
import { withoutQuoteInWords } from '../../domain/survey.ts';
import type { JobResult } from '../../ports/job.ts';
import type { Tally } from '../../ports/settled.ts';
import { count, counted } from '../../text/counts.ts';
import { type Output, snakeCase } from '../output.ts';

type Reconciled = Extract<JobResult, { outcome: 'reconciled' }>;

/** 3 wins over 1: without all records, the number of breaks is not known. */
export function runExitCode(result: Reconciled, failOn: 'none' | 'new' | 'open'): ExitCode {
  const { run, tally } = result;
  if (whyIncomplete(run, tally.notReached).length > 0) return EXIT.incomplete;
  const fresh = tally.breaks.opened + tally.breaks.reopened;
  if (failOn === 'open' && tally.breaks.open > 0) return EXIT.breaks;
  if (failOn === 'new' && fresh > 0) return EXIT.breaks;
  return EXIT.clean;
}

/** @param publishedTo null for a run that publishes nothing. */
export async function printRun(
  out: Output,
  result: Reconciled,
  publishedTo: string | null,
  reporting: Reporting | null,
): Promise<void> {
  const { run, tally, requests } = result;
  if (out.json) {
    await out.value({
      ...runAsJson(run),
      ...tallyAsJson(tally),
      ...reportedAsJson(stakeFigures(tally.stake), reporting),
      requests,
      folder: publishedTo,
      incomplete_because: whyIncomplete(run, tally.notReached),
      ...(result.notDelivered === undefined ? {} : { not_delivered: result.notDelivered }),
    });
    return;
  }
  const { verdicts, breaks } = tally;
  await out.line(`${out.paint('bold', run.runId)}  ${run.state}`);
  await out.pairs([
    ['population', counted(tally.population, 'record')],
    ['verdicts', verdictsInWords(verdicts)],
    ['without quote', withoutQuoteInWords(verdicts.matched, tally.matchedWithoutQuote)],
    [
      'breaks',
      `${count(breaks.open)} open: ${count(breaks.opened)} new, ${count(breaks.reopened)} reopened; ${count(breaks.resolved)} resolved, ${count(breaks.waived)} waived`,
    ],
    ['money at stake', stakeInWords(stakeFigures(tally.stake))],
    ['together', reportedInWords(stakeFigures(tally.stake), reporting)],
    ['pending', pendingInWords(stakeFigures(tally.stake))],
    ['waived', waivedInWords(stakeFigures(tally.stake))],
    [
      'not reached',
      tally.notReached === 0
        ? null
        : `${counted(tally.notReached, 'record')}, ${count(tally.deferred)} of them deferred: they come first in the next run`,
    ],
    ...[...tally.notReachedBecause].map(([reason, n]) => ['because', `${count(n)}: ${reason}`] as const),
    ['abandoned', tally.abandoned ? `${counted(tally.abandoned, 'purchase')} never paid and past the end time` : null],
    ['not judged', notJudgedInWords(tally.recordsNotJudged, tally.notJudged)],
    ['absent', lackingInWords(tally.lacking)],
    ['remarks', sentence(tally.infos)],
    ['deliveries', deliveriesInWords(tally)],
    ['learned late', learnedInWords(tally)],
    [
      'closed months',
      tally.priorPeriod
        ? `${count(tally.priorPeriod)} of their records ${tally.priorPeriod === 1 ? 'differs' : 'differ'} from what was stated of them`
        : null,
    ],
    ...(result.notDelivered ?? []).map((problem) => ['not delivered', problem] as const),
    ...run.sources.map((source) => [`source ${source.name}`, sourceInWords(source)] as const),
    ['retracted', run.retracted ? `${count(run.retracted)} out of the population by decision` : null],
    ...whyIncomplete(run, 0).map((reason) => ['incomplete', reason] as const),
    ['requests', `${count(requests)} sent`],
    ['published', publishedTo ?? 'nothing: this job keeps what it learned for the next report'],
  ]);
  const rules = [...tally.rules].sort(
    ([a, x], [b, y]) => severityRank(y.severity) - severityRank(x.severity) || y.open - x.open || (a < b ? -1 : 1),
  );
  if (rules.length > 0) await out.line();
  await out.table(
    [
      { title: 'rule', cell: ([rule]) => rule },
      { title: 'severity', cell: ([, row]) => row.severity },
      { title: 'open', cell: ([, row]) => count(row.open), align: 'right' },
      { title: 'new', cell: ([, row]) => count(row.fresh), align: 'right' },
    ],
    rules,
  );
}

export function sourceInWords({ read, accepted, rejected, failed }: SourceFigures): string {
  return `${count(read)} read: ${count(accepted)} accepted, ${count(rejected)} rejected; ${count(failed)} could not be read`;
}

/** A status learned by fetching although a webhook should have delivered it shows a missed webhook. */
function learnedInWords({ learnedByFetch, webhooksMissed }: Tally): string | null {
  if (learnedByFetch === 0) return null;
  const missed = webhooksMissed === 0 ? '' : `; a webhook should have announced ${count(webhooksMissed)} of them`;
  return `${counted(learnedByFetch, 'status', 'statuses')} seen first by fetching${missed}`;
}

/** Deliveries that could not be checked are counted by chain. */
function deliveriesInWords({ deliveries }: Tally): string | null {
  const rows = [...deliveries].sort(([a], [b]) => (a < b ? -1 : 1));
  if (rows.length === 0) return null;
  const all = OUTCOMES.map((outcome) => `${count(rows.reduce((sum, [, row]) => sum + row[outcome], 0))} ${outcome}`);
  const unverified = rows.filter(([, row]) => row.unverified > 0);
  const where = unverified.map(([chain, row]) => `${chain === '' ? 'unknown chain' : chain} ${count(row.unverified)}`);
  return `${all.join(', ')}${where.length === 0 ? '' : ` (${where.join(', ')})`}`;
}

const OUTCOMES = ['met', 'late', 'broken', 'unverified'] as const;

function sentence(counts: ReadonlyMap<string, number>): string | null {
  if (counts.size === 0) return null;
  return [...counts].map(([rule, n]) => `${count(n)} ${rule}`).join(', ');
}

function tallyAsJson({ stake, rules, notJudged, deliveries, priorPeriod, ...counts }: Tally) {
  const { lacking: lackingFields, learnedByFetch: statusesLearnedByFetch, ...known } = counts;
  return {
    ...snakeCase({ ...known, lackingFields, statusesLearnedByFetch }),
    ...stakeAsJson(stakeFigures(stake)),
    rules: new Map([...rules].map(([rule, { fresh, ...row }]) => [rule, { ...row, new: fresh }])),
    ...(notJudged.size === 0 ? {} : { not_judged: new Map(listedReasons(notJudged)) }),
    ...(deliveries.size === 0 ? {} : { deliveries }),
    ...(priorPeriod === undefined ? {} : { prior_period_records: priorPeriod }),
  };
}

export function runAsJson({ terms, watermarks, survey, ...run }: Run) {
  // Sentences, for programs that read this field before sources had figures.
  const failures = run.sources.flatMap(({ name, failed, problems }) =>
    failed > 0 ? problems.map((each) => `${name}: ${each}`) : [],
  );
  return { ...snakeCase(run), source_failures: failures };
}

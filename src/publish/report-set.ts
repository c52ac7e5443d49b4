/** The report set of one run: hands each settled record to every report's collector, and its rows to that report's file. */

import { lackingInWords, listedReasons, notJudgedInWords } from '../domain/not-judged.ts';
import { type Reporting, reportedAsJson } from '../domain/reporting.ts';
import { type Run, whyIncomplete } from '../domain/run.ts';
import { stakeAsJson, stakeFigures } from '../domain/stake-tally.ts';
import { withoutQuoteInWords } from '../domain/survey.ts';
import type { SetFacts } from '../ports/html-view.ts';
import type { ReportSet } from '../ports/report-set.ts';
import type { Report, RunFacts, Tally } from '../ports/settled.ts';
import type { SetDocument } from './documents.ts';
import type { ManifestFacts } from './manifest.ts';
import { FormatFailedError } from './plugin-formats.ts';
import { Publication, type PublicationSettings } from './publication.ts';
import { ReportRows } from './report-rows.ts';

interface ReportSetOptions extends PublicationSettings {
  reports: readonly Report[];
  /** Rule code → severity in force, or `off`; for the manifest. */
  rules: Readonly<Record<string, string>>;
  /** Rates of the reporting currency as of the run; null where the settings name none. */
  reporting?: (run: Run) => Promise<Reporting | null>;
  /** Workbooks and pages of the set, made of its finished tables in this order. */
  documents?: readonly SetDocument[];
  /** Told what a plugin failed at; the manifest has it as `plugin_problems`. */
  warn?: (problem: string) => void;
}

/** Opens the set of a run in a temporary folder. @throws PublicationError */
export function openReportSet(run: Run, options: ReportSetOptions): ReportSet {
  const { businessDate, job, revision, runId, timezone } = run;
  const publication = new Publication({ ...options, businessDate, job, revision });
  const facts: RunFacts = { runId, businessDate, timezone };
  const rows = orDiscard(publication, () => new ReportRows(options.reports, facts, publication));
  return {
    write: (page) => rows.write(page),
    append: ({ tables, sums }) => {
      publication.append(tables);
      rows.absorb(sums);
    },
    publish: async (finished, tally, state) => {
      rows.end();
      const reporting = (await options.reporting?.(finished)) ?? null;
      const figures = { breaks: tally.breaks, stake: stakeFigures(tally.stake), reporting };
      const facts = {
        ...manifestFacts(finished, tally, state, options.rules),
        ...reportedAsJson(figures.stake, reporting),
      };
      const problems = [...rows.problems()];
      for (const document of options.documents ?? []) {
        try {
          await publication.attach(document.name, document.pieces(publication.tablesFor(facts, figures)));
        } catch (error) {
          if (!(error instanceof FormatFailedError)) throw error;
          publication.leaveOut(document.name);
          problems.push(error.message);
        }
      }
      for (const problem of problems) options.warn?.(problem);
      return publication.publish(problems.length === 0 ? facts : { ...facts, plugin_problems: problems });
    },
    discard: async () => publication.discard(),
  };
}

/** What is opened in a set. Where that fails, the caller has no set yet that it could discard. */
function orDiscard<T>(publication: Publication, open: () => T): T {
  try {
    return open();
  } catch (error) {
    publication.discard();
    throw error;
  }
}

/** The run's part of its manifest. The run's own figures, fixed when it settled, so that each rendering is the same. */
export function manifestFacts(
  run: Run,
  tally: Tally,
  state: 'complete' | 'incomplete',
  rules: Readonly<Record<string, string>>,
): ManifestFacts & SetFacts {
  const reasons = whyIncomplete(run, tally.notReached);
  const without = withoutQuoteInWords(tally.verdicts.matched, tally.matchedWithoutQuote);
  return {
    run_id: run.runId,
    job: run.job,
    business_date: run.businessDate,
    revision: run.revision,
    supersedes: run.supersedes,
    status: state,
    selection: run.selection,
    timezone: run.timezone,
    started_at: new Date(run.startedAt).toISOString(),
    finished_at: new Date(run.finishedAt ?? run.startedAt).toISOString(),
    population: tally.population,
    verdicts: tally.verdicts,
    requests_sent: run.requestsSent,
    rule_set: { rules, sha256: run.rulesHash },
    configuration_sha256: run.configHash,
    code_version: run.codeVersion,
    breaks: tally.breaks,
    not_applicable: Object.fromEntries([...tally.notApplicable].sort()),
    ...(tally.notJudged.size === 0 ? {} : { not_judged: Object.fromEntries(listedReasons(tally.notJudged)) }),
    ...(tally.deliveries.size === 0
      ? {}
      : { deliveries: Object.fromEntries([...tally.deliveries].sort(([a], [b]) => (a < b ? -1 : 1))) }),
    infos: Object.fromEntries([...tally.infos].sort()),
    // Nothing where every matched record has a quote.
    ...(without === null ? {} : { matched_without_quote: tally.matchedWithoutQuote, without_quote: without }),
    ...withoutData(tally),
    ...(tally.abandoned === 0 ? {} : { abandoned: tally.abandoned }),
    sources: run.sources.map(({ name, read, accepted, rejected, failed }) => ({
      name,
      read,
      accepted,
      rejected,
      failed,
    })),
    ...(run.tracked === null ? {} : { tracked: run.tracked }),
    ...(run.retracted === null ? {} : { retracted: run.retracted }),
    ...(reasons.length === 0 ? {} : { incomplete_because: reasons }),
    ...stakeAsJson(stakeFigures(tally.stake)),
  };
}

/** Nothing where every rule had its data and no body lacks a field. */
function withoutData({ recordsNotJudged, notJudged, lacking }: Tally) {
  const sentences = [notJudgedInWords(recordsNotJudged, notJudged), lackingInWords(lacking)].filter(
    (each) => each !== null,
  );
  return {
    ...(recordsNotJudged === 0 ? {} : { records_not_judged: recordsNotJudged }),
    ...(lacking.size === 0 ? {} : { lacking_fields: Object.fromEntries([...lacking].sort()) }),
    ...(sentences.length === 0 ? {} : { without_data: sentences }),
  };
}

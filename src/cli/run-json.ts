/** Runs as `--json` prints them, with the names that manifest.json uses. */
import { isoInstant } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';

export function runAsJson(run: Run) {
  return {
    run_id: run.runId,
    job: run.job,
    business_date: run.businessDate,
    revision: run.revision,
    supersedes: run.supersedes,
    state: run.state,
    selection: run.selection,
    timezone: run.timezone,
    started_at: isoInstant(run.startedAt),
    finished_at: run.finishedAt === null ? null : isoInstant(run.finishedAt),
    as_of: isoInstant(run.asOf),
    population: run.population,
    verdicts: run.verdicts,
    requests_sent: run.requestsSent,
    rules_hash: run.rulesHash,
    config_hash: run.configHash,
    code_version: run.codeVersion,
    published_to: run.publishedTo,
  };
}

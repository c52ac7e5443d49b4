/** `tieout runs list|show`: the run ledger, newest first, and one run. */

import type { App } from '../../app/app.ts';
import { UsageError } from '../../domain/errors.ts';
import { VERDICTS } from '../../domain/finding.ts';
import { isoInstant, showInstant } from '../../domain/record.ts';
import { type Run, type Selection, whyIncomplete } from '../../domain/run.ts';
import { count, counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
import { shown } from '../output.ts';
import type { Column } from '../table.ts';
import { runAsJson, sourceInWords } from './report.ts';
import { jobNamed } from './run.ts';

export const register: Register = (program) => {
  command(program, 'runs list', {
    summary: 'List runs, newest first',
    examples: ['tieout runs list', 'tieout runs list --job nightly --limit 7 --json'],
  })
    .option('--job <name>', 'only runs of this job')
    .option('--limit <n>', 'number of rows at most', positiveNumber, 30)
    .runsOnApp(async (app, { out }, flags) => {
      const runs = await app.store.runs.list(flags);
      // Not before: the ledger may have runs of a job that this version no longer has.
      if (runs.length === 0 && flags.job !== undefined) jobNamed(flags.job);
      await out.list(
        { runs: runs.map(runAsJson) },
        runs,
        [
          { title: 'run', cell: (run) => run.runId },
          { title: 'state', cell: (run) => run.state },
          { title: 'population', cell: (run) => String(run.population), align: 'right' },
          ...VERDICTS.map((verdict): Column<Run> => {
            return {
              title: verdict === 'break' ? 'breaks' : verdict,
              cell: (run) => shown(run.verdicts?.[verdict] ?? null),
              align: 'right',
            };
          }),
          { title: 'requests', cell: (run) => String(run.requestsSent), align: 'right' },
          { title: 'finished', cell: (run) => (run.finishedAt === null ? '' : isoInstant(run.finishedAt)) },
        ],
        'No runs.',
      );
    });

  command(program, 'runs show', {
    summary: 'Show one run: its scope, its result, its reports',
    examples: ['tieout runs show nightly-2026-11-20-r1', 'tieout runs show nightly-2026-11-20-r1 --json'],
  })
    .argument('<run>', 'its id, as `tieout runs list` prints it')
    .runsOnApp(async (app, { out }, runId) => {
      const run = await runNamed(app, runId);
      await out.result(runAsJson(run), [
        ['run', run.runId],
        ['job', run.job],
        ['business date', `${run.businessDate} (${run.timezone})`],
        ['revision', run.revision],
        ['supersedes', run.supersedes],
        ['state', run.state],
        ['selection', selectionInWords(run.selection)],
        ['started', showInstant(run.startedAt)],
        ['finished', run.finishedAt === null ? null : showInstant(run.finishedAt)],
        ['judged as of', showInstant(run.asOf)],
        ...run.sources.map((source) => [`source ${source.name}`, sourceInWords(source)] as const),
        ...[...(await app.store.items.unverified(runId))].map(
          ([reason, records]) => ['not verified', `${count(records)}: ${reason}`] as const,
        ),
        ...whyIncomplete(run, 0).map((reason) => ['incomplete', reason] as const),
        ['requests sent', run.requestsSent],
        ['population', run.population],
        ...(run.verdicts === null ? [] : Object.entries(run.verdicts)),
        ['published to', run.publishedTo],
        ['rule set', run.rulesHash],
        ['configuration', run.configHash],
        ['code version', run.codeVersion],
      ]);
    });
};

/** @throws UsageError where there is no such run. */
export async function runNamed({ store }: App, runId: string): Promise<Run> {
  const run = await store.runs.get(runId);
  if (run !== null) return run;
  throw new UsageError(`there is no run ${runId}; \`tieout runs list\` lists the runs`);
}

function selectionInWords(selection: Selection): string {
  switch (selection.type) {
    case 'due':
      return 'the due records';
    case 'ids':
      return `${counted(selection.ids.length, 'id')}${ofKind(selection.kind)}`;
    case 'created':
      return `created from ${selection.from} to before ${selection.to}${ofKind(selection.kind)}`;
    case 'all':
      return `everything${ofKind(selection.kind)}`;
    case 'delivered':
      return 'what webhooks and events spoke of';
    default:
      return selection satisfies never;
  }
}

function ofKind(kind: string | null): string {
  return kind === null ? '' : `, ${kind}s only`;
}

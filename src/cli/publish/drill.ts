/** `tieout drill`: plants known changes in copies of a stored night, and tells which of them would be found. */
import { EXIT, type ExitCode, UsageError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run.ts';
import type { DrillOptions, DrillResult } from '../../explain/drill/drill.ts';
import { type Failed, failedOf, recallOf } from '../../explain/drill/recall.ts';
import { count, counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
import type { Session } from '../session.ts';
import { writePrivate } from '../write-file.ts';
import { judgedRun } from './replay.ts';

export const register: Register = (program) => {
  command(program, 'drill', {
    details:
      'Takes the bodies and quotes of a stored run, changes one thing in a copy (docs/reference/drill.md lists all changes), and judges ' +
      'the copy by the rules and tolerances of the settings, as `tieout replay` does. Prints which changes were found, which were missed, ' +
      'and which were not possible on these records. Stores, sends and publishes nothing. Exits with 1 if a material change is missed.',
    examples: [
      'tieout drill',
      'tieout drill nightly-2026-11-20-r1 --per-rule 20 --report drill.csv',
      'tieout drill --config looser.yaml',
    ],
  })
    .argument('[run]', 'its id, as `tieout runs list` prints it (default: the newest complete run)')
    .option('--per-rule <n>', 'records in which each change is planted', positiveNumber, 5)
    .option('--seed <n>', 'the same seed chooses the same records', positiveNumber, 1)
    .option('--report <file>', 'write a row for each changed copy, as CSV')
    .runs(async (session, runId, flags) => {
      const app = await session.app({ judgesOnly: true });
      const latest = runId === undefined ? await app.store.runs.list({ limit: LATEST }) : [];
      const named = runId ?? latest.find(({ state }) => state === 'complete')?.runId;
      if (named === undefined)
        throw new UsageError('there is no complete run yet; name one, or run a night: tieout run');
      const run = await judgedRun(app, named);
      const { drillRun } = await import('../../app/drill.ts');
      const result = await drillRun(app, run, flags);
      if (flags.report !== undefined) await writeReport(flags.report, result);
      return print(session, run, flags, result);
    });
};

const LATEST = 50;

async function print({ out }: Session, run: Run, options: DrillOptions, result: DrillResult): Promise<ExitCode> {
  const { drilled, notPossible } = result;
  const [missed, spoke, rows] = [failedOf(drilled, 'missed'), failedOf(drilled, 'spoke'), recallOf(drilled)];
  const exit = missed.length > 0 ? EXIT.breaks : EXIT.clean;
  if (out.json) {
    await out.value({
      run_id: run.runId,
      per_rule: options.perRule,
      seed: options.seed,
      recall: rows,
      missed: missed.map(failedAsJson),
      spoke: spoke.map(failedAsJson),
      not_possible: notPossible.map(({ id, speaks, sentence }) => ({ change: id, speaks, sentence })),
      copies: drilled.map(rowOf),
    });
    return exit;
  }
  const changes = new Set(drilled.map(({ change }) => change)).size;
  await out.line(
    `Planted ${counted(changes, 'change')} in ${counted(drilled.length, 'copy', 'copies')} of records of ${run.runId}; nothing is stored.\n`,
  );
  await out.table(
    [
      { title: 'rule', cell: ({ rule }) => rule },
      { title: 'changes', cell: (row) => count(row.changes), align: 'right' },
      { title: 'planted', cell: ({ planted }) => count(planted), align: 'right' },
      { title: 'found', cell: ({ found }) => count(found), align: 'right' },
      { title: 'missed', cell: ({ planted, found }) => count(planted - found), align: 'right' },
      { title: 'EUR planted', cell: (row) => row.planted_eur.toPlaces(2), align: 'right' },
      { title: 'EUR found', cell: (row) => row.found_eur.toPlaces(2), align: 'right' },
      { title: 'recall', cell: (row) => `${row.recall_percent} %`, align: 'right' },
    ],
    rows,
  );
  await printFailed(out, '\nMissed:', missed, 'silent');
  await printFailed(out, '\nSpoke below material size:', spoke, 'spoke');
  if (notPossible.length > 0) await out.line(`\nNot possible on these records: ${inBrief(notPossible)}`);
  const all = drilled.filter(({ change }) => change.material).length;
  const lost = missed.reduce((sum, { failed }) => sum + failed.length, 0);
  await out.line(
    lost === 0
      ? `\n${out.paint('green', `All ${counted(all, 'material change was', 'material changes were')} found.`)}`
      : `\n${out.paint('red', `${count(lost)} of ${counted(all, 'material change was', 'material changes were')} missed.`)}`,
  );
  return exit;
}

const MOST_NAMED = 12;

/** By name where they are few. */
function inBrief(changes: DrillResult['notPossible']): string {
  if (changes.length <= MOST_NAMED) return changes.map(({ id }) => id).join(', ');
  const groups = Map.groupBy(changes, ({ id }) => id.split('.', 1)[0] ?? id);
  const counts = [...groups].map(([group, { length }]) => `${group} ${count(length)}`);
  return `${counted(changes.length, 'change')} (${counts.join(', ')}); --report FILE has a row for each`;
}

async function printFailed(out: Session['out'], title: string, rows: readonly Failed[], none: string): Promise<void> {
  if (rows.length === 0) return;
  await out.line(title);
  for (const { change, of, failed, money } of rows) {
    const by = [...new Set(failed.flatMap((each) => each.by))].join(' ') || none;
    const [first] = failed;
    await out.line(
      `  ${change.id} (${change.sentence}): ${failed.length} of ${of}, ${money.toPlaces(2)} EUR; ` +
        `${change.material ? `expected ${change.speaks.join(' or ')}, ` : ''}${by}; for example ${first?.kind} ${first?.recordId}`,
    );
  }
}

function failedAsJson({ change, of, failed, money }: Failed) {
  const { id, speaks, sentence } = change;
  return { change: id, speaks, sentence, planted: of, failed: failed.length, eur: money };
}

function rowOf({ change, kind, recordId, outcome, by, money }: DrillResult['drilled'][number]) {
  return {
    change: change.id,
    material: change.material,
    speaks: change.speaks.join(' '),
    kind,
    record_id: recordId,
    outcome,
    spoke: by.join(' '),
    eur: money?.toString() ?? '',
    edits: change.edits,
    sentence: change.sentence,
  };
}

/** With a row of outcome `not possible` for each change that no record allows. */
async function writeReport(file: string, { drilled, notPossible }: DrillResult): Promise<void> {
  const { csvText } = await import('../../text/csv-text.ts');
  const none = notPossible.map((change) => ({
    ...rowOf({ change, kind: change.kind ?? 'purchase', recordId: '', outcome: 'missed', by: [], money: null }),
    kind: change.kind ?? '',
    outcome: 'not possible',
  }));
  await writePrivate(file, csvText([...drilled.map(rowOf), ...none], { header: true, cast: { boolean: String } }));
}

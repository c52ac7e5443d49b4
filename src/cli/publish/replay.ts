/** `tieout replay`: judges a stored run again, offline. */

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FlagValue } from '../../../config/load.ts';
import type { App } from '../../app/app.ts';
import { codeVersion } from '../../app/version.ts';
import { EXIT, type ExitCode, TieoutError, UsageError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run.ts';
import { requireSetPath } from '../../publish/set-path.ts';
import { counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { collect } from '../flags.ts';
import { runNamed } from '../runs/runs.ts';
import type { Session } from '../session.ts';
import { makeOutFolder } from '../write-file.ts';

export const register: Register = (program) => {
  command(program, 'replay', {
    details:
      'Sends and changes nothing. Without --rules, makes the reports again from the stored rows of the run; they ' +
      'must equal the published ones byte for byte (exits with 1 if not), and --out keeps them. Where another version made ' +
      'the set, prints the columns and rows that differ; --exact exits with 1 for them too. With --rules, a YAML ' +
      'file with `rules` and `tolerances` as in the settings, prints the breaks that these would add and remove.',
    examples: [
      'tieout replay nightly-2026-11-20-r1',
      'tieout replay nightly-2026-11-20-r1 --report breaks --out again',
      'tieout replay nightly-2026-11-20-r1 --rules stricter.yaml',
    ],
  })
    .argument('<run>', 'its id, as `tieout runs list` prints it')
    .option('--rules <file>', 'YAML file with other rules and tolerances to preview')
    .option('--archive <file>', 'read the run from a file of `tieout db archive`')
    .option('--exact', 'exit with 1 for any difference, also where another version made the set')
    .option('--report <name>', 'make and compare only this report; repeatable', collect)
    .runs(async (session, runId, flags) => {
      const app = await session.app({
        judgesOnly: true,
        flags: flags.archive === undefined ? [] : await unpacked(session, flags.archive, runId),
      });
      const run = await judgedRun(app, runId).catch(notOfAnArchive(flags.archive));
      if (flags.rules === undefined)
        return replayRun(session, app, run, {
          names: flags.report,
          exact: flags.exact === true,
        }).catch(notOfAnArchive(flags.archive));
      if (flags.report !== undefined) throw new UsageError('--report makes files, and --rules only lists breaks');
      const [{ loadRuleOverlay }, { KNOWN_NAMES }, { printPreview }] = await Promise.all([
        import('../../../config/rule-overlay.ts'),
        import('../../app/known-names.ts'),
        import('./preview.ts'),
      ]);
      const overlay = loadRuleOverlay(flags.rules, session.world.readFile, KNOWN_NAMES);
      return printPreview(session, app, run, overlay);
    });
};

/**
 * A database of its own from an archive, removed when the command ends.
 * @throws ArchiveDamagedError; UsageError where the run is not in it
 */
async function unpacked(session: Session, file: string, runId: string): Promise<FlagValue[]> {
  const { requireInArchive, unpackArchive } = await import('../../app/unpack-archive.ts');
  const archive = await unpackArchive(file, session.releasers);
  requireInArchive(archive, file, runId);
  return [{ flag: '--archive', path: ['database', 'url'], value: archive.url }];
}

/** A row of an archive may have a value that this program never writes. */
const notOfAnArchive = (file: string | undefined) => (error: unknown) => {
  if (file === undefined || error instanceof TieoutError) throw error;
  throw new UsageError(`${file}: the run in it cannot be judged`, { cause: error });
};

/** @throws UsageError for an unknown run, or one that was not judged. */
export async function judgedRun(app: App, runId: string): Promise<Run> {
  const run = await runNamed(app, runId);
  if (run.finishedAt === null) {
    throw new UsageError(
      `${runId} was not judged (it is ${run.state}); finish it first: tieout run ${run.job} --resume`,
    );
  }
  return run;
}

async function replayRun(
  session: Session,
  app: App,
  run: Run,
  { names, exact }: { names: readonly string[] | undefined; exact: boolean },
): Promise<ExitCode> {
  const { outFolders, compareWithPublished, renderRun, reportsNamed, spellingOf } = await import(
    '../../app/render-run.ts'
  );
  const reports = names === undefined ? undefined : reportsNamed(names, run);
  const { published, own: keepIn } = outFolders(await session.publishedOut(), session.flags.out);
  const set = run.publishedTo === null ? null : join(published, requireSetPath(run.publishedTo));
  const folder = keepIn ?? mkdtempSync(join(tmpdir(), 'tieout-replay-'));
  try {
    await makeOutFolder(folder);
    const { profile, decimals } = spellingOf(published, run) ?? app.settings.reports;
    const rendered = await renderRun(app, run, { out: folder, profile, decimals, reports });
    const differences = set === null ? null : await compareWithPublished(set, rendered.folder);
    const { out } = session;
    const isOlder = run.codeVersion !== codeVersion();
    const changes = isOlder && set !== null && existsSync(set) ? await changesOf(set, rendered.folder) : [];
    if (out.json) {
      await out.value({
        made_by: run.codeVersion,
        version: codeVersion(),
        changes,
        run_id: run.runId,
        population: rendered.tally.population,
        identical: differences === null ? null : differences.length === 0,
        differences: differences ?? [],
        folder: keepIn === undefined ? null : rendered.folder,
      });
    } else {
      await out.line(`Judged ${counted(rendered.tally.population, 'stored record')} of ${run.runId} again, offline.`);
      const every = names === undefined ? 'Every file is' : `Of ${names.join(', ')}, every file is`;
      if (differences === null) await out.line('The run was never published, so there is nothing to compare with.');
      else if (differences.length === 0) await out.line(`${every} identical to the published one, to the byte.`);
      else if (changes.length > 0) {
        await out.line(
          `Version ${run.codeVersion} made the set, and this is ${codeVersion()}: CHANGELOG.md says what changed between them ("When you upgrade").`,
        );
        for (const { name, rows, columns } of changes)
          await out.line(`Differs: ${name}, in ${counted(rows, 'row')}: ${columns.join(', ') || 'rows come or go'}`);
      } else for (const difference of differences) await out.line(`Differs: ${difference}`);
      if (keepIn !== undefined) await out.line(`Rendered into ${rendered.folder}`);
    }
    if (differences === null || differences.length === 0) return EXIT.clean;
    return changes.length > 0 && !exact ? EXIT.clean : EXIT.breaks;
  } finally {
    if (keepIn === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function changesOf(published: string, rendered: string) {
  const { changeOf } = await import('../../app/compare-versions.ts');
  const names = readdirSync(rendered).filter((each) => each.endsWith('.csv'));
  const changes = await Promise.all(names.map((name) => changeOf(published, rendered, name)));
  return changes.filter(({ rows }) => rows > 0);
}
